"""`pellucid export`: a model as ONNX, for other runtimes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.options import Replacing
from pellucid.cli.problems import notes, say
from pellucid.cli.see import waiting
from pellucid.cli.writing import GIVEN


@dataclass(frozen=True, kw_only=True)
class Export(Replacing):
    """Write a model as ONNX: any number of texts, of any length.

    Before it is put in place it is run by onnxruntime, on two lengths and two numbers of texts,
    and must say what the model says. Inputs are input_ids and attention_mask (0 is padding), of
    an encoder-decoder also decoder_input_ids and decoder_attention_mask; outputs are logits and
    last_hidden_state.

    [dim]Examples:[/]
    [cyan]pellucid export run --out classifier.onnx[/]
    [cyan]pellucid export minilm --out vectors.onnx[/]
    """

    model: Annotated[str, GIVEN]
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Where it is written.", show_default=False)
    ]
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False

    def run(self) -> None:
        """Load, write, compare."""
        from pellucid.models.exporting import export
        from pellucid.models.load import load

        with notes(), waiting(f"Loading {self.model}"):
            model = load(self.model)
        with notes(), waiting("Writing and comparing"):
            export(model, self.out, existing=self.existing)
        say(str(self.out), who="saved")
