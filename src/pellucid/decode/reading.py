"""Reading on: texts that a model has read, and the logits of what may follow on each branch."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pellucid.decode.writer import Writer, vectors, words
from pellucid.errors import PellucidError
from pellucid.formula.places import last
from pellucid.models.batch import Batch
from pellucid.models.encoder_decoder import EncoderDecoder, Memory
from pellucid.nn.cache import STEP, Cache
from pellucid.nn.mask import Mask
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder


class Reading:
    """B texts, each with its prompt and (in an encoder-decoder) its source.

    The source is encoded once and a prompt is read once, however many branches go on from it.
    The cache grows by `step` tokens at a time.
    """

    def __init__(
        self, model: Writer, prompt: Batch, source: Batch | None = None, step: int = STEP
    ) -> None:
        self.model, self.prompt, self.source = model, prompt, source
        self.cache = Cache(len(model.decoder.layers), step)
        self.memory = _encode(model, source)

    @torch.inference_mode()
    def begin(self) -> Float[Tensor, "B 1 V"]:
        """What may follow the prompts."""
        return self._logits(self.read_prompt())

    def read_prompt(self) -> Float[Tensor, "B 1 W"]:
        """The vectors of the prompts' last tokens."""
        mask = self.cache.begin(Mask.of(self.prompt.ids, self.prompt.mask))
        hidden = self._read(self.prompt.ids, mask)
        return last.compute(hidden, mask.real)[:, None]

    @torch.inference_mode()
    def go_on(
        self, tokens: Int[Tensor, "B N"], parents: Int[Tensor, "B N"]
    ) -> Float[Tensor, "B N V"]:
        """What may follow when each of N branches is one of the `parents` and this token."""
        mask = self.cache.branch(parents)
        self.model.check_length(self.cache.longest)
        return self._logits(self._read(tokens, mask))

    @torch.inference_mode()
    def keep(self, texts: Sequence[int]) -> None:
        """Go on with these texts only."""
        kept = torch.tensor(texts, device=self.model.device)
        self.cache.keep(kept)
        if self.memory is not None:
            mask = self.memory.mask
            self.memory = Memory(self.memory.vectors[kept], Mask(mask.real[kept], mask.padded))

    def _read(self, ids: Tensor, mask: Mask) -> Tensor:
        return vectors(self.model, ids, mask, self.memory, self.cache)

    def _logits(self, hidden: Float[Tensor, "B N W"]) -> Float[Tensor, "B N V"]:
        logits = words(self.model, hidden)
        check_numbers(self, logits)
        return logits


@torch.inference_mode()
def _encode(model: Writer, source: Batch | None) -> Memory | None:
    if source is None or not isinstance(model, EncoderDecoder):
        return None
    return model.encode(source.ids, Mask.of(source.ids, source.mask))


def check_numbers(reading: Reading, logits: Tensor) -> None:
    """Refuse logits that are no numbers, and say in which tensor of the run that begins."""
    if bool(logits.amax().isfinite()):
        return
    recorder = Recorder()
    with torch.no_grad(), listening(recorder):
        Reading(reading.model, reading.prompt, reading.source).read_prompt()
    broken = (name for name, x in recorder.held.items() if not bool(x.isfinite().all()))
    name = next(broken, "the logits of a later token")
    raise PellucidError(
        f"The model gave numbers that are not finite, first in {name}; "
        "its weights are broken, or its precision is too low: try float32."
    )
