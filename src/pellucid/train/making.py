"""Models to begin with: new ones, and ones that have learned already and get another head."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from pellucid.errors import PellucidError
from pellucid.models.checkpoint import SHAPES
from pellucid.models.model import Model
from pellucid.models.naming import export
from pellucid.models.saving import described, family_for
from pellucid.nn.config import Config
from pellucid.nn.layer import Table
from pellucid.nn.stack import Stack
from pellucid.train.settings import Settings, TaskName

# what each task asks of a model
TASKS: Mapping[TaskName, Mapping[str, Any]] = {
    "classify": {"shape": "encoder"},
    "generate": {"shape": "decoder", "head": "language"},
    "translate": {"shape": "encoder-decoder", "head": "language"},
    "bert": {
        "shape": "encoder",
        "segments": 2,
        "head": "masked",
        "head_bias": "words",
        "pooler": "first",
        "next_sentence": "pooled",
    },
}
RESIDUAL = ("attention.output.weight", "cross.output.weight", "feedforward.output.weight")


def config(settings: Settings, vocabulary: int, **further: Any) -> Config:
    """The configuration of a new model for this task."""
    post = settings.place == "post"
    choices = {
        **{name: getattr(settings, name) for name in ("width", "layers", "heads", "longest")},
        **{name: getattr(settings, name) for name in ("positions", "norm", "place", "activation")},
        "dropout": settings.dropout,
        "attention_dropout": settings.attention_dropout,
        "inner": settings.inner or 4 * settings.width,
        "vocabulary": vocabulary,
        "final_norm": "none" if post else settings.norm,
        "embedding_scaling": "root" if settings.init == "xavier" else "none",
        **TASKS[settings.task],
        **further,
    }
    return Config(**choices)


def pooled(settings: Settings, classes: int) -> dict[str, Any]:
    """The choices of a head for classes."""
    by = settings.pooling
    return {"classes": classes, "classify": by, "pooler": "first" if by == "pooled" else "none"}


def new(config: Config, init: str, seed: int) -> Model:
    """A model with weights drawn by chance."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = SHAPES[config.shape](config)
        draw(model, init)
    return model


@torch.no_grad()
def draw(model: nn.Module, init: str) -> None:
    """Draw all matrices anew, by a named rule; biases are zero, norms are one.

    gpt2    normal, 0.02; what is added to the stream is scaled by 1/√(times it is added to)
            (Radford et al. 2019), so that the stream does not grow with depth
    xavier  uniform within √(6 / (in + out)) (Glorot, Bengio 2010); a table of words normal with
            1/√D, as it is scaled by √D (Vaswani et al. 2017)
    """
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Embedding)):
            RULES[init](module.weight, module)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.zero_()
    if init == "gpt2":
        for stack in (each for each in model.modules() if isinstance(each, Stack)):
            calm(stack)


def calm(stack: Stack) -> None:
    """Scale what is added to the stream by how often that happens."""
    added = [p for name, p in stack.named_parameters() if name.endswith(RESIDUAL)]
    for parameter in added:
        parameter.mul_(1 / math.sqrt(len(added)))


def normal(weight: Tensor, module: nn.Module) -> None:
    weight.normal_(0, 0.02)


def glorot(weight: Tensor, module: nn.Module) -> None:
    if isinstance(module, Table):
        weight.normal_(0, weight.shape[1] ** -0.5)
    else:
        nn.init.xavier_uniform_(weight)


RULES: dict[str, Callable[[Tensor, nn.Module], None]] = {"gpt2": normal, "xavier": glorot}


def grown(model: Model, seed: int, **changes: Any) -> Model:
    """The same model with other choices: a head that is new is drawn, one not wanted goes.

    Where the layout it came in has no place for it, it will be saved in our own.
    """
    changed = new(replace(model.config, **changes), "gpt2", seed)
    known = model.state()
    with torch.no_grad():
        for name, tensor in changed.state().items():
            if name in known and known[name].shape == tensor.shape:
                tensor.copy_(known[name])
    return dressed(changed, model, OUTDATED)


def dressed(changed: Model, model: Model, outdated: tuple[str, ...] = ()) -> Model:
    """With the name, the settings and the tokenizer of the model that it was made of.

    Where the layout that one came in has no place for it, it will be saved in our own.
    """
    changed.settings = {k: v for k, v in model.settings.items() if k not in outdated}
    changed.name = model.name
    if model.has_tokenizer:
        changed.tokenizer = model.tokenizer
    if not can_be_saved(changed):
        changed.config = replace(changed.config, family="pellucid")
        changed.settings = {k: v for k, v in changed.settings.items() if k.endswith(KEPT)}
    return changed


KEPT = ("_token_id", "id2label", "label2id", "problem_type", "label_sign")
OUTDATED = ("architectures", "id2label", "label2id", "num_labels", "problem_type")


def can_be_saved(model: Model) -> bool:
    """Whether the model's family has a place for all that it is."""
    family = family_for(model.config)
    try:
        described(model, family, export(family.table(model.config), model.state()))
    except (PellucidError, LookupError):
        return False
    return True
