"""Options of the commands that write: how an answer is searched or drawn, and what comes out."""

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pellucid.cli.options import Replacing
from pellucid.models.builtin import default


def _option(panel: str, metavar: str | None, help: str, least: int | None = None) -> Any:
    """An option that may be left out; then the checkpoint's own choice holds, or the usual one."""
    return typer.Option(
        metavar=metavar, help=help, min=least, show_default=False, rich_help_panel=panel
    )


_length = partial(_option, "How long")
_beam = partial(_option, "Beam search")
_draw = partial(_option, "Sampling")
_rule = partial(_option, "Rules")
_speed = partial(_option, "Speed")
_out = partial(_option, "Many texts")

NAMED = "A name, a checkpoint's folder, or a .gguf file."
MODEL = typer.Option(metavar="NAME", help=NAMED)
GIVEN = typer.Argument(metavar="MODEL", help=NAMED, show_default=False)  # where it comes first
Number = float | None
Count = int | None
NOT_CHOICES = (
    "texts", "model", "sample", "tree", "terms", "json", "files", "out", "force", "ids", "ways",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Writing(Replacing):
    """What `generate` and `translate` share. What is not said is left to the checkpoint."""

    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="A text, or several.", show_default=False),
    ] = None
    model: Annotated[str, MODEL] = default("generate")
    tree: Annotated[bool, typer.Option("--tree", help="Show every candidate.")] = False
    terms: Annotated[bool, typer.Option("--terms", help="Show what each score adds up.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print answers as JSON, a line each.")] = (
        False
    )
    ids: Annotated[
        bool, typer.Option("--ids", help="TEXT is tokens' numbers: '1 15 7'. Needs no tokenizer.")
    ] = False
    ways: Annotated[
        str | None,
        typer.Option(
            "--side-by-side",
            metavar="WAYS",
            help="Compare ways to search, for example greedy,sample,beam.",
            show_default=False,
        ),
    ] = None
    best: Annotated[
        Count, typer.Option(metavar="N", help="So many answers.", show_default=False)
    ] = None

    max_new_tokens: Annotated[Count, _length("N", "At most; else all the model reaches.", 1)] = None
    min_new_tokens: Annotated[Count, _length("N", "At least.")] = None
    stop: Annotated[list[str] | None, _length("TEXT", "End before this. Again for more.")] = None

    beams: Annotated[Count, _beam("N", "Branches that go on together.")] = None
    penalty: Annotated[
        Literal["mean", "gnmt", "none"] | None, _beam(None, "How the length counts.")
    ] = None
    length_penalty: Annotated[Number, _beam("P", "Its exponent; more favours long answers.")] = None
    stopping: Annotated[
        Literal["exact", "first", "heuristic"] | None, _beam(None, "When to stop; else exact.")
    ] = None
    groups: Annotated[Count, _beam("N", "Groups of beams that shun one another.")] = None
    diversity: Annotated[Number, _beam("X", "How much they do.")] = None
    must: Annotated[list[str] | None, _beam("WORD", "It must come. Again for more.")] = None

    sample: Annotated[
        bool | None, typer.Option("--sample/--likeliest", rich_help_panel="Sampling", help="Draw.")
    ] = None
    seed: Annotated[Count, _draw("N", "Draws the same again.")] = None
    temperature: Annotated[Number, _draw("T", "Below 1 sharper, above 1 flatter.")] = None
    top_k: Annotated[Count, _draw("K", "Of the K likeliest.")] = None
    top_p: Annotated[Number, _draw("P", "Of the likeliest that have P together.")] = None
    min_p: Annotated[Number, _draw("P", "Of those with P times the best one's probability.")] = None
    typical: Annotated[Number, _draw("P", "Of those of typical surprise.")] = None

    repetition: Annotated[Number, _rule("P", "Above 1: what was said gets less likely.")] = None
    no_repeat: Annotated[Count, _rule("N", "No run of N tokens twice.")] = None
    scope: Annotated[
        Literal["all", "prompt", "generated"] | None, _rule(None, "Where it was said; else all.")
    ] = None
    forbid: Annotated[list[str] | None, _rule("WORD", "It does not come. Again for more.")] = None
    prefix: Annotated[str | None, _rule("TEXT", "How the answer begins.")] = None

    precision: Annotated[
        Literal["float32", "bf16", "int8"] | None,
        _speed(None, "Of the weights; else float32. int8 is the quickest and least exact."),
    ] = None
    compiled: Annotated[
        Literal["never", "where it pays", "always"] | None,
        _speed(None, "Whether to compile; else where it pays."),
    ] = None
    batch: Annotated[Count, _speed("N", "Texts side by side; else 16.")] = None

    files: Annotated[list[str] | None, _out("FILE", "A text a line. Again for more.")] = None
    out: Annotated[
        Path | None, _out("FILE", "Where answers go: .txt or .jsonl. Resumes what was left.")
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Replace it.", rich_help_panel="Many texts")
    ] = False

    @property
    def choices(self) -> dict[str, Any]:
        """What was said, by the names in `Choices`."""
        names = [field.name for field in fields(Writing) if field.name not in NOT_CHOICES]
        said = {name: getattr(self, name) for name in names}
        if self.sample is not None:
            said["pick"] = "sample" if self.sample else "likeliest"
        return {name: value for name, value in said.items() if value is not None}
