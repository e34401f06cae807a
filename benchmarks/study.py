"""What studies cost: a comparison, silencing every head in turn, and a corpus through `heads`.

    python benchmarks/study.py ../shared/data [--sentences 100] [--width 384] [--corpus 10000]

The peer loops over all heads with a hook that sets the head's result to zero, on the same batches
(20 real sentences of 12 tokens each) and weights (12 layers, 12 heads, GPT-2's vocabulary). Both
read each batch in turn, every other batch the other way round: the ratio is that of the two, the
median over the batches. Once to the loss; and on fewer sentences to the last vectors alone, where
the peer makes the logits all the same.
"""

import argparse
import gc
import sys
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import gpt2
import torch
from recording import resident
from report import Row, called, results
from side_by_side import Spread
from torch import Tensor

import pellucid
from pellucid.models.model import Model
from pellucid.study.silencing import importance, without_each_head

PEER = "transformer-lens"
LENGTH = 12  # tokens of each sentence that heads are silenced on
TOGETHER = 20  # such sentences
POOL = 5_000  # they are taken from
LAYERS = HEADS = 12
ROUNDS = 12  # of a comparison
RIVER, MONEY = "He sat on the bank of the river.", "She paid it in at the bank."


def sentences(data: Path, count: int) -> list[str]:
    """Sentences of film reviews (SST-2), as they come."""
    lines = (data / "sst2" / "stsa.binary.train").read_text(encoding="utf-8").splitlines()
    texts = [line[2:].strip() for line in lines]
    return (texts * (count // len(texts) + 1))[:count]


def comparing() -> Row:
    model = pellucid.load("minilm")
    taken = []
    for _ in range(ROUNDS):
        start = perf_counter()
        pellucid.compare(model, RIVER, MONEY, word="bank")
        taken.append(perf_counter() - start)
    spread = Spread.of(taken)
    shown = f"{spread.middle:.3f} s [{spread.low:.3f}, {spread.high:.3f}]"
    return Row("compare of two sentences on MiniLM", shown, "< 1 s", spread.middle < 1)


def ours(model: Model, ids: Tensor, what: str) -> float:
    start = perf_counter()
    if what == "loss":
        importance(model, ids=ids)
    else:
        for _ in without_each_head(model, ids=ids):
            pass
    return perf_counter() - start


def theirs(bridge: Any, ids: Tensor, what: str) -> float:
    start = perf_counter()
    for layer, head in product(range(LAYERS), range(HEADS)):
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


def same_length(model: Model, data: Path, count: int) -> list[Tensor]:
    """Batches of real sentences, without padding, which both sides read alike."""
    read = ([*model.read(text)["tokens"][0].ids] for text in sentences(data, POOL))
    alike = list(islice((ids for ids in read if len(ids) == LENGTH), count))
    return [torch.tensor(alike[at : at + TOGETHER]) for at in range(0, len(alike), TOGETHER)]


def silencing(data: Path, count: int, width: int) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        path = gpt2.build(Path(folder), width)
        model = pellucid.load(path)
        bridge = peer(path)
    batches = same_length(model, data, count)
    for what, given in (("loss", batches), ("last vectors", batches[:2])):
        ours(model, given[0], what)  # once to warm up
        own, other = in_rounds(model, bridge, given, what)
        number = sum(map(len, given))
        title = f"every head silenced, {number} sentences, width {width}, to the {what}"
        if not bridge:
            yield Row(title, f"{sum(own):.1f} s", "≥ 3 × faster", reached=False)
            continue
        ratios = [b / a for a, b in zip(own, other, strict=True)]
        shown = f"{sum(own):.1f} s, {median(ratios):.1f} × faster"
        if len(ratios) > 1:
            shown += f" [{min(ratios):.1f} to {max(ratios):.1f}]"
        yield Row(title, shown, "≥ 3 × faster", median(ratios) >= 3, f"{sum(other):.1f} s")


def in_rounds(
    model: Model, bridge: Any, given: list[Tensor], what: str
) -> tuple[list[float], list[float]]:
    """The seconds of each batch, ours and theirs."""
    own, other = [], []
    for number, ids in enumerate(given):
        if bridge and number % 2:
            other.append(theirs(bridge, ids, what))
        own.append(ours(model, ids, what))
        if bridge and not number % 2:
            other.append(theirs(bridge, ids, what))
        print(f"{what}: {number + 1} of {len(given)} batches", file=sys.stderr)
    return own, other


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
