"""What each part of the last vector added to one word's logit; the parts sum to the logit."""

import math

import torch
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.study.account import Account, Ledger, Linear, Part, Run, add_norm, matrix, travelled


@torch.no_grad()
def direct(run: Run, stack: str, word: int) -> Account:
    """The parts of head.logits[token, word], each one number (direct logit attribution).

    The head's own norm and, in a masked-word head, its activation are taken as the factors that
    they were in this run (nostalgebraist 2020; Elhage et al. 2021).

    What it does not show: what goes through later layers. A head that only feeds another head adds
    nothing to the logit directly.
    """
    if "head.logits" not in run.trace:
        raise UsageError("This model has no head for words, so no word has a logit.")
    ledger = travelled([run], stack)
    _before(ledger, run)
    bias = run.learned("head.bias")
    words = run.trace["head.words.weight"][word].double()
    offset = words.new_zeros(1) if bias is None else bias[word : word + 1]
    step = Linear(lambda x: (x @ words)[..., None], offset)
    ledger.through(Part("head", "bias"), [step], [_last(run)])
    return ledger.close("head.logits")


def _before(ledger: Ledger, run: Run) -> None:
    """What the head does to the vector before it meets the words."""
    if "head.dense" in run.trace:
        ledger.through(Part("head", "dense"), [matrix(run, "head.dense")], [run.row("head.hidden")])
        dense, activated = run.row("head.dense"), run.row("head.activated")
        gate = torch.where(dense == 0, 0.5, activated / dense)
        step = Linear(lambda x: gate * x, torch.zeros_like(gate))
        ledger.through(Part("head", "activation"), [step], [dense])
        add_norm(ledger, "head.norm", "head.activated")
    if "head.scaled" in run.trace:
        root = math.sqrt(run.config["width"])
        step = Linear(lambda x: x / root, torch.zeros_like(run.row("head.hidden")))
        ledger.through(Part("head", "scaled"), [step], [run.row("head.hidden")])


def _last(run: Run) -> Tensor:
    names = ("head.norm.output", "head.scaled", "head.hidden")
    return run.row(next(name for name in names if name in run.trace))
