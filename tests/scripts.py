"""Programs that belong to no package, taken in as modules."""

import importlib.util
from pathlib import Path
from types import ModuleType


def taken_in(path: Path) -> ModuleType:
    """The module that a file makes."""
    spec = importlib.util.spec_from_file_location(f"guide_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
