"""Losses: sums over real targets, never means. Who divides them is step.py, and nobody else."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn
from torch.nn import functional

from pellucid.formula.linear import exact
from pellucid.models.heads import Output
from pellucid.nn.head import LanguageHead
from pellucid.train.agreement import disagreement
from pellucid.train.batches import Targets
from pellucid.train.entropy import cross_entropy
from pellucid.train.settings import Convention


@dataclass(frozen=True)
class Sum:
    """The loss of one term, summed over its real targets; nothing is divided.

    `total` is what is learned from; `plain` the same without label smoothing, for people. `right`
    are the classes that were told right; of words nobody counts them.
    """

    total: Float[Tensor, ""]
    plain: Float[Tensor, ""]
    count: int
    right: int = 0

    def times(self, share: float) -> "Sum":
        """The same, of which so much is learned from."""
        return self if share == 1.0 else replace(self, total=share * self.total)


@dataclass(frozen=True)
class Smoothing:
    """Label smoothing (Szegedy et al. 2015): a share of the belief goes to other words.

    torch      ε/V for each of V words, the right one too (torch, transformers)
    fairseq    ε/(V−1) for each but the right one
    annotated  ε/(V−2) for each but the right one and padding (annotated-transformer, joeynmt)

    Among classes, and where a tokenizer knows none, nothing is padding; then the last two are one.
    With `r_drop` the second half of a batch are second looks at the first (see agreement.py).
    """

    share: float = 0.0
    convention: Convention = "torch"
    padding: int | None = None  # the id that gets nothing in "annotated"
    r_drop: float = 0.0  # weight of two looks saying the same

    def beliefs(self, words: int) -> tuple[float, float, int | None]:
        """What the right word should get, what each other one, and who gets nothing."""
        if self.convention == "torch":
            return 1 - self.share + self.share / words, self.share / words, None
        nothing = self.padding if self.convention == "annotated" else None
        others = words - 1 if nothing is None else words - 2
        return 1 - self.share, self.share / others, nothing

    def among(self, classes: int) -> tuple[float, float]:
        """The same for classes, none of which is padding."""
        right, other, _ = replace(self, padding=None).beliefs(classes)
        return right, other


PLAIN = Smoothing()


def words(model: nn.Module, output: Output, targets: Targets, smoothing: Smoothing) -> Sum:
    """Cross-entropy over the vocabulary, where a word is to be said and nowhere else."""
    vectors = chosen(output.hidden, targets.counted)
    head: LanguageHead = model.heads.head  # type: ignore[union-attr,assignment]
    ready = before_words(head, vectors)
    total, plain = cross_entropy(
        ready, head.words.weight, head.bias, chosen(targets.ids, targets.counted), smoothing
    )
    return Sum(total, plain, len(vectors))


def before_words(head: LanguageHead, vectors: Float[Tensor, "N D"]) -> Float[Tensor, "N E"]:
    """Hidden vectors as they meet the words."""
    real = torch.ones(1, len(vectors), dtype=torch.bool)
    return head.before(vectors[None], real)[0]


def chosen(x: Shaped[Tensor, "B T ..."], counted: Bool[Tensor, "B T"]) -> Shaped[Tensor, "N ..."]:
    """The places that count, one behind the other."""
    return x.flatten(0, 1) if bool(counted.all()) else x[counted]


def one_of(
    logits: Float[Tensor, "B C"] | None, targets: Targets, smoothing: Smoothing = PLAIN
) -> Sum:
    """Cross-entropy over classes, one for each text."""
    assert logits is not None
    logits, ids = exact(logits)[targets.counted], targets.ids[targets.counted]
    surprise = -logits.log_softmax(-1)
    plain = surprise.gather(1, ids[:, None]).sum()
    right, other = smoothing.among(logits.shape[-1])
    total = (right - other) * plain + other * surprise.sum()
    if smoothing.r_drop:
        total = total + smoothing.r_drop * disagreement(logits.softmax(-1), logits)
    return Sum(total, plain.detach(), len(ids), int((logits.argmax(-1) == ids).sum()))


def each_of(
    logits: Float[Tensor, "B C"] | None, targets: Targets, smoothing: Smoothing = PLAIN
) -> Sum:
    """Yes or no for every class: binary cross-entropy, and every class is a target."""
    assert logits is not None
    logits = exact(logits)[targets.counted]
    wanted = targets.ids[targets.counted].to(logits)
    yes, no = smoothing.among(2)
    surprise = partial(functional.binary_cross_entropy_with_logits, logits, reduction="sum")
    total, plain = surprise(no + (yes - no) * wanted), surprise(wanted).detach()
    if smoothing.r_drop:
        total = total + smoothing.r_drop * disagreement(logits.sigmoid(), logits)
    right = (logits > 0) == (wanted > 0)
    return Sum(total, plain, targets.count, int(right.sum()))


Term = Callable[[nn.Module, Output, Targets, Smoothing], Sum]

HARD: dict[str, Term] = {
    "words": words,
    "next sentence": lambda _, output, targets, s: one_of(output.next_sentence, targets, s),
    "class": lambda _, output, targets, s: one_of(output.classes, targets, s),
    "classes": lambda _, output, targets, s: each_of(output.classes, targets, s),
}
