"""A checkpoint in Hugging Face's layout: config.json, and weights that are all accounted for."""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.models.decoder import Decoder
from pellucid.models.encoder import Encoder
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.families import FAMILIES
from pellucid.models.family import Family, Settings
from pellucid.models.model import Model
from pellucid.models.naming import numbered, to_ours
from pellucid.nn.config import Config
from pellucid.text.tokenizer import load_tokenizer

SHAPES: dict[str, type[Model]] = {
    "encoder": Encoder,
    "decoder": Decoder,
    "encoder-decoder": EncoderDecoder,
}
WEIGHTS = "model.safetensors"
Reader = Callable[[str], Tensor]


def load_folder(folder: Path, dtype: torch.dtype = torch.float32) -> Model:
    """The model in a folder: config.json, model.safetensors and its tokenizer.

    Weights are mapped from the file, not copied, where their precision is the one asked for.
    """
    settings = read_settings(folder / "config.json")
    family = family_of(settings)
    with opened(folder / WEIGHTS) as file:
        theirs = {bare(name, family): name for name in file.keys()}  # noqa: SIM118
        config = choices(family, settings, frozenset(theirs))
        with torch.device("meta"):
            model = SHAPES[config.shape](config)
        filling = Filling(model, family, theirs)
        model.load_state_dict(filling.read(file.get_tensor, dtype), assign=True, strict=False)
    model.tokenizer = load_tokenizer(folder)
    model.name = folder.name
    return model.eval()


def read_settings(path: Path) -> Settings:
    """The settings in config.json."""
    if not path.is_file():
        raise UsageError(f"{path.parent} has no {path.name}; give the folder of a checkpoint.")
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise PellucidError(f"{path} is not valid JSON ({error}).") from error
    if not isinstance(settings, dict):
        raise PellucidError(f"{path} holds no settings; expected a JSON object.")
    return settings


def family_of(settings: Settings) -> Family:
    """The family that config.json names."""
    name = str(settings.get("model_type", "nothing"))
    if name not in FAMILIES:
        near = get_close_matches(name, FAMILIES, n=1, cutoff=0.3)
        hint = f" The nearest is {near[0]}." if near else ""
        raise PellucidError(
            f"config.json says model_type = {name!r}; known are {', '.join(FAMILIES)}.{hint}"
        )
    return FAMILIES[name]


def choices(family: Family, settings: Settings, names: frozenset[str]) -> Config:
    """Our configuration, every setting checked."""
    try:
        return family.config(settings, names)
    except KeyError as error:
        raise PellucidError(
            f"config.json lacks {error.args[0]!r}, which {family.name} needs."
        ) from None
    except TypeError as error:
        raise PellucidError(f"config.json has a setting of the wrong kind ({error}).") from error


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A safetensors file, mapped into memory."""
    if not path.is_file():
        raise UsageError(f"{path.parent} has no {path.name}; give a folder that has the weights.")
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except SafetensorError as error:
        raise PellucidError(f"{path} is broken or no safetensors file ({error}).") from error


def bare(name: str, family: Family) -> str:
    """A tensor's name without the prefix that whole models put before it."""
    for prefix in filter(None, family.prefixes):
        name = name.removeprefix(prefix)
    return name


class Filling:
    """Which of their tensors goes where; what is missing, left over or misshapen is named."""

    def __init__(self, model: Model, family: Family, theirs: Mapping[str, str]) -> None:
        self.family, self.theirs, self.model = family, theirs, model
        self.expected = {name: tensor.shape for name, tensor in model.named_parameters()}

    def read(self, tensor: Reader, dtype: torch.dtype) -> dict[str, Tensor]:
        """Our state, read tensor by tensor."""
        state: dict[str, Tensor] = {}
        used = set()
        for rule in self.family.rules:
            for one in numbered(rule, self.model.config.layers):
                for kind in (".weight", ".bias"):
                    if (name := one.theirs + kind) in self.theirs:
                        used.add(name)
                        parts = to_ours(one, tensor(self.theirs[name]).to(dtype))
                        state |= {ours + kind: part for ours, part in parts.items()}
        self._check(state, used)
        return state

    def _check(self, state: Mapping[str, Tensor], used: set[str]) -> None:
        if missing := [name for name in self.expected if name not in state]:
            raise PellucidError(f"The weights lack {listed(missing)}.")
        wrong = [
            f"{name} {list(tensor.shape)}, not {list(self.expected[name])}"
            for name, tensor in state.items()
            if name not in self.expected or tensor.shape != self.expected[name]
        ]
        if wrong:
            raise PellucidError(f"The weights contradict config.json: {listed(wrong)}.")
        over = [
            name
            for name in self.theirs
            if name not in used and not name.endswith(self.family.ignored)
        ]
        if over:
            warnings.warn(f"Weights that are not used: {listed(over)}.", stacklevel=2)


def listed(names: list[str]) -> str:
    """A few of the names, and how many more."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
