"""ONNX: a model as a graph for other runtimes, checked against the model before it is put in place.

Texts side by side may be any number, of any length. Padding is said by a mask of 0 and 1. The
graph is made by torch's own exporter; `onnxruntime` runs it here, to compare.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from pellucid.errors import PellucidError, UsageError
from pellucid.models.decoder import Decoder
from pellucid.models.encoder import Encoder
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.heads import Output
from pellucid.models.model import Model
from pellucid.nn.mask import Mask
from pellucid.record.files import Existing, check_writable, write

NEEDED = ("onnx", "onnxruntime", "onnxscript")
SIZES = ((1, 3), (1, 9), (3, 3), (3, 9))  # texts side by side, and their length
AGREES = 1e-4  # of numbers as large as the largest, how far two may be apart
IDS, MASK, SEGMENTS = "input_ids", "attention_mask", "token_type_ids"


class Plain(nn.Module):
    """A model as ONNX takes it: tensors in and out, ids with a mask of 0 and 1 for each stream."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model.eval()
        both = isinstance(model, EncoderDecoder)
        self.inputs = [IDS, MASK]
        self.inputs += [f"decoder_{name}" for name in (IDS, MASK) if "target" in model.streams]
        self.inputs += [SEGMENTS] if model.config.segments and not both else []

    def forward(self, *given: Tensor) -> tuple[Tensor, ...]:
        return tuple(told(self.output(*given)).values())

    def output(self, ids: Tensor, mask: Tensor, *rest: Tensor) -> Output:
        """What the model says."""
        model, real = self.model, given(mask)
        if isinstance(model, Encoder):
            hidden = model.encoder(model.entrance(ids, real, *rest), real)
        elif isinstance(model, Decoder):
            hidden = model.hidden(ids, real)
        else:
            return self._answer(cast(EncoderDecoder, model), ids, real, *rest)
        return cast(Output, model.heads(hidden, real.real))

    def _answer(self, model: EncoderDecoder, ids: Tensor, real: Mask, *rest: Tensor) -> Output:
        """One that tells classes reads its source again."""
        target, seen = (rest[0], given(rest[1])) if rest else (model._again(ids, real.real), real)
        hidden = model.hidden(target, seen, model.encode(ids, real))
        return cast(Output, model.heads(hidden, seen.real))

    def example(self, count: int, length: int) -> list[Tensor]:
        """Ids drawn by chance, the last text one token shorter than the others."""
        chance, config = torch.Generator().manual_seed(count * 100 + length), self.model.config
        words = min(filter(None, (config.source_vocabulary, config.vocabulary)))  # on either side
        found = []
        for name in self.inputs:
            ids = torch.randint(words, (count, length), generator=chance)
            mask = torch.ones_like(ids)
            mask[-1, -1] = 0
            kinds = {IDS: ids, MASK: mask, SEGMENTS: torch.zeros_like(ids)}
            found.append(kinds[name.removeprefix("decoder_")])
        return found


def given(mask: Tensor) -> Mask:
    """Without a look at the numbers, which a graph could not have."""
    return Mask(mask.bool(), padded=True)


def told(output: Output) -> dict[str, Tensor]:
    """The outputs under the names that are usual elsewhere: scores of classes, or else of words,
    are the logits.
    """
    logits = output.logits if output.classes is None else output.classes
    found = {
        "logits": logits,
        "next_sentence": output.next_sentence,
        "last_hidden_state": output.hidden,
    }
    return {name: tensor for name, tensor in found.items() if tensor is not None}


def export(model: Model, path: str | Path, *, existing: Existing = "refuse") -> Path:
    """Write a model as ONNX, if what comes out agrees with it in two lengths and two numbers of
    texts; else nothing is written.
    """
    path = Path(path)
    if lacking := [name for name in NEEDED if find_spec(name) is None]:
        raise UsageError(
            f"ONNX needs {' and '.join(lacking)}; get it with pip install 'pellucid[onnx]'."
        )
    check_writable(path, existing)
    plain = Plain(model)

    def fill(beside: Path) -> None:
        graph(plain, beside)
        check(plain, beside)

    return write(path, fill, existing)


def graph(plain: Plain, path: Path) -> None:
    """Let torch write the graph."""
    example = plain.example(2, 5)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    target = {0: axes[0], 1: torch.export.Dim("target_length")}
    shapes = [target if name.startswith("decoder_") else axes for name in plain.inputs]
    with quiet():
        try:
            program = torch.onnx.export(
                plain,
                tuple(example),
                dynamo=True,
                verbose=False,
                input_names=plain.inputs,
                output_names=list(told(plain.output(*example))),
                dynamic_shapes={"given": tuple(shapes)},
            )
            assert program is not None
            program.save(path)
        except Exception as error:  # torch's exporter lets through whatever goes wrong in it
            raise PellucidError(
                f"torch cannot write {plain.model.name} as ONNX ({root(error)}); "
                "nothing was written."
            ) from error


def root(error: BaseException) -> str:
    """What began it, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().partition("\n")[0].rstrip(".")


def check(plain: Plain, path: Path) -> None:
    """Compare the file with the model; PellucidError where they do not agree."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        for count, length in SIZES:
            example = plain.example(count, length)
            given = {n: x.numpy() for n, x in zip(plain.inputs, example, strict=True)}
            agree(plain, example, session.run(None, given))
    except PellucidError:
        raise
    except Exception as error:  # onnxruntime's errors have no common ancestor
        raise PellucidError(
            f"The ONNX file cannot be run ({root(error)}); nothing was written."
        ) from error


@torch.no_grad()
def agree(plain: Plain, example: list[Tensor], theirs: Sequence[Any]) -> None:
    """Whether another runtime's outputs are the model's own."""
    for (name, a), b in zip(told(plain.output(*example)).items(), theirs, strict=True):
        apart = float((a - torch.from_numpy(b)).abs().max() / a.abs().max().clamp_min(1.0))
        if not apart <= AGREES:
            raise PellucidError(
                f"In the ONNX file {name} of {list(example[0].shape)} ids differs by {apart:.1e} "
                "from the model's; nothing was written."
            )


@contextmanager
def quiet() -> Iterator[None]:
    """Within, the exporter talks to nobody."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
