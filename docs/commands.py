"""The page of commands: made from the command line's own help."""

import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import typer

from pellucid.cli import app

USUAL = "Options"  # the heading of what has no panel
MARKUP = re.compile(r"\[/?(?:dim|cyan|bold)?\]")


def page() -> Iterator[str]:
    """Line by line; a command that has commands is followed by these."""
    yield from group(typer.main.get_command(app), "pellucid")


def group(command: Any, path: str) -> Iterator[str]:
    for name, each in command.commands.items():
        yield from told(each, f"{path} {name}")
        if hasattr(each, "commands"):
            yield from group(each, f"{path} {name}")


def told(command: Any, path: str) -> Iterator[str]:
    """What a command does, its examples, and its options, panel by panel."""
    yield f"\n## {path}\n"
    about, _, examples = MARKUP.sub("", command.help or "").partition("Example")
    yield about.strip() + "\n"
    if examples:
        lines = [line.strip() for line in examples.partition(":")[2].splitlines()]
        yield "\n".join(["``` text", *filter(None, lines), "```", ""])
    for panel, options in panels(command).items():
        yield f"\n**{panel}**\n\n| option | what | usual |\n| --- | --- | --- |"
        yield from options


def panels(command: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {USUAL: []}
    for each in command.params:
        if each.name != "help" and not each.hidden:
            found.setdefault(each.rich_help_panel or USUAL, []).append(row(each))
    return {panel: rows for panel, rows in found.items() if rows}


def row(option: Any) -> str:
    """An option with what it takes, what it is for, and what holds where it is not given."""
    flags = [*option.opts, *option.secondary_opts]
    named = ", ".join(flags) if flags[0].startswith("-") else option.metavar
    takes = "" if named == option.metavar else taken(option)
    what = (option.help or "").replace("|", r"\|")  # within code a bar needs no care
    return f"| `{named}{takes}` | {what} | {usual(option)} |"


def taken(option: Any) -> str:
    """Its choices, or a word for what it takes; nothing where it is a switch."""
    if getattr(option, "is_flag", False):
        return ""
    kind = option.type_descriptor.annotation
    plain = "NAME" if str in (kind, *get_args(kind)) else "N"
    return f" {option.metavar or '|'.join(choices(kind)) or plain}"


def choices(kind: Any) -> list[str]:
    """The words of a Literal, wherever in the type it stands."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [word for part in get_args(kind) for word in choices(part)]


def usual(option: Any) -> str:
    """What holds where nothing is said."""
    if option.required:
        return "must be given"
    if isinstance(option.show_default, str):
        return f"`{option.show_default}`"
    silent = getattr(option, "is_flag", False) or option.default in (None, "", ())
    return f"`{option.default}`" if option.show_default and not silent else ""
