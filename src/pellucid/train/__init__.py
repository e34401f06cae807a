"""Training: models that learn from examples, the runs they leave, and how good they are.

The package can be called: `model, report = pellucid.train("classify", "train.tsv")`, see
training.py.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.train.training import Trained


class Train(ModuleType):
    """A package and a function of the same name."""

    def __call__(self, *data: Any, **settings: Any) -> "Trained":
        """Train a model."""
        from pellucid.train.training import train

        return train(*data, **settings)


sys.modules[__name__].__class__ = Train
train = sys.modules[__name__]  # where `pellucid.train` is looked up
