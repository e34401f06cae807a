"""What studies cost: a comparison, silencing every head in turn, and a corpus through `heads`.

    python benchmarks/study.py ../shared/data [--sentences 100] [--width 384] [--corpus 10000]

The peer loops over all heads with a hook that sets the head's result to zero, on the same batches
and weights (12 layers, 12 heads, GPT-2's vocabulary): once to the last vectors, once to the loss.
"""

import argparse
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import gpt2
import torch
from recording import resident
from report import Row, called, results
from torch import Tensor

import pellucid
from pellucid.models.batch import Batch
from pellucid.models.model import Model
from pellucid.nn.mask import Mask
from pellucid.study.heads import batches
from pellucid.study.silencing import importance, without_each_head

PEER = "transformer-lens"
TOKENS = 512  # in one batch
RIVER, MONEY = "He sat on the bank of the river.", "She paid it in at the bank."


def sentences(data: Path, count: int) -> list[str]:
    """Sentences of film reviews (SST-2), as they come."""
    lines = (data / "sst2" / "stsa.binary.train").read_text(encoding="utf-8").splitlines()
    texts = [line[2:].strip() for line in lines]
    return (texts * (count // len(texts) + 1))[:count]


def comparing() -> Row:
    model = pellucid.load("minilm")
    taken = []
    for _ in range(12):
        start = perf_counter()
        pellucid.compare(model, RIVER, MONEY, word="bank")
        taken.append(perf_counter() - start)
    return Row(
        "compare of two sentences on MiniLM", f"{median(taken):.3f} s", "< 1 s", median(taken) < 1
    )


def ours(model: Model, given: list[Tensor], what: str) -> float:
    start = perf_counter()
    for ids in given:
        if what == "loss":
            importance(model, ids)
        else:
            with torch.no_grad():
                for _ in without_each_head(model, ids, Mask.of(ids)):
                    pass
    return perf_counter() - start


def theirs(bridge: Any, given: list[Tensor], what: str, layers: int, heads: int) -> float:
    start = perf_counter()
    for ids in given:
        for layer in range(layers):
            for head in range(heads):
                silenced(bridge, ids, what, layer, head)
    return perf_counter() - start


@torch.no_grad()
def silenced(bridge: Any, ids: Tensor, what: str, layer: int, head: int) -> None:
    def hook(z: Tensor, hook: Any) -> Tensor:
        z[:, :, head] = 0
        return z

    kind = "loss" if what == "loss" else None
    name = f"blocks.{layer}.attn.hook_z"
    bridge.run_with_hooks(ids, return_type=kind, fwd_hooks=[(name, hook)])


def same_length(model: Model, texts: list[str]) -> list[Tensor]:
    """Batches without padding, which both sides read alike."""
    read = [model.read(text)["tokens"][0] for text in texts]
    found = []
    for length in sorted({len(tokens) for tokens in read}):
        alike = [tokens for tokens in read if len(tokens) == length and length > 1]
        found += [Batch.of(batch, model.device).ids for batch in batches(alike, TOKENS)]
    return found


def silencing(data: Path, count: int, width: int) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        path = gpt2.build(Path(folder), width)
        model = pellucid.load(path)
        bridge = peer(path)
    given = same_length(model, sentences(data, count))
    layers, heads = model.config.layers, model.config.heads
    for what in ("last vectors", "loss"):
        own = ours(model, given, what)
        other = theirs(bridge, given, what, layers, heads) if bridge else 0.0
        ratio = other / own
        yield Row(
            f"every head silenced, {count} sentences, width {width}, to the {what}",
            f"{own:.1f} s" + (f", {ratio:.1f} × faster" if bridge else ""),
            "≥ 3 × faster",
            ratio >= 3,
            f"{other:.1f} s" if bridge else "–",
        )


def peer(path: Path) -> Any:
    if "not installed" in called(PEER):
        return None
    from transformer_lens.model_bridge import TransformerBridge
    from transformers import GPT2LMHeadModel

    model = GPT2LMHeadModel.from_pretrained(path, attn_implementation="eager").eval()
    return TransformerBridge.boot_transformers(str(path), hf_model=model, device="cpu")


def corpus(data: Path, count: int) -> Row:
    """MB in use after each tenth of the corpus; the first is when all is warm."""
    model, sizes, texts = pellucid.load("minilm"), [], sentences(data, count)
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        gc.collect()
        sizes.append(resident())
        print(f"{done:,} sentences, {sizes[-1]:.0f} MB", file=sys.stderr)

    start = perf_counter()
    pellucid.heads(model, texts, done=tell)
    grown = sizes[-1] - sizes[len(sizes) // 10]
    return Row(
        f"{count:,} sentences through heads on MiniLM",
        f"{grown:+.0f} MB from a tenth of them to all, {perf_counter() - start:.0f} s",
        "does not grow",
        grown < 20,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--corpus", type=int, default=10_000)
    said = parser.parse_args()
    torch.set_num_threads(2)
    rows = [comparing(), *silencing(said.data, said.sentences, said.width)]
    rows += [corpus(said.data, said.corpus)] if said.corpus else []
    print(results(rows, called(PEER)))


if __name__ == "__main__":
    main()
