"""Attention: each position asks every other what it has, and takes a weighted mean.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d) V          (Vaswani et al. 2017, equation 1)

The table `attention` is this formula, one named step a line. The trace, the page, the workbook
and the checks read it; the forward pass computes the same with torch's fused kernel.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from pellucid.errors import UsageError
from pellucid.formula.elements import add, mask, over_root, same
from pellucid.formula.places import merge, merge_heads, reach, split, split_heads
from pellucid.formula.positions import rotate
from pellucid.formula.rows import softmax
from pellucid.formula.sums import product, product_transposed
from pellucid.nn.blockwise import blockwise
from pellucid.nn.cache import Pair
from pellucid.nn.config import Config
from pellucid.nn.layer import Linear, step
from pellucid.nn.mask import Mask, Pattern
from pellucid.nn.positions import BIASES, Rotary
from pellucid.nn.sublayer import Context, Sublayer
from pellucid.record.note import Steps, link, note

SQUARE = "B H T S"
PROJECTIONS = {
    "learned": {"query", "key", "value", "output"},
    "no-output": {"query", "key", "value"},
    "none": set[str](),
}
BIASED = {**PROJECTIONS, "all": PROJECTIONS["learned"], "query-key-value": PROJECTIONS["no-output"]}


def attention(d: int | None, pattern: Pattern, *, biased: bool = False) -> Steps:
    """softmax(Q Kᵀ / √d) V, from q [B H T K], k [B G S K], v [B G S W] to mixed [B H T W].

    Without d the scores stay as they are. Fewer key heads G than heads H are shared by groups.
    """
    bias = {"biased": add("scaled", "bias", axes=SQUARE)} if biased else {}
    return {
        "scores": product_transposed("q", "k", axes=SQUARE),
        "scaled": over_root("scores", of=d, axes=SQUARE) if d else same("scores", axes=SQUARE),
        **bias,
        "allowed": reach("q", "real", pattern=pattern, axes="B 1 T S"),
        "masked": mask("biased" if biased else "scaled", "allowed", axes=SQUARE),
        "weights": softmax("masked", axes=SQUARE),
        "mixed": product("weights", "v", axes="B H T W"),
    }


def fused_attention(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B G S K"],
    v: Float[Tensor, "B G S W"],
    seen: Mask,
    pattern: Pattern,
    *,
    bias: Float[Tensor, "B H T S"] | None = None,
    **kernel: float,
) -> Float[Tensor, "B H T W"]:
    """The same formula by torch's kernel; which kernel never depends on whether one looks."""
    plain = bias is None and not seen.padded
    if plain and (pattern == "full" or q.shape[-2] == k.shape[-2]):
        allowed = None
    else:
        allowed = seen.allowed(q, pattern)
    if bias is not None and allowed is not None:
        # the kernel misreads a bias of less precision than q, and says nothing
        bias = bias.to(torch.promote_types(bias.dtype, q.dtype))
        allowed = bias.masked_fill(~allowed, float("-inf"))
    return functional.scaled_dot_product_attention(
        q,
        k,
        v,
        attn_mask=allowed,
        is_causal=allowed is None and pattern == "causal",
        enable_gqa=q.shape[1] != k.shape[1],
        **kernel,
    )


class Attention(Sublayer):
    """Self-attention: queries, keys and values come from the same positions."""

    source = "input"  # what keys and values are made of

    def __init__(self, config: Config, pattern: Pattern) -> None:
        super().__init__(config)
        self.pattern = pattern
        self.biased = config.positions in BIASES
        self.query = self._projection(config.width, config.heads * config.per_head, "query")
        self.key = self._projection(config.width, config.groups * config.per_head, "key")
        self.value = self._projection(config.width, config.groups * config.per_value, "value")
        self.output = self._projection(config.heads * config.per_value, config.width, "output")
        self.rotary = Rotary(config) if config.positions == "rotary" else None

    def _projection(self, width: int, out: int, name: str) -> nn.Module:
        if name not in PROJECTIONS[self.config.projections]:
            return nn.Identity()
        return Linear(width, out, bias=name in BIASED[self.config.attention_bias])

    def steps(self) -> Steps:
        c = self.config
        d = c.per_head if c.scaling == "root" else None
        merged = {"merged": merge_heads("mixed", heads=c.heads, axes="B T D")}
        return {
            **super().steps(),
            **step("query", self.query, of="input", axes="B T D"),
            **step("key", self.key, of=self.source, axes="B S D"),
            **step("value", self.value, of=self.source, axes="B S D"),
            **self._head_steps(),
            **attention(d, self.pattern, biased=self.biased),
            **({} if self._drops else merged),
            **step("output", self.output, of="merged", axes="B T D"),
        }

    def _head_steps(self) -> Steps:
        """Cut into heads; where positions are rotations, then turned."""
        heads = {"query": self.config.heads, "key": self.config.groups, "value": self.config.groups}
        axes = {"query": "B H T K", "key": "B G S K", "value": "B G S W"}
        cut = {n: split_heads(n, heads=heads[n], axes=axes[n]) for n in heads}
        if self.rotary is None:
            return {"q": cut["query"], "k": cut["key"], "v": cut["value"]}
        turn = {"layout": self.rotary.layout}
        return {
            "query_heads": cut["query"],
            "key_heads": cut["key"],
            "q": rotate("query_heads", "places", "rotary.frequencies", **turn, axes="B H T K"),
            "k": rotate("key_heads", "places", "rotary.frequencies", **turn, axes="B G S K"),
            "v": cut["value"],
        }

    def work(self, x: Float[Tensor, "B T D"], context: Context) -> Float[Tensor, "B T W"]:
        source, seen = self._look(x, context)
        query = self.query(x)
        note(self, query=query)
        q = self._turned(split(query, self.config.heads), context.mask)
        k, v = self._remembered(source, context)
        bias = context.bias if self.biased else None
        if bias is not None:
            link(self, bias=bias)
        merged = merge(self._mixed(q, k, v, seen, bias))
        if self._drops:
            note(self, merged=merged)
        output = self.output(merged)
        note(self, output=output)
        return output

    def _mixed(
        self, q: Tensor, k: Tensor, v: Tensor, seen: Mask, bias: Tensor | None
    ) -> Float[Tensor, "B H T W"]:
        kernel, slow = self._kernel(), q.dtype == torch.bfloat16 and q.device.type == "cpu"
        if not (self.training and slow) or bias is not None or self._drops:
            return fused_attention(q, k, v, seen, self.pattern, bias=bias, **kernel)
        all_seen = self.pattern == "full" and not seen.padded
        texts = slice(None if seen.padded else 1)  # one square for all
        allowed = None if all_seen else seen.allowed(q, self.pattern)[texts]
        return blockwise(q, k, v, allowed, kernel["scale"])

    def _look(self, x: Tensor, context: Context) -> tuple[Tensor, Mask]:
        """Where keys and values come from, and which of them are real."""
        link(self, real=context.mask.marks)
        return x, context.mask

    def _remembered(self, source: Tensor, context: Context) -> Pair:
        """The keys and values of the source, and of all that came before it."""
        pair = self._keys_and_values(source, context.mask)
        return context.past.extended(*pair) if context.past else pair

    def _keys_and_values(self, source: Tensor, mask: Mask) -> Pair:
        key, value = self.key(source), self.value(source)
        note(self, key=key, value=value)
        k, v = (split(x, self.config.groups) for x in (key, value))
        return self._turned(k, mask), v

    def _turned(self, x: Tensor, mask: Mask) -> Tensor:
        """Queries or keys, turned where positions are rotations."""
        if self.rotary is None:
            return x
        link(self, places=mask.positions)
        return self.rotary(x, mask.positions)

    @property
    def _drops(self) -> bool:
        """Whether the kernel drops some weights, so that what it mixes is a cause of its own."""
        return self.training and self.config.attention_dropout > 0

    def _kernel(self) -> dict[str, float]:
        rate = self.config.attention_dropout if self._drops else 0.0
        scale = 1 / math.sqrt(self.config.per_head) if self.config.scaling == "root" else 1.0
        return {"scale": scale, "dropout_p": rate}


class CrossAttention(Attention):
    """Queries from the decoder, keys and values from the encoder's output."""

    source = "memory"

    def __init__(self, config: Config) -> None:
        super().__init__(config, "full")
        self.biased, self.rotary = False, None

    def _look(self, x: Tensor, context: Context) -> tuple[Tensor, Mask]:
        if context.memory is None or context.memory_mask is None:
            raise UsageError("Cross-attention got no encoder output; give source and target.")
        link(self, real=context.memory_mask.marks, memory=context.memory)
        return context.memory, context.memory_mask

    def _remembered(self, source: Tensor, context: Context) -> Pair:
        """The encoder's output stays the same, so its keys and values are made once."""
        if context.past is None:
            return self._keys_and_values(source, context.mask)
        return context.past.once(lambda: self._keys_and_values(source, context.mask))
