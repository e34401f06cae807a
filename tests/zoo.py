"""Small models of every kind, with random weights and a few words, for all tests to share."""

from collections.abc import Mapping
from typing import Any

import tokenizers
import torch

from pellucid.models.checkpoint import SHAPES
from pellucid.models.heads import Output
from pellucid.models.model import Model
from pellucid.nn.config import Config
from pellucid.record.note import listening
from pellucid.record.recorder import Recorder
from pellucid.record.trace import Trace
from pellucid.text.tokenizer import Tokenizer

WORDS = "the seal slept on ice a bank of river was muddy and mouse sat by it".split()
SENTENCE = "the seal slept on the ice"
SENTENCES = [SENTENCE, "a bank", "the mouse sat by the river and slept"]
TARGETS = ["a seal sat", "the river bank was muddy", "it"]

PLAIN: dict[str, Any] = {"width": 16, "layers": 2, "heads": 4, "inner": 24, "longest": 12}
ENCODER = PLAIN | {"shape": "encoder"}
DECODER = PLAIN | {"shape": "decoder", "head": "language"}
BOTH = PLAIN | {"shape": "encoder-decoder", "head": "language"}
T5 = {"norm": "rms", "positions": "relative", "scaling": "none", "activation": "relu"}
T5 |= {"attention_bias": "none", "feedforward_bias": "none", "embedding_scaling": "root"}
LLAMA = {"norm": "rms", "positions": "rotary", "activation": "silu", "gate": "gated"}
LLAMA |= {"key_heads": 2, "attention_bias": "none", "feedforward_bias": "none", "tied": "none"}

ZOO: Mapping[str, dict[str, Any]] = {
    "encoder": ENCODER | {"embedding_norm": "layer", "segments": 2, "pooler": "first"},
    "post": ENCODER | {"place": "post", "final_norm": "none", "activation": "gelu_tanh"},
    "rms post": ENCODER | {"norm": "rms", "final_norm": "rms", "place": "post"},
    "sinusoidal": ENCODER | {"positions": "sinusoidal", "embedding_scaling": "root"},
    "relative": ENCODER | T5 | {"buckets": 8, "farthest": 10},
    "alibi": ENCODER | {"positions": "alibi", "head": "language"},
    "batch": ENCODER | {"norm": "batch", "final_norm": "batch", "place": "post"},
    "bare": ENCODER | {"positions": "none", "norm": "none", "final_norm": "none", "inner": 0},
    "albert": ENCODER
    | {"embedding_width": 8, "embedding_norm": "layer", "layer_weights": "shared"}
    | {"place": "post", "final_norm": "none", "head": "masked", "head_bias": "words"}
    | {"pooler": "first", "next_sentence": "pooled", "classes": 3},
    "tagger": ENCODER | {"classes": 5, "classify": "token", "class_hidden": "tanh"},
    "judge": ENCODER | {"classes": 2, "classify": "first", "class_hidden": "relu"},
    "no residual": ENCODER | {"residual": "none", "projections": "no-output"},
    "decoder": DECODER | {"dropout": 0.1, "attention_dropout": 0.1},
    "llama": DECODER | LLAMA,
    "interleaved": DECODER | {"positions": "rotary", "rotary_layout": "interleaved"},
    "part rotary": DECODER | {"positions": "rotary", "head_width": 6, "rotary_width": 4},
    "alibi decoder": DECODER | {"positions": "alibi", "heads": 3, "head_width": 4, "key_heads": 1},
    "relative decoder": DECODER
    | T5
    | {"place": "post", "gate": "gated", "value_width": 5, "buckets": 4, "farthest": 8},
    "last": DECODER | {"head": "none", "classes": 2, "classify": "last", "class_bias": "none"},
    "both": BOTH | {"positions": "sinusoidal", "wave_layout": "half-split", "norm": "layer"},
    "t5": BOTH | T5 | {"final_norm": "rms", "gate": "gated", "tied": "none"},
    "tied t5": BOTH | T5 | {"head_scaling": "root", "decoder_layers": 1, "buckets": 4},
    "two tongues": BOTH | {"source_words": "own", "source_vocabulary": 20, "head_bias": "words"},
    "bart": BOTH | {"place": "post", "position_offset": 2, "embedding_norm": "layer"},
    "rotary both": BOTH | LLAMA | {"tied": "embedding"},
}


def tokenizer() -> Tokenizer:
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="?")
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return Tokenizer(inner)


def build(name: str, **changes: Any) -> Model:
    """The model of this name, each of its weights random."""
    config = Config(vocabulary=len(WORDS), **ZOO[name] | changes)
    model = SHAPES[config.shape](config)
    randomise(model)
    model.tokenizer, model.name = tokenizer(), name
    return model.eval()


@torch.no_grad()
def randomise(model: torch.nn.Module, seed: int = 0) -> None:
    generator = torch.Generator().manual_seed(seed)
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if name.endswith(("norm.weight", "running_variance")):
            tensor.uniform_(0.5, 1.5, generator=generator)
        elif not name.endswith(("frequencies", "slopes")):
            tensor.normal_(0, 0.4, generator=generator)


def texts(model: Model, count: int = 3) -> list[list[str]]:
    """What the model takes: sentences, or sentences and targets."""
    return [SENTENCES[:count], TARGETS[:count]][: len(model.streams)]


def look(model: Model, **inputs: torch.Tensor) -> tuple[Output, Trace]:
    """A run on ids, and its trace: what `see` does for texts, gradients and all."""
    recorder = Recorder()
    with listening(recorder):
        output = model(**inputs)
    return output, Trace.of(recorder, {}, {"dtype": str(model.dtype).removeprefix("torch.")})
