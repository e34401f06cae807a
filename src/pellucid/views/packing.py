"""How a page stores numbers: few bytes, as text that can stand in any HTML file.

A tensor becomes whole numbers or floating-point numbers, these become planes of bytes (all first
bytes, then all second ones, since bytes of a kind resemble each other), the planes are deflated,
and what comes out is written in 85 letters. `web/packing.js` reads it.
"""

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

EXACT = 32  # bits: as they are
WORD, DIGITS = 4, 5  # so many bytes are so many letters
LETTERS = np.frombuffer(
    bytes([*range(40, 60), 125, *range(61, 125)]), np.uint8
)  # no `<` among them

# how a tensor's numbers are written as they are; those of any other kind as float32
KINDS = {
    torch.bool: ("uint8", torch.uint8),
    torch.uint8: ("uint8", torch.uint8),
    torch.int64: ("int32", torch.int32),
    torch.float64: ("float64", torch.float64),
}

Array = NDArray[Any]


@dataclass(frozen=True)
class Packed:
    """Text for a page, and how many bytes it stands for once the letters are undone."""

    text: str
    bytes: int


@dataclass(frozen=True)
class Stored:
    """A tensor's bytes, and what the page must know to read them."""

    about: dict[str, Any]
    planes: bytes


def store(tensor: Tensor, bits: int, group: int) -> Stored:
    """The sentences of a tensor [B …], as they are or each number in so many bits.

    In `bits` bits, `group` numbers in a row share a scale: number = whole × scale, wrong by half
    a scale at most.
    """
    whole = tensor.detach().cpu()
    small = not whole.is_floating_point() or whole.dtype == torch.bfloat16
    if bits >= EXACT or small or not np.isfinite(whole.numpy()).all():
        return _exact(whole)
    return _scaled(whole, bits, group)


def _exact(tensor: Tensor) -> Stored:
    kind, dtype = KINDS.get(tensor.dtype, ("float32", torch.float32))
    about = {"kind": kind, "sentences": len(tensor), "shape": list(tensor.shape[1:])}
    numbers = tensor.to(dtype).contiguous().numpy()
    if tensor.dtype == torch.bfloat16:  # the other half of float32's bytes is zeros
        return Stored(about | {"kind": "bfloat16"}, planes((numbers.view(np.uint32) >> 16), 2))
    return Stored(about, planes(numbers, numbers.itemsize))


def _scaled(tensor: Tensor, bits: int, group: int) -> Stored:
    numbers = tensor.double().numpy().reshape(-1, group)
    top = 2 ** (bits - 1) - 1
    scales = (np.abs(numbers).max(axis=1) / top).astype(np.float32)
    scales[scales == 0] = 1
    whole = np.rint(numbers / scales[:, None].astype(np.float64)).astype(np.int32)
    about = {"kind": "scaled", "sentences": len(tensor), "shape": list(tensor.shape[1:])}
    size = (bits + 7) // 8
    return Stored(about | {"group": group, "size": size}, planes(scales, 4) + planes(whole, size))


def planes(numbers: Array, size: int) -> bytes:
    """The `size` lowest bytes of each number, the lowest of all first."""
    little = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
    return little.view(np.uint8).reshape(-1, numbers.itemsize).T[:size].tobytes()


def pack(content: bytes, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> Packed:
    """Bytes as text: deflated, then in 85 letters, none of which ends or begins an element."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, strategy)
    small = squeeze.compress(content) + squeeze.flush()
    words = np.frombuffer(small + bytes(-len(small) % WORD), ">u4").astype(np.uint32)
    digits = np.empty((len(words), DIGITS), np.uint8)
    for at in reversed(range(DIGITS)):
        words, rest = np.divmod(words, np.uint32(85))
        digits[:, at] = LETTERS[rest]
    return Packed(digits.tobytes().decode("ascii"), len(small))


def pack_numbers(content: bytes) -> Packed:
    """The same for planes of numbers, in which nothing is ever said twice."""
    return pack(content, zlib.Z_HUFFMAN_ONLY)
