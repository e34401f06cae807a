"""What all models share: looking at a text, their tokenizer, and their limits."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib import import_module
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pellucid.errors import UsageError
from pellucid.models.batch import Batch
from pellucid.models.forecast import at_most, check_budget, forecast
from pellucid.models.heads import Heads, Output
from pellucid.models.precision import Precision
from pellucid.models.saving import save_folder
from pellucid.nn.config import Config
from pellucid.nn.layer import Layer
from pellucid.nn.stack import Stack
from pellucid.record.files import Existing
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.record.verify import apart
from pellucid.text.tokenizer import Tokenizer

# these stand further down the house, so they are named
DECODE, STREAM = "pellucid.decode.generate", "pellucid.decode.stream"
BESIDE = "pellucid.decode.beside"
BUDGET = 4e9  # bytes that a record may hold unless one says otherwise

Texts = str | Sequence[str]
Patterns = str | Sequence[str]
Inputs = dict[str, Tensor | None]


def listed(given: Texts) -> list[str]:
    """One text is a list of one."""
    return [given] if isinstance(given, str) else list(given)


class Model(nn.Module):
    """A Transformer with its tokenizer. `model.see(text)` runs it and gives every number."""

    streams: tuple[str, ...] = ("tokens",)  # one text; or a source and a target
    heads: Heads

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.name = config.family
        self.settings: dict[str, Any] = {}  # config.json of the checkpoint it came from
        self.generation: dict[str, Any] = {}  # its generation_config.json
        self.features: tuple[str, ...] = ()  # names of the columns, where they have any
        self.no_tokenizer = "This model has no tokenizer."
        self._tokenizer: Tokenizer | None = None
        self._forecasts: dict[object, int] = {}

    @property
    def tokenizer(self) -> Tokenizer:
        """Text to ids and back, as this model was trained."""
        if self._tokenizer is None:
            raise UsageError(
                f"{self.no_tokenizer} Set model.tokenizer, as examples/letters_to_phonemes.py "
                "does, or give it ids (generate --ids, in Python ids=…)."
            )
        return self._tokenizer

    @tokenizer.setter
    def tokenizer(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @property
    def has_tokenizer(self) -> bool:
        """Whether texts can be given, and not only ids."""
        return self._tokenizer is not None

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return next(self.parameters(), torch.empty(0)).device

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the weights."""
        return next(self.parameters(), torch.empty(0)).dtype

    def see(
        self,
        *texts: Texts,
        pair: Texts | None = None,
        keep: Patterns = "*",
        budget: float = BUDGET,
    ) -> Trace:
        """Run the model on one text, a list of texts, or a source and a target; record it all.

        An encoder reads a text and its `pair` as one: BERT says whether the second follows.
        `keep` are patterns of names to record. `budget` is the most bytes to hold: it is compared
        with a forecast before the run.
        """
        return self.see_tokens(self.read(*texts, pair=pair), keep=keep, budget=budget)

    def see_tokens(
        self, read: Mapping[str, list[Tokens]], *, keep: Patterns = "*", budget: float = BUDGET
    ) -> Trace:
        """The same for texts that are tokens already, by stream."""
        patterns = (keep,) if isinstance(keep, str) else tuple(keep)
        inputs = self._inputs(read)
        if at_most(self.config, inputs) > budget:  # else a closer look would be time lost
            check_budget(self._forecast(inputs, patterns), budget)
        recorder = Recorder(patterns)
        with torch.no_grad(), listening(recorder):
            output = self.forward(**inputs)  # the plain run, even where the model is compiled
        return Trace.of(recorder, read, self._about(output, inputs), self.tokenizer.target.piece)

    def forecast(self, *texts: Texts, pair: Texts | None = None, keep: Patterns = "*") -> int:
        """The bytes that `see` would hold, found without running the model."""
        patterns = (keep,) if isinstance(keep, str) else tuple(keep)
        return self._forecast(self._inputs(self.read(*texts, pair=pair)), patterns)

    def generate(self, *texts: Texts, **choices: Any) -> Any:
        """Answers to a text, the best first; see `pellucid.decode.generate`."""
        return import_module(DECODE).generate(self, *texts, **choices)

    def translate(self, *texts: Texts, **choices: Any) -> Any:
        """What an encoder-decoder makes of a source; see `pellucid.decode.generate`."""
        return import_module(DECODE).translate(self, *texts, **choices)

    def stream(self, text: str, **choices: Any) -> Any:
        """An answer piece by piece, as it comes; see `pellucid.decode.stream`."""
        return import_module(STREAM).stream(self, text, **choices)

    def side_by_side(self, text: str, *ways: str, **choices: Any) -> Any:
        """Greedy, sampled and beam-searched answers, compared; see `pellucid.decode.beside`."""
        given = {"ways": ways} if ways else {}
        return import_module(BESIDE).side_by_side(self, text, **given, **choices)

    def read(self, *texts: Texts, pair: Texts | None = None) -> dict[str, list[Tokens]]:
        """The tokens of each stream; a text beyond the model's limit is refused."""
        if pair is not None and self.config.shape != "encoder":
            raise UsageError(f"Two texts are read as one by encoders; {self.name} is none.")
        if len(texts) != len(self.streams):
            raise UsageError(
                f"This model takes {len(self.streams)} ({' and '.join(self.streams)}); "
                f"{len(texts)} came."
            )
        given = dict(zip(self.streams, map(listed, texts), strict=True))
        seconds = None if pair is None else listed(pair)
        if seconds is not None and len(seconds) != (count := len(given["tokens"])):
            raise UsageError(f"{count} texts came, and pairs to {len(seconds)} of them.")
        read = {
            stream: [
                self._encode(*of, stream) for of in zip(some, seconds or repeat(None), strict=False)
            ]
            for stream, some in given.items()
        }
        counts = list(map(len, read.values()))
        if min(counts) == 0 or min(counts) != max(counts):
            raise UsageError(
                f"{' and '.join(map(str, counts))} texts came; give at least one, "
                "and as many sources as targets."
            )
        return read

    def save(
        self,
        folder: str | Path,
        *,
        existing: Existing = "refuse",
        precision: Precision | None = None,
    ) -> Path:
        """Write config.json, model.safetensors and the tokenizer, for us and for other tools.

        Weights are written as they are, or as float32 or bf16; or as int8 with a scale a row,
        which only Pellucid reads. Loaded again they are float32 (see precision.py).
        """
        return save_folder(self, Path(folder), existing, precision)

    def state(self) -> dict[str, Tensor]:
        """What is learned, each tensor once: parameters and lasting buffers."""
        lasting = set(self.state_dict())
        buffers = {name: b for name, b in self.named_buffers() if name in lasting}
        return {**dict(self.named_parameters()), **buffers}

    def digest(self) -> str:
        """A mark of all that is learned: other weights have another."""
        found = blake2b(digest_size=8)
        for name, tensor in sorted(self.state().items()):
            found.update(name.encode())
            found.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes())
        return found.hexdigest()

    def share(self) -> None:
        """Let layers that share their weights hold the very same tensors."""
        for module in self.modules():
            if isinstance(module, Stack):
                module.share()

    def weights(self) -> dict[str, Tensor]:
        """The weights by their names in a trace."""
        layers = (layer for layer in self.modules() if isinstance(layer, Layer))
        return dict(chain.from_iterable(layer.tensors().items() for layer in layers))

    def check_length(self, length: int) -> None:
        """Refuse what is longer than the model's positions reach."""
        if 0 < self.config.longest < length:
            raise UsageError(
                f"The text has {length} tokens; this model reads at most {self.config.longest}. "
                "Shorten it."
            )

    def _encode(self, text: str, pair: str | None, stream: str) -> Tokens:
        side = self.tokenizer.target if stream == "target" else self.tokenizer
        tokens = side.encode(text, pair)
        self.check_length(len(tokens))
        return tokens

    def _inputs(self, read: Mapping[str, list[Tokens]]) -> Inputs:
        """The arguments of `forward` for these tokens."""
        batch = Batch.of(read["tokens"], self.device)
        return {"ids": batch.ids, "mask": batch.mask}

    def _forecast(self, inputs: Inputs, patterns: tuple[str, ...]) -> int:
        """Remembered for each shape, so that looking again costs nothing more."""
        shapes = tuple((name, x.shape) for name, x in inputs.items() if x is not None)
        key = shapes, patterns, self.training, self.dtype
        if key not in self._forecasts:
            self._forecasts[key] = forecast(self._ghost(), inputs, patterns)
        return self._forecasts[key]

    def _ghost(self) -> nn.Module:
        """A model like this one, without numbers; this one may be at work in another thread."""
        with torch.device("meta"):
            ghost = type(self)(self.config)
        return ghost.to("meta", self.dtype).train(self.training)

    def _about(self, output: Output, inputs: Inputs) -> dict[str, Any]:
        about: dict[str, Any] = {"model": self.name, "config": dict(vars(self.config))}
        about["features"] = list(self.features)
        about["dtype"] = str(output.hidden.dtype).removeprefix("torch.")
        if self._compiled_call_impl is not None and not self.training:
            with torch.no_grad():
                compiled = self(**inputs)
            about["compiled run differs by"] = apart(compiled.hidden, output.hidden)
        return about
