"""What a training step is made of, in Pellucid and in its peers, for two shapes of model."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import cycle, islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pellucid.nn.config import Config
from pellucid.train.batches import Answer, Batch, Example, together
from pellucid.train.loss import Smoothing
from pellucid.train.making import new
from pellucid.train.order import Order, Place, Size
from pellucid.train.ranks import Ranks
from pellucid.train.step import gradients

SMALL = "SMALL" in os.environ  # a moment's work, to try the script
WORDS, PAD = (500 if SMALL else 8000), 0
GPT = {"words": 256, "width": 384, "layers": 6, "heads": 6, "length": 256, "rows": 32}
GPT |= {"width": 48, "layers": 1, "length": 16, "rows": 2} if SMALL else {}
PAIRS, TOKENS, WINDOW = (60, 100, 30) if SMALL else (29000, 4500, 4096)
Step = Callable[[], object]


@dataclass(frozen=True)
class Contender:
    """One library in one precision: what makes its step, given batches."""

    name: str
    precision: str
    order: str
    make: Callable[["Contender"], Step]

    def autocast(self) -> Any:
        """bfloat16 products, or nothing."""
        low = self.precision == "bfloat16"
        return torch.autocast("cpu", torch.bfloat16) if low else nullcontext()

    def around(self, number: int) -> Any:
        """The same for each of several micro-batches."""
        return self.autocast()

    @property
    def installed(self) -> bool:
        """Whether it is here."""
        return find_spec(self.name.partition(".")[0].replace("-", "_")) is not None

    def __str__(self) -> str:
        return f"{self.name}, {self.precision}, {self.order}"


def stepping(model: nn.Module, backward: Callable[[], object], fused: bool = True) -> Step:
    """A whole step: gradients, AdamW, and gradients let go."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=fused)

    def step() -> None:
        backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


# the small GPT


def gpt_ids() -> Tensor:
    return torch.randint(0, GPT["words"], (GPT["rows"], GPT["length"]))


def gpt_ours(contender: Contender) -> Step:
    config = Config(
        shape="decoder",
        head="language",
        vocabulary=GPT["words"],
        width=GPT["width"],
        layers=GPT["layers"],
        heads=GPT["heads"],
        inner=4 * GPT["width"],
        longest=GPT["length"],
    )
    model = new(config, "gpt2", 0).train()
    ids = gpt_ids().numpy()
    examples = [
        Example({"ids": row[:-1]}, {"words": Answer(row[1:], np.ones(len(row) - 1, bool))})
        for row in ids
    ]
    batch = together(examples)

    def backward() -> object:
        return gradients(model, [batch], Smoothing(), Ranks(), contender.around)

    return stepping(model, backward)


def gpt_transformers(contender: Contender) -> Step:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"n_embd": GPT["width"], "n_layer": GPT["layers"], "n_head": GPT["heads"]}
    off = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(vocab_size=GPT["words"], n_positions=GPT["length"], **sizes, **off)
    model = GPT2LMHeadModel(config).train()
    ids = gpt_ids()

    def backward() -> None:
        with contender.autocast():
            loss = model(ids, labels=ids).loss
        loss.backward()

    return stepping(model, backward, fused=contender.precision == "bfloat16")


def gpt_x(contender: Contender) -> Step:
    from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

    layers = Decoder(dim=GPT["width"], depth=GPT["layers"], heads=GPT["heads"], attn_flash=True)
    inner = TransformerWrapper(
        num_tokens=GPT["words"], max_seq_len=GPT["length"], attn_layers=layers
    )
    model, ids = AutoregressiveWrapper(inner).train(), gpt_ids()

    def backward() -> None:
        with contender.autocast():
            loss = model(ids)
        loss.backward()

    return stepping(model, backward)


# the translation model


def pairs() -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Ids drawn by chance, as long as Multi30k's sentences in words."""
    random = np.random.default_rng(0)
    lengths = np.clip(random.normal(13, 4.2, PAIRS), 4, 40).astype(int)
    targets = np.clip(lengths + random.normal(0, 2.2, PAIRS), 4, 45).astype(int)
    draw = partial(random.integers, 4, WORDS)
    return [draw(n) for n in lengths], [draw(n) for n in targets]


def batches(order: str) -> list[Batch]:
    """Four batches of about 4096 real target tokens."""
    sources, targets = pairs()
    lengths = np.array([[len(a), len(b)] for a, b in zip(sources, targets, strict=True)])
    if order == "file order":
        cut = np.array_split(np.arange(min(4 * 310, PAIRS)), 4)
    else:
        places = Order(lengths=lengths, size=Size(tokens=TOKENS), window=WINDOW, seed=0)
        cut = [numbers for *_, numbers in islice(places.after(Place()), 4)]
    return [together([example(sources[n], targets[n]) for n in numbers]) for numbers in cut]


def example(source: np.ndarray, target: np.ndarray) -> Example:
    given = np.concatenate([[PAD], target[:-1]])
    answer = Answer(target, np.ones(len(target), bool))
    return Example({"source_ids": source, "target_ids": given}, {"words": answer})


def each(given: list[Batch], backward: Callable[[Batch], object]) -> Callable[[], object]:
    """The batches one after the other, one a step."""
    turn = cycle(given)
    return lambda: backward(next(turn))


def mt_ours(contender: Contender) -> Step:
    config = Config(
        shape="encoder-decoder",
        head="language",
        vocabulary=WORDS,
        width=256,
        layers=3,
        heads=4,
        inner=1024,
        positions="sinusoidal",
        embedding_scaling="root",
    )
    model = new(config, "xavier", 0).train()

    def backward(batch: Batch) -> object:
        return gradients(model, [batch], Smoothing(), Ranks(), contender.around)

    return stepping(model, each(batches(contender.order), backward))


def mt_transformers(contender: Contender) -> Step:
    from transformers import MarianConfig, MarianMTModel

    sizes = {
        f"{side}_{name}": n
        for side in ("encoder", "decoder")
        for name, n in (("layers", 3), ("attention_heads", 4), ("ffn_dim", 1024))
    }
    config = MarianConfig(
        vocab_size=WORDS, d_model=256, dropout=0.0, pad_token_id=PAD,
        decoder_start_token_id=PAD, max_position_embeddings=64, **sizes,
    )  # fmt: skip
    model = MarianMTModel(config).train()

    def backward(batch: Batch) -> None:
        given, targets = batch.inputs, batch.targets["words"]
        labels = targets.ids.masked_fill(~targets.counted, -100)
        with contender.autocast():
            loss = model(
                input_ids=given["source_ids"],
                attention_mask=mask(given["source_ids"], given["source_mask"]).long(),
                decoder_input_ids=given["target_ids"],
                labels=labels,
            ).loss
        loss.backward()

    fused = contender.precision == "bfloat16"
    return stepping(model, each(batches(contender.order), backward), fused)


class Torch(nn.Module):
    """torch.nn.Transformer with one table for both sides and the words."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, 256), nn.Embedding(64, 256)
        self.body = nn.Transformer(256, 4, 3, 3, 1024, dropout=0.0, batch_first=True)

    def forward(self, source: Tensor, target: Tensor, padding: Tensor) -> Tensor:
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        hidden = self.body(
            self.embed(source),
            self.embed(target),
            tgt_mask=causal,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return nn.functional.linear(hidden, self.words.weight)

    def embed(self, ids: Tensor) -> Tensor:
        return self.words(ids) * 16 + self.places(torch.arange(ids.shape[1]))


def mt_torch(contender: Contender) -> Step:
    model = Torch().train()

    def backward(batch: Batch) -> None:
        given, targets = batch.inputs, batch.targets["words"]
        labels = targets.ids.masked_fill(~targets.counted, -100)
        padding = ~mask(given["source_ids"], given["source_mask"])
        with contender.autocast():
            logits = model(given["source_ids"], given["target_ids"], padding)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        loss.backward()

    return stepping(model, each(batches(contender.order), backward))


def mask(ids: Tensor, real: Tensor | None) -> Tensor:
    return torch.ones_like(ids, dtype=torch.bool) if real is None else real


PLAIN = "as they come"
SHAPES = {
    "small GPT": (
        Contender("transformers", "float32", PLAIN, gpt_transformers),
        Contender("pellucid", "bfloat16", PLAIN, gpt_ours),
        Contender("transformers", "bfloat16", PLAIN, gpt_transformers),
        Contender("x-transformers", "bfloat16", PLAIN, gpt_x),
    ),
    "translation": (
        Contender("transformers", "float32", "file order", mt_transformers),
        Contender("pellucid", "bfloat16", "buckets", mt_ours),
        Contender("transformers", "bfloat16", "buckets", mt_transformers),
        Contender("torch.nn.Transformer", "bfloat16", "buckets", mt_torch),
    ),
}
SHAPES = {shape: [c for c in those if c.installed] for shape, those in SHAPES.items()}
