"""Writing a model in Hugging Face's layout, so that other tools read it."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.models.families import FAMILIES
from pellucid.models.family import Family, Settings, Shapes
from pellucid.models.hub import belongs
from pellucid.models.naming import export
from pellucid.models.precision import Precision, check, said, stored
from pellucid.models.weights import ONE
from pellucid.nn.config import Config
from pellucid.record.files import REPLACE, Existing, settle

if TYPE_CHECKING:
    from pellucid.models.model import Model

CONFIG, GENERATION = "config.json", "generation_config.json"


def save_folder(
    model: "Model",
    folder: Path,
    existing: Existing = "refuse",
    precision: Precision | None = None,
) -> Path:
    """config.json, model.safetensors and the tokenizer, written beside and then put in place."""
    check(precision)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} exists already, and is a file; give the name of a folder.")
    if folder.exists() and existing == "refuse":
        raise UsageError(f"{folder} exists already; {REPLACE}.")
    if not folder.parent.is_dir():
        raise UsageError(f"The folder {folder.parent} does not exist; make it first.")
    try:
        home = folder if folder.is_dir() else folder.parent
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=home))
    except OSError as error:
        raise PellucidError(f"{folder} could not be written: {error.strerror}.") from error
    try:
        fill(model, beside, precision)
        for file in beside.iterdir():
            settle(file)
        settle(beside, 0o777)
        put(beside, folder)
    except (OSError, SafetensorError) as error:
        raise PellucidError(f"{folder} could not be written: {error}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def put(beside: Path, folder: Path) -> None:
    """One rename where nothing stood; else file by file, and nothing of an older one stays."""
    if not folder.exists():
        beside.rename(folder)
        return
    new = {file.name for file in beside.iterdir()}
    for name in sorted(new, key=lambda name: name == CONFIG):
        (beside / name).replace(folder / name)
    for file in folder.iterdir():
        if file.name not in new and belongs(file.name):
            file.unlink()


def fill(model: "Model", folder: Path, precision: Precision | None = None) -> None:
    """Write the model's files into an empty folder."""
    family = family_for(model.config)
    try:
        ours = {name: tensor.detach() for name, tensor in model.state().items()}
        weights = export(family.table(model.config), ours)
        settings = described(model, family, weights)
    except LookupError as error:
        raise misfit(family, str(error.args[0])) from error
    text = json.dumps({**settings, **said(precision)}, indent=2, ensure_ascii=False)
    (folder / CONFIG).write_text(text + "\n", encoding="utf-8")
    if model.generation:
        text = json.dumps(model.generation, indent=2, ensure_ascii=False)
        (folder / GENERATION).write_text(text + "\n", encoding="utf-8")
    save_file(
        stored(weights, precision) if precision else weights,
        folder / ONE,
        metadata={"format": "pt"},
    )
    if model.has_tokenizer:
        model.tokenizer.save(folder)


def described(model: "Model", family: Family, weights: Mapping[str, Tensor]) -> dict[str, Any]:
    """What config.json says; it is read back at once, so that it can say nothing false."""
    settings = written(model, family)
    shapes = {family.bare(name): tuple(tensor.shape) for name, tensor in weights.items()}
    named = settings.get("architectures")
    odd: list[str] = []
    for architectures in [named] if named else [[name] for name in family.classes(shapes)] or [[]]:
        settings["architectures"] = architectures
        odd = misread(model.config, family, settings, shapes)
        if not odd:
            return settings
    raise misfit(family, odd[0])


def misread(config: Config, family: Family, settings: Settings, shapes: Shapes) -> list[str]:
    """What would be read back otherwise than it is meant."""
    try:
        return differences(config, family.config(settings, shapes))
    except UsageError as error:
        return [str(error)]


def written(model: "Model", family: Family) -> dict[str, Any]:
    """The settings it came with, and over them what it is now."""
    settings = {**family.otherwise, **model.settings, **family.write(model.config)}
    settings.pop("torch_dtype", None)  # the older name of what follows
    settings["dtype"] = str(model.dtype).removeprefix("torch.")
    if model.features:
        settings["features"] = list(model.features)
    if model.config.classes:
        named = {str(at): f"LABEL_{at}" for at in range(model.config.classes)}
        settings.setdefault("id2label", named)
    return settings


def differences(meant: Config, read: Config) -> list[str]:
    """The choices of two configurations that are not the same."""
    pairs = zip(choices(meant).items(), choices(read).values(), strict=True)
    return [f"{name} would be {b!r}, not {a!r}" for (name, a), b in pairs if a != b]


def choices(config: Config) -> dict[str, Any]:
    """All choices, and numbers for those that say "as usual"; not where they were read."""
    return {
        **{name: value for name, value in vars(config).items() if name != "family"},
        "key_heads": config.groups,
        "head_width": config.per_head,
        "value_width": config.per_value,
        "decoder_layers": config.decoder_layers or config.layers,
    }


def misfit(family: Family, reason: str) -> PellucidError:
    """Why a model cannot be written in a family's layout, and which layout takes it."""
    return PellucidError(
        f"This model is no {family.name} that others could read: {reason}. "
        "Give its configuration family='pellucid' to save it in Pellucid's own layout."
    )


def family_for(config: Config) -> Family:
    """The family a configuration names, or our own layout."""
    return FAMILIES.get(config.family) or FAMILIES[f"pellucid-{config.shape}"]
