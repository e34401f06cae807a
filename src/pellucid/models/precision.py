"""How exactly weights are written: float32, bf16, or int8 with one scale a row.

    row ≈ scale · integers,   scale = max |row| / 127,   so no number moves by more than scale / 2

Matrices become integers; norms and biases, which are few, stay as they are. bf16 is read by other
tools as well. int8 is a layout of our own: behind the integers of a row stand the four bytes of its
scale, and config.json says so under `quantization_config`. Other tools find matrices that are too
wide, and stop instead of reading nonsense.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import torch
from jaxtyping import Float, Int8
from torch import Tensor, nn

from pellucid.errors import PellucidError, UsageError
from pellucid.models.weights import Weights

Precision = Literal["float32", "bf16", "int8"]

FLOATS = {"float32": torch.float32, "bf16": torch.bfloat16}
LARGEST, BYTES = 127, 4  # of an integer; of a scale
KEY = "quantization_config"  # in config.json
ROWS = {"quant_method": "pellucid", "weights": "int8", "scales": "row"}


def stored(weights: Mapping[str, Tensor], precision: Precision) -> dict[str, Tensor]:
    """Tensors as they are written."""
    kind = FLOATS.get(precision, torch.float32)
    found = {name: t.to(kind) if t.is_floating_point() else t for name, t in weights.items()}
    if precision != "int8":
        return found
    return {name: packed(*rounded(t)) if t.dim() == 2 else t for name, t in found.items()}


def packed(whole: Int8[Tensor, "R C"], scale: Float[Tensor, "R"]) -> Int8[Tensor, "R _"]:
    """Rows of integers, the bytes of their scales behind them."""
    return torch.cat([whole, scale.float()[:, None].view(torch.int8)], 1)


def rounded(matrix: Float[Tensor, "R C"]) -> tuple[Int8[Tensor, "R C"], Float[Tensor, "R"]]:
    """A matrix as integers, and the scale of each of its rows."""
    scale = matrix.abs().amax(1) / LARGEST
    whole = (matrix / scale.clamp_min(torch.finfo(scale.dtype).tiny)[:, None]).round()
    return whole.clamp(-LARGEST, LARGEST).to(torch.int8), scale


def halved(model: nn.Module) -> None:
    """Let the matrices of all layers have 16 bits, and so their products; all else stays exact."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.to(torch.bfloat16)


def check(precision: Precision | None) -> None:
    """Refuse another name."""
    if precision not in (None, *get_args(Precision)):
        known = ", ".join(get_args(Precision))
        raise UsageError(f"precision is {precision!r}; the choices are {known}.")


def said(precision: Precision | None) -> dict[str, Any]:
    """What config.json says of it."""
    if precision is None:
        return {}
    kind = {"dtype": str(FLOATS.get(precision, torch.float32)).removeprefix("torch.")}
    return {**kind, KEY: ROWS} if precision == "int8" else kind


class Whole:
    """Weights whose matrices are rows of integers and a scale, read as float32."""

    def __init__(self, stored: Weights) -> None:
        self.stored = stored
        self.shapes = {name: narrower(shape) for name, shape in stored.shapes.items()}

    def read(self, name: str) -> Tensor:
        """One tensor."""
        tensor = self.stored.read(name)
        if tensor.dim() != 2:
            return tensor
        if tensor.dtype != torch.int8 or tensor.shape[1] <= BYTES:
            kind = str(tensor.dtype).removeprefix("torch.")
            raise PellucidError(
                f"{name} is {kind} {list(tensor.shape)}; expected are rows of int8, and behind "
                f"each the {BYTES} bytes of its scale."
            )
        scale = tensor[:, -BYTES:].contiguous().view(torch.float32)
        return tensor[:, :-BYTES].float() * scale


def narrower(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a matrix without the bytes of its scales."""
    return (shape[0], shape[1] - BYTES) if len(shape) == 2 else shape
