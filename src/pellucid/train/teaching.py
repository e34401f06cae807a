"""What a student is taught: to believe what its teacher believes, and to look where it looks.

    T² Σ p log(p / q)     p and q are softmax(logits / T) of teacher and student

The gradient of such a sum falls with T², so T² stands before it (Hinton et al. 2015), and the
hard loss keeps its weight whatever T is. Sums over real targets, as in loss.py; nothing divides.
"""

from functools import partial
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from pellucid.formula.linear import exact, linear
from pellucid.models.heads import Output
from pellucid.nn.head import LanguageHead
from pellucid.train.batches import Targets
from pellucid.train.loss import Smoothing, Sum, Term, before_words, chosen
from pellucid.train.watching import STACKS, Pupil, Watched

ROWS = 512  # targets whose logits are held at once
TAUGHT = "taught {}".format  # the term of what a teacher believes
STATES, ATTENTION = "{} states".format, "{} attention".format


def taught_words(model: nn.Module, output: Output, targets: Targets, _: Smoothing) -> Sum:
    """The words that the teacher believes in, where a word is to be said."""
    head, t = cast(LanguageHead, cast(nn.Module, model.heads).head), temperature(model)
    vectors = before_words(head, chosen(output.hidden, targets.counted))
    ids, believed = chosen(targets.ids, targets.counted), chosen(scores(targets), targets.counted)

    def part(vectors: Tensor, ids: Tensor, believed: Tensor) -> Tensor:
        logits = linear(vectors, head.words.weight, head.bias)
        return divergence(exact(logits) / t, ids, believed)

    total = vectors.new_zeros(())
    for some in zip(*(each.split(ROWS) for each in (vectors, ids, believed)), strict=True):
        total = total + checkpoint(part, *some, use_reentrant=False)
    return soft(total, t, targets)


def divergence(
    logits: Float[Tensor, "N V"], ids: Int[Tensor, "N K"], believed: Float[Tensor, "N _"]
) -> Float[Tensor, ""]:
    """Σ p log(p / q), where `believed` is log p of the words `ids` and of all others together.

    Without ids it is log p of every word.
    """
    said = logits.log_softmax(-1)
    if ids.shape[-1]:
        said = torch.cat(grouped(said, ids), -1)
    return functional.kl_div(said, believed, reduction="sum", log_target=True)


def grouped(said: Float[Tensor, "N V"], ids: Int[Tensor, "N K"]) -> tuple[Tensor, Tensor]:
    """The log-probabilities of some words, and of all others as if they were one."""
    rest = said.scatter(-1, ids, float("-inf")).logsumexp(-1, keepdim=True)
    return said.gather(-1, ids), rest


def taught_class(logits: Tensor | None, model: nn.Module, targets: Targets) -> Sum:
    """The classes that the teacher believes in, of a text."""
    assert logits is not None
    t, at = temperature(model), targets.counted
    said = (exact(logits)[at] / t).log_softmax(-1)
    total = functional.kl_div(said, scores(targets)[at], reduction="sum", log_target=True)
    return soft(total, t, targets)


def taught_classes(logits: Tensor | None, model: nn.Module, targets: Targets) -> Sum:
    """The same where each class is a yes or no of its own."""
    assert logits is not None
    t = temperature(model)
    said, believed = exact(logits)[targets.counted] / t, scores(targets)[targets.counted]
    yes, no = (functional.logsigmoid(sign * believed) for sign in (1, -1))
    each = yes.exp() * (yes - functional.logsigmoid(said))
    each = each + no.exp() * (no - functional.logsigmoid(-said))
    return soft(each.sum(), t, targets)


def alike(stack: str, model: nn.Module, output: Output, targets: Targets, _: Smoothing) -> Sum:
    """The mean squared distance of hidden vectors, each brought to mean 0 and deviation 1.

    So it does not depend on how large a model's vectors are; where they are of another width, a
    learned matrix brings the student's to the teacher's.
    """
    states = projected(cast(Pupil, model), stack, cast(Watched, output).states[stack])
    ours, theirs = (even(x[targets.counted]) for x in (states, scores(targets)))
    total = (ours - theirs).square().mean((-2, -1)).sum()
    return Sum(total, total.new_zeros(()), targets.count)


def same_places(
    stack: str, model: nn.Module, output: Output, targets: Targets, _: Smoothing
) -> Sum:
    """How far the student looks elsewhere: Σ p log(p / q) of attention weights, a mean of heads."""
    looks, theirs = cast(Watched, output).attention[stack], scores(targets)
    if looks.shape[2] != theirs.shape[2]:  # the teacher's are a mean over its heads
        looks = looks.unflatten(2, (theirs.shape[2], -1)).mean(3)
    ours, wanted = (exact(x)[targets.counted] for x in (looks, theirs))
    apart = functional.kl_div(ours.clamp_min(1e-12).log(), wanted, reduction="none")
    total = apart.sum(-1).mean(-1).sum()
    return Sum(total, total.new_zeros(()), targets.count)


def soft(total: Tensor, t: float, targets: Targets) -> Sum:
    """With T²; of what a teacher believes nothing is plain."""
    return Sum(t * t * total, total.new_zeros(()), targets.count)


def temperature(model: nn.Module) -> float:
    """What logits are divided by."""
    return cast(Pupil, model).temperature


def scores(targets: Targets) -> Tensor:
    """What the teacher said, in float32."""
    assert targets.scores is not None
    return targets.scores.float()


def projected(pupil: Pupil, stack: str, states: Float[Tensor, "B T L D"]) -> Tensor:
    """The student's vectors in the teacher's width."""
    if stack not in pupil.projections:
        return exact(states)
    matrices = cast(nn.ModuleList, pupil.projections[stack])
    parts = [matrix(x) for matrix, x in zip(matrices, states.unbind(2), strict=True)]
    return exact(torch.stack(parts, 2))


def even(x: Tensor) -> Tensor:
    """Each vector with mean 0 and deviation 1."""
    return functional.layer_norm(x, x.shape[-1:])


SOFT: dict[str, Term] = {
    TAUGHT("words"): taught_words,
    TAUGHT("next sentence"): lambda m, output, targets, _: taught_class(
        output.next_sentence, m, targets
    ),
    TAUGHT("class"): lambda m, output, targets, _: taught_class(output.classes, m, targets),
    TAUGHT("classes"): lambda m, output, targets, _: taught_classes(output.classes, m, targets),
    **{STATES(stack): partial(alike, stack) for stack in STACKS},
    **{ATTENTION(stack): partial(same_places, stack) for stack in STACKS},
}
