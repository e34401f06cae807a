"""Arithmetic that treats each number alone: sums, scales and activations."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from pellucid.formula.operation import constant, elementwise, number, raised
from pellucid.formula.sheet import LOWEST, literal


def add_all(*parts: Tensor) -> Tensor:
    """The parts added from left to right, as a forward pass adds them."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


same = elementwise(
    "same",
    compute=lambda x: x,
    latex=str,
    spreadsheet=str,
    plain=number,
)

add = elementwise(
    "add",
    compute=add_all,
    latex=lambda *parts: " + ".join(parts),
    spreadsheet=lambda *parts: "+".join(map(str, parts)),
    plain=lambda *parts: " + ".join(map(number, parts)),
)

multiply = elementwise(
    "multiply",
    compute=torch.mul,
    latex=lambda x, y: rf"{x} \odot {y}",
    spreadsheet=lambda x, y: f"{x}*{y}",
    plain=lambda x, y: f"{number(x)}·{number(y)}",
)

scale = elementwise(
    "scale",
    compute=lambda x, by: x * by,
    latex=lambda x, by: rf"{constant(by)}\,{x}",
    spreadsheet=lambda x, by: f"{x}*{literal(by)}",
    plain=lambda x, by: f"{number(by)}·{number(x)}",
)

shift = elementwise(
    "shift",
    compute=lambda x, by: x + by,
    latex=lambda x, by: rf"{x} + {constant(by)}",
    spreadsheet=lambda x, by: f"{x}+{literal(by)}",
    plain=lambda x, by: f"{number(x)} + {number(by)}",
)

over_root = elementwise(
    "over_root",
    compute=lambda x, of: x / math.sqrt(of),
    latex=lambda x, of: rf"\frac{{{x}}}{{\sqrt{{{of}}}}}",
    spreadsheet=lambda x, of: f"{x}/SQRT({of})",
    plain=lambda x, of: f"{number(x)}/√{of}",
)

mask = elementwise(
    "mask",
    compute=lambda x, allowed: x.masked_fill(~allowed, float("-inf")),
    latex=lambda x, allowed: rf"{x}\ \text{{where}}\ {allowed},\ \text{{else}}\ -\infty",
    spreadsheet=lambda x, allowed: f"IF({allowed},{x},{LOWEST})",
    plain=lambda x, allowed: f"{number(x)}, allowed" if allowed else "not allowed",
)

rescale = elementwise(
    "rescale",
    compute=lambda x, gain, *shift: add_all(x * gain, *shift),
    latex=lambda x, gain, *shift: " + ".join([rf"{x} \odot {gain}", *shift]),
    spreadsheet=lambda x, gain, *shift: "+".join([f"{x}*{gain}", *map(str, shift)]),
    plain=lambda x, gain, *shift: " + ".join([f"{number(x)}·{number(gain)}", *map(number, shift)]),
)

divide = elementwise(
    "divide",
    compute=torch.div,
    latex=lambda x, y: rf"\frac{{{x}}}{{{y}}}",
    spreadsheet=lambda x, y: f"{x}/{y}",
    plain=lambda x, y: f"{number(x)}/{number(y)}",
)

normalise = elementwise(
    "normalise",
    compute=lambda x, mean, deviation: (x - mean) / deviation,
    latex=lambda x, mean, deviation: rf"\frac{{{x} - {mean}}}{{{deviation}}}",
    spreadsheet=lambda x, mean, deviation: f"({x}-{mean})/{deviation}",
    plain=lambda x, mean, deviation: f"({number(x)} − {number(mean)})/{number(deviation)}",
)

# the deviation that goes with a stored variance (batch norm, once trained)
root = elementwise(
    "root",
    compute=lambda x, epsilon: (x + epsilon).sqrt(),
    latex=lambda x, epsilon: rf"\sqrt{{{x} + {constant(epsilon)}}}",
    spreadsheet=lambda x, epsilon: f"SQRT({x}+{literal(epsilon)})",
    plain=lambda x, epsilon: f"√({number(x)} + {epsilon:g})",
)

relu = elementwise(
    "relu",
    compute=torch.relu,
    latex=lambda x: rf"\max(0, {x})",
    spreadsheet=lambda x: f"IF({x}>0,{x},0)",
    plain=lambda x: f"max(0, {number(x)})",
)

# x Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016)
gelu = elementwise(
    "gelu",
    compute=functional.gelu,
    latex=lambda x: rf"{x}\,\Phi({x})",
    spreadsheet=lambda x: f"{x}*NORMSDIST({x})",
    plain=lambda x: f"{number(x)}·Φ({number(x)})",
)

# the approximation that GPT-2 was trained with (same paper)
gelu_tanh = elementwise(
    "gelu_tanh",
    compute=lambda x: functional.gelu(x, approximate="tanh"),
    latex=lambda x: (
        rf"\tfrac12 {x}\,(1 + \tanh(\sqrt{{2/\pi}}\,({x} + 0.044715\,{raised(x, '3')})))"
    ),
    spreadsheet=lambda x: f"0.5*{x}*(1+TANH(SQRT(2/PI())*({x}+0.044715*{x}^3)))",
    plain=lambda x: f"½·{number(x)}·(1 + tanh(√(2/π)·({number(x)} + 0.044715·{number(x)}³)))",
)

# x σ(x) (Elfwing et al. 2017), also called swish; the cells never take e to a high power
silu = elementwise(
    "silu",
    compute=functional.silu,
    latex=lambda x: rf"{x}\,\sigma({x})",
    spreadsheet=lambda x: f"{x}*EXP(IF({x}<0,{x},0))/(1+EXP(-ABS({x})))",
    plain=lambda x: f"{number(x)}/(1 + e^({number(-x)}))",
)

tanh = elementwise(
    "tanh",
    compute=torch.tanh,
    latex=lambda x: rf"\tanh({x})",
    spreadsheet=lambda x: f"TANH({x})",
    plain=lambda x: f"tanh({number(x)})",
)
