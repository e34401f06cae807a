"""A model of `transformers`, made to show what it computes, under our names."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from pellucid.checks.pairs import Pair, pairs
from pellucid.checks.sentences import Batches, has_segments, padding_id, segments
from pellucid.errors import PellucidError, UsageError
from pellucid.models.checkpoint import family_of
from pellucid.models.model import Model

Shown = tuple[str, str, Tensor]  # our name, its place there, the value
Calls = Mapping[str, list[tuple[Any, Any]]]  # what each module took and made, call by call
Attended = Mapping[nn.Module, list[dict[str, Tensor]]]

# what a run returns, and our names for it; a model has one of the names at most
RETURNED = {
    "logits": ("head.logits", "classes.logits"),
    "prediction_logits": ("head.logits",),
    "seq_relationship_logits": ("next.logits",),
    "sop_logits": ("next.logits",),
    "pooler_output": ("pooler.output",),
}
# the vectors before, between and after the layers; the last have been through the final norm
HIDDEN = {
    "encoder": {"hidden_states": ("embed", "encoder")},
    "decoder": {"hidden_states": ("embed", "decoder")},
    "encoder-decoder": {
        "encoder_hidden_states": ("source.embed", "encoder"),
        "decoder_hidden_states": ("target.embed", "decoder"),
    },
}
PREFIXES = {"tokens": "", "source": "", "target": "decoder_"}  # of their arguments


class Theirs:
    """The checkpoint that `model` came from, in `transformers`: float32, eager attention.

    `places` says where in theirs each of our names was found in the last run.
    """

    def __init__(self, folder: Path, model: Model) -> None:
        self.ours, self.model = model, load(folder, model)
        self.pairs, self.family = list(pairs(model)), family_of(model.settings)
        self.places: dict[str, str] = {}

    @torch.no_grad()
    def show(self, given: Batches) -> dict[str, Tensor]:
        """What it computes for these ids, by our names."""
        with hooked(self.model) as calls, attending() as attended:
            output = self.model(**arguments(self.ours, given), output_hidden_states=True)
        shown = [*self._made(calls), *self._attended(calls, attended), *self._returned(output)]
        self.places = {name: place for name, place, _ in shown}
        return {name: value for name, _, value in shown}

    def _made(self, calls: Calls) -> Iterator[Shown]:
        """What modules made, and what they took in."""
        for pair, home in self._homes(calls):
            taken, made = calls[home][pair.call]
            if not pair.fits(made):  # GPT-2 scores each token and takes the last one's scores
                continue
            yield self._name(pair, home), home, pair.ours(made)
            if pair.taken and taken is not None:
                yield pair.taken, f"{home} (input)", taken

    def _homes(self, calls: Calls) -> Iterator[tuple[Pair, str]]:
        """Each pair with the module that was really called."""
        for pair in self.pairs:
            names = [each for name in pair.modules for each in (name, self.family.bare(name))]
            called = [name for name in names if len(calls.get(name, ())) > pair.call]
            if called:
                yield pair, called[0]

    def _name(self, pair: Pair, home: str) -> str:
        """BART's embeddings scale the words themselves."""
        scales = getattr(self.model.get_submodule(home), "embed_scale", 1.0) != 1.0
        return f"{pair.node.place}.scaled" if scales else pair.node.name

    def _attended(self, calls: Calls, attended: Attended) -> Iterator[Shown]:
        """What happened in their attention: it is the module that holds the query."""
        for pair, home in self._homes(calls):
            if pair.node.name.endswith(".query"):
                attention = home.rpartition(".")[0]
                for name, value in attended[self.model.get_submodule(attention)][pair.call].items():
                    yield f"{pair.node.place}.{name}", f"{attention} ({name})", value

    def _returned(self, output: Any) -> Iterator[Shown]:
        """What the run returned."""
        for field, names in RETURNED.items():
            if getattr(output, field, None) is not None:
                yield from ((name, field, output[field]) for name in names)
        for field, (embed, stack) in HIDDEN[self.ours.config.shape].items():
            layers = [f"{stack}.{number}" for number in range(len(output[field]) - 2)]
            for number, name in enumerate((embed, *layers, stack)):
                yield f"{name}.output", f"{field}[{number}]", output[field][number]


def load(folder: Path, model: Model) -> Any:
    """The model of the class that config.json names."""
    transformers, family = installed(), family_of(model.settings)
    name = (model.settings.get("architectures") or [family.model])[0] or family.name
    if not hasattr(transformers, name):
        raise UsageError(f"transformers has no {name} to compare with.")
    try:
        with quiet(transformers):
            theirs = getattr(transformers, name).from_pretrained(
                folder, attn_implementation="eager", dtype=torch.float32, local_files_only=True
            )
    except Exception as error:  # whatever it finds wrong, in its own words
        raise PellucidError(f"transformers cannot load {folder}: {error}") from error
    theirs.config.pad_token_id = padding_id(model)  # what classifies by the last token needs one
    return theirs.eval()


def installed() -> ModuleType:
    """`transformers`, if it is there and lets one look into its attention."""
    try:
        transformers = import_module("transformers")
    except ImportError as error:
        raise UsageError(
            "transformers is needed to compare with it, and is not installed: "
            "pip install transformers."
        ) from error
    if not hasattr(transformers, "AttentionInterface"):
        raise UsageError(
            f"transformers {transformers.__version__} is too old; 5 or later is needed."
        )
    return transformers


@contextmanager
def quiet(transformers: ModuleType) -> Iterator[None]:
    """Within, no progress bars and no advice."""
    logging = transformers.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def arguments(model: Model, given: Batches) -> dict[str, Tensor]:
    """Their names for ids, masks and segments."""
    named = {}
    for stream, batch in given.items():
        named[f"{PREFIXES[stream]}input_ids"] = batch.ids
        if batch.mask is not None:
            named[f"{PREFIXES[stream]}attention_mask"] = batch.mask.long()
        if has_segments(model):
            named["token_type_ids"] = segments(model, batch)
    return named


@contextmanager
def hooked(model: nn.Module) -> Iterator[Calls]:
    """Within, what each module takes and makes is kept, call by call."""
    calls: dict[str, list[tuple[Any, Any]]] = defaultdict(list)

    def keep(name: str) -> Any:
        return lambda module, args, made: calls[name].append((args[0] if args else None, made))

    hooks = [module.register_forward_hook(keep(name)) for name, module in model.named_modules()]
    try:
        yield calls
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def attending() -> Iterator[Attended]:
    """Within, what goes into and comes out of eager attention is kept, call by call."""
    attended: dict[nn.Module, list[dict[str, Tensor]]] = defaultdict(list)

    def attend(module: nn.Module, q: Tensor, k: Tensor, v: Tensor, *rest: Any, **more: Any) -> Any:
        plain = sys.modules[type(module).__module__].eager_attention_forward
        mixed, weights = plain(module, q, k, v, *rest, **more)
        values = {"q": q, "k": k, "v": v, "weights": weights, "mixed": mixed.transpose(1, 2)}
        bias = more.get("position_bias")
        attended[module].append(values | ({"bias": bias} if bias is not None else {}))
        return mixed, weights

    functions = import_module("transformers.modeling_utils").ALL_ATTENTION_FUNCTIONS
    functions["eager"] = attend
    try:
        yield attended
    finally:
        del functions["eager"]
