"""The algebra: the only place where arithmetic is described. It knows nothing of models."""

from pellucid.formula import elements, places, positions, rows, sums
from pellucid.formula.operation import Formula, Operation

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for module in (elements, sums, rows, places, positions)
    for operation in vars(module).values()
    if isinstance(operation, Operation)
}

__all__ = ["OPERATIONS", "Formula", "Operation"]
