"""AdamW, and which weights it treats how."""

import re
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn

from pellucid.errors import PellucidError
from pellucid.train.settings import Settings

LAYER = re.compile(r"(?:encoder|decoder)\.layers\.(\d+)\.")
MOMENTS = ("exp_avg", "exp_avg_sq", "step")


def optimizer(model: nn.Module, settings: Settings) -> torch.optim.AdamW:
    """AdamW (Loshchilov, Hutter 2019), fused; a group for each decay and each share of the rate.

    Only matrices decay (tables of embeddings are such): not norms, not biases.
    """
    freeze(model, settings.freeze)
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            decay = settings.decay if decays(parameter) else 0.0
            key = decay, share(name, depth(model), settings.layer_rate)
            groups.setdefault(key, []).append(parameter)
    return torch.optim.AdamW(
        [{"params": group, "weight_decay": d, "share": s} for (d, s), group in groups.items()],
        lr=settings.rate,
        betas=(settings.beta1, settings.beta2),
        fused=True,
    )


def decays(parameter: Tensor) -> bool:
    """Whether weight decay holds it near zero."""
    return parameter.dim() > 1


def depth(model: nn.Module) -> int:
    """How many layers lie above one another."""
    found = (LAYER.match(name) for name, _ in model.named_parameters())
    return 1 + max((int(each[1]) for each in found if each), default=0)


def height(name: str, layers: int) -> int:
    """Where a weight stands: embeddings 0, layers 1 …, heads above them."""
    if found := LAYER.match(name):
        return int(found[1]) + 1
    return 0 if name.startswith(("entrance", "source", "target")) else layers + 1


def share(name: str, layers: int, layer_rate: float) -> float:
    """A weight's share of the rate: a little less in each layer further down."""
    return layer_rate ** (layers + 1 - height(name, layers))


def freeze(model: nn.Module, lowest: int) -> None:
    """Let the embeddings and so many of the lowest layers stay as they are."""
    for name, parameter in model.named_parameters():
        if lowest and height(name, depth(model)) <= lowest:
            parameter.requires_grad_(False)
    if not any(p.requires_grad for p in model.parameters()):
        raise PellucidError(f"Freezing {lowest} layers leaves nothing to learn; freeze fewer.")


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """The learning rate of the step that follows."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group["share"]


def moments(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What the optimizer remembers, by moment and weight."""
    return {
        f"{moment}.{name}": optimizer.state[parameter][moment]
        for name, parameter in model.named_parameters()
        for moment in MOMENTS
        if parameter in optimizer.state
    }


def remember(
    model: nn.Module, optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]
) -> None:
    """Put back what `moments` gave."""
    for name, parameter in model.named_parameters():
        if f"step.{name}" in tensors:
            state = {moment: tensors[f"{moment}.{name}"].clone() for moment in MOMENTS}
            optimizer.state[parameter] = state


def parameters(model: nn.Module) -> Iterator[nn.Parameter]:
    """What is learned."""
    return (parameter for parameter in model.parameters() if parameter.requires_grad)
