"""Slow, obvious versions of everything, in plain Python and float64; they know no tensor library.

A vector is a list of numbers, a matrix a list of rows. `Brute` is a whole model of one sentence,
made of loops: it reads a configuration and weights by name, and nothing else of the package.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

Vector = list[float]
Matrix = list[Vector]


def softmax(row: Vector) -> Vector:
    """A row of nothing but −∞ gives zeros."""
    largest = max(row)
    if largest == -math.inf:
        return [0.0] * len(row)
    powers = [math.exp(x - largest) for x in row]
    return [power / sum(powers) for power in powers]


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def plus(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def affine(x: Vector, weight: Matrix, bias: Vector | None = None) -> Vector:
    """The weight lies (out, in)."""
    return plus([dot(x, row) for row in weight], bias or [0.0] * len(weight))


def gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def gelu_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x: float) -> float:
    return x / (1 + math.exp(-x))


ACTIVATIONS: Mapping[str, Callable[[float], float]] = {
    "relu": lambda x: max(x, 0.0),
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
}


def layer_norm(x: Vector, gain: Vector, shift: Vector, epsilon: float) -> Vector:
    mean = sum(x) / len(x)
    variance = sum((value - mean) ** 2 for value in x) / len(x)
    scaled = [(value - mean) / math.sqrt(variance + epsilon) for value in x]
    return [value * g + s for value, g, s in zip(scaled, gain, shift, strict=True)]


def rms_norm(x: Vector, gain: Vector, epsilon: float) -> Vector:
    root = math.sqrt(sum(value**2 for value in x) / len(x) + epsilon)
    return [value / root * g for value, g in zip(x, gain, strict=True)]


def statistics(rows: Matrix) -> tuple[Vector, Vector]:
    """Mean and biased variance of each column."""
    columns = list(zip(*rows, strict=True))
    means = [sum(column) / len(column) for column in columns]
    spread = [
        sum((value - mean) ** 2 for value in column) / len(column)
        for column, mean in zip(columns, means, strict=True)
    ]
    return means, spread


def attention(q: Matrix, k: Matrix, v: Matrix, bias: Matrix, scale: float) -> Matrix:
    """One head; a bias of −∞ hides a key."""
    mixed = []
    for query, biases in zip(q, bias, strict=True):
        scores = [dot(query, key) * scale + b for key, b in zip(k, biases, strict=True)]
        mixed.append([dot(softmax(scores), [row[at] for row in v]) for at in range(len(v[0]))])
    return mixed


def rotated(x: Vector, place: int, base: float, width: int, layout: str) -> Vector:
    """Pairs of the first `width` columns, turned by place · base^(−2i/width)."""
    turned = list(x)
    for i in range(width // 2):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + width // 2)
        angle = place * base ** (-2 * i / width)
        turned[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        turned[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return turned


def wave(place: int, width: int, layout: str) -> Vector:
    """Sines and cosines, one after the other or in two halves."""
    angles = [place / 10000 ** (2 * i / width) for i in range(width // 2)]
    if layout == "half-split":
        return [math.sin(a) for a in angles] + [math.cos(a) for a in angles]
    return [f(a) for a in angles for f in (math.sin, math.cos)]


def slopes(heads: int) -> Vector:
    """ALiBi's, by its authors' recursion: a power of two, then every second of twice as many."""
    power = 2 ** int(math.log2(heads))
    start = 2 ** (-(2 ** -(math.log2(power) - 3)))
    first = [start * start**i for i in range(power)]
    return first if power == heads else first + slopes(2 * power)[0::2][: heads - power]


def bucket(ahead: int, direction: str, buckets: int, farthest: int) -> int:
    """T5's bucket for a key that stands so many places ahead of the query."""
    first, distance = 0, max(0, -ahead)
    if direction == "both":
        buckets //= 2
        first, distance = buckets * (ahead > 0), abs(ahead)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    growth = math.log(distance / exact) / math.log(farthest / exact) * (buckets - exact)
    return first + min(exact + int(growth), buckets - 1)


def batch_norm(
    x: Vector, means: Vector, variances: Vector, gain: Vector, shift: Vector, *, epsilon: float
) -> Vector:
    columns = zip(x, means, variances, gain, shift, strict=True)
    return [(v - m) / math.sqrt(s + epsilon) * g + b for v, m, s, g, b in columns]


class Brute:
    """A model as loops over positions, heads and columns; `weights` are lists by name."""

    def __init__(self, config: Any, weights: Mapping[str, Any]) -> None:
        self.config, self.weights = config, weights

    def hidden(self, ids: list[int], source: list[int] | None = None) -> Matrix:
        """The last vectors of an encoder or a decoder, or of both with a source."""
        if source is not None:
            memory = self.stack("encoder", self.embed("source", source))
            return self.stack("decoder", self.embed("target", ids), memory)
        return self.stack(self.config.shape, self.embed("entrance", ids))

    def logits(self, hidden: Matrix, words: str) -> Matrix:
        """The head's scores of all words, whose table has this name."""
        scale = math.sqrt(self.config.width) if self.config.head_scaling == "root" else 1.0
        bias = self.weights.get("heads.head.bias")
        return [affine([v / scale for v in x], self.weights[words], bias) for x in hidden]

    def embed(self, name: str, ids: list[int]) -> Matrix:
        c, at = self.config, f"{name}.embed"
        words = "source.embed" if name == "target" and c.source_words == "shared" else at
        scale = math.sqrt(c.width) if c.embedding_scaling == "root" else 1.0
        rows = []
        for place, number in enumerate(ids):
            x = [value * scale for value in self.weights[f"{words}.words.weight"][number]]
            if c.positions == "learned":
                x = plus(x, self.weights[f"{at}.positions.weight"][place + c.position_offset])
            if c.positions == "sinusoidal":
                x = plus(x, wave(place, c.width, c.wave_layout))
            if c.segments:
                x = plus(x, self.weights[f"{at}.segments.weight"][0])
            rows.append(x)
        rows = self.normed(rows, c.embedding_norm, f"{at}.norm")
        return [self.linear(f"{at}.projection", row) for row in rows]

    def normed(self, rows: Matrix, kind: str, name: str) -> Matrix:
        if kind == "none":
            return rows
        gain, shift = self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias")
        epsilon = self.config.epsilon
        if kind == "rms":
            return [rms_norm(x, gain, epsilon) for x in rows]
        if kind == "layer":
            return [layer_norm(x, gain, shift, epsilon) for x in rows]
        mean, variance = (self.weights[f"{name}.running_{what}"] for what in ("mean", "variance"))
        return [batch_norm(x, mean, variance, gain, shift, epsilon=epsilon) for x in rows]

    def stack(self, name: str, x: Matrix, memory: Matrix | None = None) -> Matrix:
        layers = (self.config.decoder_layers if memory else 0) or self.config.layers
        for number in range(layers):
            at = f"{name}.layers.{number}"
            x = self.sublayer(f"{at}.attention", x, self.self_attention)
            if memory is not None:
                x = self.sublayer(f"{at}.cross", x, lambda n, y: self.heads(n, y, memory))
            if self.config.inner:
                x = self.sublayer(f"{at}.feedforward", x, self.feedforward)
        return self.normed(x, self.config.final_norm, f"{name}.norm")

    def sublayer(self, name: str, x: Matrix, work: Callable[[str, Matrix], Matrix]) -> Matrix:
        c = self.config
        before = self.normed(x, c.norm, f"{name}.norm") if c.place == "pre" else x
        y = work(name, before)
        if c.residual == "add":
            y = [plus(a, b) for a, b in zip(x, y, strict=True)]
        return self.normed(y, c.norm, f"{name}.norm") if c.place == "post" else y

    def feedforward(self, name: str, x: Matrix) -> Matrix:
        f = ACTIVATIONS[self.config.activation]
        rows = []
        for row in x:
            hidden = self.linear(f"{name}.hidden", row)
            if self.config.gate == "gated":
                gate = self.linear(f"{name}.gate", row)
                wide = [f(g) * h for g, h in zip(gate, hidden, strict=True)]
            else:
                wide = [f(h) for h in hidden]
            rows.append(self.linear(f"{name}.output", wide))
        return rows

    def linear(self, name: str, x: Vector) -> Vector:
        """What has no weight leaves its input as it is."""
        weight = self.weights.get(f"{name}.weight")
        return x if weight is None else affine(x, weight, self.weights.get(f"{name}.bias"))

    def self_attention(self, name: str, x: Matrix) -> Matrix:
        return self.heads(name, x, x)

    def heads(self, name: str, x: Matrix, source: Matrix) -> Matrix:
        """Every head alone; what they mix is laid side by side."""
        c, stack = self.config, name.split(".")
        alone = stack[-1] == "attention"
        queries = [self.linear(f"{name}.query", row) for row in x]
        keys, values = ([self.linear(f"{name}.{n}", r) for r in source] for n in ("key", "value"))
        scale = 1 / math.sqrt(c.per_head) if c.scaling == "root" else 1.0
        merged: Matrix = [[] for _ in x]
        for head in range(c.heads):
            group = head // (c.heads // c.groups)
            q, k = self.cut(queries, head, c.per_head), self.cut(keys, group, c.per_head)
            if alone and c.positions == "rotary":
                q, k = self.turned(q), self.turned(k)
            bias = [
                [self.bias(stack[0], head, s - t) if alone else 0.0 for s in range(len(source))]
                for t in range(len(x))
            ]
            mixed = attention(q, k, self.cut(values, group, c.per_value), bias, scale)
            merged = [a + b for a, b in zip(merged, mixed, strict=True)]
        return [self.linear(f"{name}.output", row) for row in merged]

    def cut(self, rows: Matrix, head: int, width: int) -> Matrix:
        return [row[head * width : (head + 1) * width] for row in rows]

    def turned(self, rows: Matrix) -> Matrix:
        c = self.config
        width = c.rotary_width or c.per_head
        return [rotated(x, t, c.rotary_base, width, c.rotary_layout) for t, x in enumerate(rows)]

    def bias(self, stack: str, head: int, ahead: int) -> float:
        """What is added to the score of a key that stands so many places ahead."""
        c = self.config
        if stack == "decoder" and ahead > 0:
            return -math.inf
        if c.positions == "alibi":
            return -slopes(c.heads)[head] * abs(ahead)
        if c.positions == "relative":
            direction = "both" if stack == "encoder" else "back"
            table = self.weights[f"{stack}.positions.table.weight"]
            return table[bucket(ahead, direction, c.buckets, c.farthest)][head]
        return 0.0


Scored = tuple[float, tuple[int, ...]]
Next = Callable[[tuple[int, ...]], Vector]  # the log-probabilities of all next tokens


def best_answers(
    following: Next, end: int, limit: int, score: Callable[..., float]
) -> list[Scored]:
    """Every answer there is, the best first: what ends, and what reaches the limit."""
    open_ones, found = [((), 0.0)], []
    for length in range(1, limit + 1):
        longer = [
            ((*ids, token), total + value)
            for ids, total in open_ones
            for token, value in enumerate(following(ids))
        ]
        over = [each for each in longer if each[0][-1] == end or length == limit]
        open_ones = [each for each in longer if each[0][-1] != end]
        found += [(score(total, length), ids) for ids, total in over]
    return sorted(found, reverse=True)


def beam_search(
    following: Next,
    end: int,
    limit: int,
    score: Callable[..., float],
    *,
    beams: int,
    stopping: str = "exact",
) -> list[Scored]:
    """All candidates are written down and sorted; the bound tries every length that is left."""
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    done: list[Scored] = []
    for length in range(1, limit + 1):
        found = [
            ((*ids, token), total + value)
            for ids, total in live
            for token, value in enumerate(following(ids))
        ]
        found = sorted(found, key=lambda each: -each[1])[: 2 * beams]
        ending = [each for each in found[:beams] if each[0][-1] == end]
        live = [each for each in found if each[0][-1] != end][:beams]
        if length == limit:
            ending, live = ending + live, []
        done = sorted(done + [(score(t, length), ids) for ids, t in ending], reverse=True)[:beams]
        if not live:
            break
        hopes = {
            "first": [-math.inf],
            "heuristic": [score(live[0][1], length)],
            "exact": [score(live[0][1], later) for later in range(length + 1, limit + 1)],
        }
        if len(done) == beams and max(hopes[stopping]) <= done[-1][0]:
            break
    return done
