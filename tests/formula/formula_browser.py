"""The cases in a browser, where `algebra.js` computes them."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from formula_cases import Case, matrices
from torch import Tensor

from pellucid.views.modules import inline

ALGEBRA = inline(Path(find_spec("pellucid.formula").origin).with_name("algebra.js"))
SCRIPT = """
([source, jobs]) => {
  const { operations, evaluate } = new Function(`${source} return module_algebra;`)();
  const each = (x, f) => (Array.isArray(x) ? x.map(f) : f(x));
  const given = (x) => ({ ...x, data: Float64Array.from(x.data) });
  const taken = (x) => ({ ...x, data: Array.from(x.data) });
  const results = jobs.map(({ formula, operands }) =>
    each(evaluate(formula, operands.map((x) => each(x, given))), taken));
  return { names: Object.keys(operations), results };
}
"""


def job(case: Case) -> dict[str, Any]:
    """A case as the page would hand it to `evaluate`."""
    operands = [as_data(matrices(*each)) for each in zip(case.operands, case.axes, strict=True)]
    name, settings = case.formula.operation.name, dict(case.formula.settings)
    return {"formula": {"operation": name, "settings": settings}, "operands": operands}


def as_data(x: Tensor | list[Tensor]) -> Any:
    if isinstance(x, list):
        return [as_data(head) for head in x]
    rows, columns = x.shape
    return {"rows": rows, "columns": columns, "data": x.double().flatten().tolist()}


def as_tensors(x: Any) -> list[Tensor]:
    """A matrix a head."""
    return [
        torch.tensor(each["data"], dtype=torch.float64).reshape(each["rows"], each["columns"])
        for each in (x if isinstance(x, list) else [x])
    ]
