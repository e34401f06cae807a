"""`pellucid models`: the models that come with Pellucid, and their cards."""

from dataclasses import dataclass
from typing import Annotated

import typer

from pellucid.errors import UsageError
from pellucid.models import builtin


@dataclass(frozen=True, kw_only=True)
class Models:
    """List the models that come with Pellucid; or print the card of one of them.

    A card says what a model learned from, how, how good it is, and what it is not good for.

    [dim]Examples:[/]
    [cyan]pellucid models[/]
    [cyan]pellucid models translator[/]
    """

    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Whose card to print.", show_default=False),
    ] = None

    def run(self) -> None:
        """The table, or a card."""
        if self.name is None:
            return self._list()
        from pellucid.models.mouse import MICE

        if self.name in MICE:
            print(mouse_card(self.name))
        elif self.name in builtin.BUILTIN:
            print(builtin.card(self.name), end="")
        elif self.name in builtin.PACKAGED:
            print(f"{self.name} comes with the package {builtin.PACKAGED[self.name]}.")
        else:
            known = ", ".join([*MICE, *builtin.BUILTIN, *builtin.PACKAGED])
            raise UsageError(f"There is no built-in model {self.name!r}; there are {known}.")
        return None

    def _list(self) -> None:
        from pellucid.models.mouse import MICE
        from pellucid.record.printed import aligned

        head = ("model", "what it does", "parameters", "size", "licence")
        rows = [(name, mouse.summary, "by hand", "", "Apache-2.0") for name, mouse in MICE.items()]
        rows += [row(name) for name in builtin.BUILTIN]
        print(aligned([head, *rows]))
        print(f"\n{defaults()}")


def row(name: str) -> tuple[str, str, str, str, str]:
    """One of the trained models."""
    from pellucid.record.printed import in_words

    task, about = builtin.BUILTIN[name].task, builtin.about(name)
    if not builtin.there(name):
        return name, task, "", "not there", ""
    size = in_words(builtin.size(name))
    return name, task, about.get("parameters", ""), size, about.get("licence", "")


def defaults() -> str:
    """Which of them answers which command."""
    named = (f"{command}: {builtin.default(command)}" for command in builtin.DEFAULTS)
    return f"Where no model is named: {', '.join(named)}."


def mouse_card(name: str) -> str:
    """The card of a model made by hand."""
    from pellucid.models.mouse import MICE

    mouse = MICE[name]
    words = "\n".join(f"- {word}: {list(vector)}" for word, vector in mouse.words.items())
    features = ", ".join(mouse.features)
    return (
        f"# {name}\n\nMade by hand, to be followed with a pencil: {mouse.summary}.\n\n"
        f'    pellucid see --model {name} "{mouse.sentence}"\n\n'
        f"Its words, as vectors of {features}:\n\n{words}"
    )
