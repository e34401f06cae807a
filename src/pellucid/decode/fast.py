"""The fast path: fewer bytes a token, and products that read them as fast as memory gives them.

One token at a time, a model is as fast as its weights can be read. A library's product of a matrix
and one row reaches a third of that; a sum over each row of the matrix, compiled, reaches nearly
all, and weights of 16 or 8 bits are half or a quarter to read. So every linear layer becomes rows
whose sums are taken, and a block of layers is compiled as a whole: the same code serves all, as
the weights are its inputs. For more than a few rows at once the library's product is faster.

    float32   the weights as they are
    bf16      weights of 16 bits: half the bytes
    int8      weights of 8 bits with a scale for each row: a quarter of the bytes

What it costs on trained weights, benchmarks/precision.py measures: with SmolLM2-135M, whose
weights are of four bits already, on 4,030 tokens of a book perplexity grew by 0.1 % (bf16) and by
0.8 % (int8), and the likeliest next token was another at 3 and at 5 of 100 positions.
"""

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pellucid.decode.choices import Precision
from pellucid.decode.writer import Writer
from pellucid.formula.linear import linear
from pellucid.nn.head import LanguageHead
from pellucid.nn.sublayer import Context

FEW = 4  # rows up to which sums are faster
BLOCK = 1024  # rows of whole numbers that are made into others at a time
ROOM = 256  # a compiled cache grows in such steps, since each size is compiled anew
PER_WEIGHT = 2.3e-10  # seconds that compiling saves for each weight and token, roughly
COST = 10.0  # seconds that compiling takes when nothing is compiled yet, roughly
OPTIONS: dict[str, Any] = {
    "realize_acc_reads_threshold": 3
}  # the norm is worked out once, not for every row


class Rows(nn.Module):
    """x Wᵀ + b, the weights in few bits."""

    weight: Tensor
    scale: Tensor | None
    bias: Tensor | None

    def __init__(self, weight: Tensor, bias: Tensor | None, precision: Precision) -> None:
        super().__init__()
        held, scale = FORMS[precision](weight.detach())
        self.register_buffer("weight", held, persistent=False)
        self.register_buffer("scale", scale, persistent=False)
        self.register_buffer("bias", None if bias is None else bias.detach(), persistent=False)

    def forward(self, x: Float[Tensor, "*B I"]) -> Float[Tensor, "*B O"]:
        if torch.compiler.is_compiling() and x.numel() <= FEW * x.shape[-1]:
            return self._sums(x)
        if self.scale is None:
            return linear(x, self.weight, self.bias)
        return self._scaled(self._whole(x).to(x.dtype))

    def _sums(self, x: Tensor) -> Tensor:
        """Each row for itself; written so, a compiler reads the weights once, in order."""
        rows = [(self.weight.to(x.dtype) * row).sum(-1) for row in x.flatten(0, -2).unbind()]
        return self._scaled(torch.stack(rows).view(*x.shape[:-1], -1))

    @property
    def product(self) -> torch.dtype:
        """What products are made in, of more than a few rows."""
        return self.weight.dtype if self.scale is None else torch.bfloat16

    def _whole(self, x: Tensor) -> Tensor:
        """Whole numbers are exact in 16 bits as well, and get there a block at a time."""
        given = x.to(self.product)
        parts = [linear(given, part.to(self.product)) for part in self.weight.split(BLOCK)]
        return torch.cat(parts, -1)

    def _scaled(self, y: Tensor) -> Tensor:
        y = y if self.scale is None else y * self.scale
        return y if self.bias is None else y + self.bias


def in_bytes(weight: Float[Tensor, "O I"]) -> tuple[Tensor, Tensor]:
    """Whole numbers from −127 to 127, and for each row what one of them is worth."""
    scale = weight.float().abs().amax(-1).clamp(min=1e-12) / 127
    return (weight.float() / scale[:, None]).round().to(torch.int8), scale


FORMS: dict[Precision, Callable[[Tensor], tuple[Tensor, Tensor | None]]] = {
    "float32": lambda weight: (weight, None),
    "bf16": lambda weight: (weight.to(torch.bfloat16), None),
    "int8": in_bytes,
}


class Words(nn.Module):
    """The head for words, in few bits."""

    def __init__(self, head: LanguageHead, precision: Precision) -> None:
        super().__init__()
        self.scale = head.config.width**-0.5 if head.config.head_scaling == "root" else 1.0
        self.rows = Rows(head.words.weight, head.bias, precision)

    def forward(self, hidden: Float[Tensor, "B T D"], real: Tensor) -> Float[Tensor, "B T V"]:
        """Of more than a few rows as the products give them: in 16 bits, if those have 16."""
        x = hidden * self.scale
        y: Tensor = self.rows(x if torch.compiler.is_compiling() else x.to(self.rows.product))
        return y


class Quick(NamedTuple):
    """A model that was made fast, and what its weights were."""

    weights: tuple[Any, ...]
    model: Writer


_made: "WeakKeyDictionary[Writer, dict[tuple[Precision, bool], Quick]]" = WeakKeyDictionary()


def quick(model: Writer, precision: Precision, compiled: bool) -> Writer:
    """The model in this precision, its blocks compiled or not; remembered until weights change."""
    if precision == "float32" and not compiled:
        return model
    known = _made.setdefault(model, {})
    weights = tuple((weight.data_ptr(), weight._version) for weight in model.parameters())
    found = known.get((precision, compiled))
    if found is None or found.weights != weights:
        found = Quick(weights, _make(model, precision, compiled))
        known[precision, compiled] = found
    return found.model


def pays(model: Writer, tokens: int) -> bool:
    """Whether compiling would save more time than it takes, for so many tokens one by one."""
    return sum(weight.numel() for weight in model.parameters()) * tokens * PER_WEIGHT > COST


@torch.no_grad()
def _make(model: Writer, precision: Precision, compiled: bool) -> Writer:
    """Other modules, the same weights where the precision is the same."""
    tensors = [*model.parameters(), *model.buffers()]
    made = copy.deepcopy(model, {id(tensor): tensor for tensor in tensors})
    for parent in list(made.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, Rows(child.weight, child.bias, precision))
            elif type(child) is LanguageHead:
                setattr(parent, name, Words(child, precision))
    if compiled:
        pace = Pace()
        for part in (*made.decoder.layers, made.heads.head):
            assert part is not None
            part.forward = partial(_quickly, type(part).forward, part, pace)
    return made


@dataclass
class Pace:
    """Whether the last block ran compiled, as the head after it then does; sizes compiled so far.

    Only for new sizes the compiler's options matter.
    """

    quick: bool = False
    known: set[Any] = field(default_factory=set)


def _quickly(
    plain: Callable[..., Tensor], part: nn.Module, pace: Pace, x: Tensor, told: Any
) -> Tensor:
    """A few tokens that go on from a cache are compiled; a prompt, and what follows it, is not."""
    pair = told.past.pair if isinstance(told, Context) and told.past else None
    if isinstance(told, Context):
        pace.quick = pair is not None and x.shape[:-1].numel() <= FEW and bool(_works)
    if not pace.quick:
        return plain(part, x, told)
    sizes = plain, x.shape, pair and pair[0].shape
    if sizes in pace.known:
        return _compiled(plain)(part, x, told)
    try:
        with import_module("torch._inductor.config").patch(OPTIONS):
            y = _compiled(plain)(part, x, told)
    except Exception as error:  # a compiler can fail in more ways than one can name
        _works.clear()
        pace.quick = False
        what = str(error).strip().splitlines()[0][:120]
        warnings.warn(f"Nothing could be compiled, going on without ({what}).", stacklevel=2)
        return plain(part, x, told)
    pace.known.add(sizes)
    return y


_works: set[str] = {"compiler"}  # empty once it has failed, so that it is said once


@cache
def _compiled(plain: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """One for all blocks; a cache of another size, or more rows, makes another version."""
    # takes a second, so only where it is needed
    dynamo: Any = import_module("torch._dynamo.config")
    dynamo.recompile_limit = max(64, dynamo.recompile_limit)
    quickened: Callable[..., Tensor] = torch.compile(plain, dynamic=False)
    return quickened
