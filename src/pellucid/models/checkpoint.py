"""A checkpoint in Hugging Face's layout: config.json, the weights, and a tokenizer."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

import torch

from pellucid.errors import PellucidError, UsageError
from pellucid.models.decoder import Decoder
from pellucid.models.encoder import Encoder
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.families import FAMILIES
from pellucid.models.family import Family, Settings, Shapes
from pellucid.models.filling import Filling
from pellucid.models.model import Model
from pellucid.models.precision import KEY, ROWS, Whole
from pellucid.models.saving import GENERATION
from pellucid.models.weights import Weights, opened
from pellucid.nn.config import Config
from pellucid.text.folder import read_object
from pellucid.text.reading import NoTokenizer, load_tokenizer

SHAPES: dict[str, type[Model]] = {
    "encoder": Encoder,
    "decoder": Decoder,
    "encoder-decoder": EncoderDecoder,
}

DEEPEST = 1000  # no model has as many layers; building a billion of them would never end


def load_folder(folder: Path, dtype: torch.dtype = torch.float32) -> Model:
    """The model in a folder, ready to use, with its tokenizer where it comes with one.

    Weights are mapped from the file, not copied, where their precision is the one asked for.
    """
    model = load_without_tokenizer(folder, dtype)
    try:
        model.tokenizer = load_tokenizer(folder)
    except NoTokenizer as reason:
        model.no_tokenizer = str(reason)
    return model


def load_without_tokenizer(folder: Path, dtype: torch.dtype = torch.float32) -> Model:
    """The same for those who have ids."""
    settings = read_settings(folder / "config.json")
    with opened(folder) as stored:
        weights = Whole(stored) if settings.get(KEY) == ROWS else stored
        model = build({n: v for n, v in settings.items() if (n, v) != (KEY, ROWS)}, weights, dtype)
    model.name = folder.resolve().name
    if (folder / GENERATION).is_file():
        model.generation = dict(read_settings(folder / GENERATION))
    return model


@contextmanager
def uncollected() -> Iterator[None]:
    """Thousands of objects that are there to stay do not set the garbage collector off.

    Right after torch was imported a full collection is due, a tenth of a second long. Freezing
    and thawing puts it off: everything counts as old, and is looked at next time.
    """
    was_on, none_frozen = gc.isenabled(), not gc.get_freeze_count()
    gc.disable()
    try:
        yield
    finally:
        if none_frozen:
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()


@uncollected()
def build(settings: Settings, weights: Weights, dtype: torch.dtype) -> Model:
    """The model that the settings describe, with these weights."""
    family = family_of(settings)
    shapes = {family.bare(name): shape for name, shape in weights.shapes.items()}
    config = choices(family, settings, shapes)
    model = hollow(config)
    Filling(model, family, weights).fill(dtype)
    model.settings = dict(settings)
    model.features = tuple(settings.get("features", ()))
    return model.eval()


def hollow(config: Config) -> Model:
    """The model without numbers: none are made up only to be replaced."""
    try:
        if max(config.layers, config.decoder_layers) > DEEPEST:
            raise RuntimeError(f"it has more than {DEEPEST} layers")
        with torch.device("meta"):
            return SHAPES[config.shape](config)
    except RuntimeError as error:
        raise PellucidError(
            f"config.json describes a model that cannot be built ({error})."
        ) from error


def read_settings(path: Path) -> Settings:
    """The settings in config.json."""
    if not path.is_file():
        raise UsageError(
            f"{path.parent} has no {path.name}; give the folder of a checkpoint in Hugging Face's "
            "layout (examples/stories.py shows how weights of another program are put into it)."
        )
    return read_object(path)


def family_of(settings: Settings) -> Family:
    """The family that config.json names."""
    name = str(settings.get("model_type", "nothing"))
    if name not in FAMILIES:
        near = get_close_matches(name, FAMILIES, n=1, cutoff=0.3)
        hint = f" The nearest is {near[0]}." if near else ""
        raise PellucidError(
            f"config.json says model_type = {name!r}; known are {', '.join(FAMILIES)}.{hint}"
        )
    sharing = (family for family in FAMILIES.values() if family.reads(settings))
    return next(sharing, FAMILIES[name])


def choices(family: Family, settings: Settings, shapes: Shapes) -> Config:
    """Our configuration, every setting checked."""
    try:
        return family.config(settings, shapes)
    except KeyError as error:
        raise PellucidError(f"config.json lacks {error.args[0]!r}, which is needed.") from None
    except TypeError as error:
        raise PellucidError(f"config.json has a setting of the wrong kind ({error}).") from error
