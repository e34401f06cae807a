"""What recording everything costs: time against the plain run, and bytes held.

Pellucid's recorded run is `model.see(text)` as a person calls it: reading the text, the rough
forecast of the size, the run, the trace; its plain run reads the text too. The peers get ids. All
have the same weights, and each is compared with its own plain run.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gpt2
import torch
from report import Row, called, results, table
from side_by_side import Seconds, Spread, in_turn, overhead
from torch import Tensor
from transformers import GPT2LMHeadModel

import pellucid

TIMED = {16: 60, 128: 40, 512: 30}  # tokens, and rounds
MOST_OVERHEAD = 0.05
HELD = {128: 60, 512: 240, 1024: 480}  # tokens, and the most MB to hold
PEER = "transformer-lens"
WORD = " the"  # one token


@dataclass(frozen=True)
class Contender:
    """A library: its plain run, its recorded run, and the tensors that the record holds."""

    name: str
    plain: Callable[[Tensor], Any]
    recorded: Callable[[Tensor], Any]
    tensors: Callable[[Any], Iterable[Tensor]]


def ours(folder: Path) -> Contender:
    model = pellucid.load(folder)

    def plain(ids: Tensor) -> object:
        (text,) = model.read(WORD * ids.shape[-1])["tokens"]
        return model(torch.tensor([text.ids]))

    def see(ids: Tensor) -> pellucid.Trace:
        return model.see(WORD * ids.shape[-1])

    return Contender("pellucid", plain, see, lambda trace: trace.held.values())


def transformer_lens(folder: Path) -> Contender:
    from transformer_lens.model_bridge import TransformerBridge

    theirs = GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager")
    bridge = TransformerBridge.boot_transformers(str(folder), hf_model=theirs.eval(), device="cpu")
    return Contender(PEER, bridge, bridge.run_with_cache, lambda record: record[1].values())


def transformers(folder: Path) -> Contender:
    """It records the attention weights and the vectors between the layers, no more."""
    model = GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager").eval()

    def recorded(ids: Tensor) -> Any:
        return model(ids, output_attentions=True, output_hidden_states=True)

    return Contender(
        "transformers", model, recorded, lambda out: [*out.attentions, *out.hidden_states]
    )


def contenders(folder: Path) -> Iterator[Contender]:
    """Those that are installed."""
    yield ours(folder)
    yield transformers(folder)
    if "not installed" not in called(PEER):
        yield transformer_lens(folder)


def runs(those: Iterable[Contender], ids: Tensor) -> dict[str, Callable[[], object]]:
    return {
        f"{each.name} {kind}": partial(run, ids)
        for each in those
        for kind, run in (("plain", each.plain), ("recorded", each.recorded))
    }


def costs(taken: dict[str, Seconds], names: Iterable[str]) -> dict[str, Spread]:
    return {name: overhead(taken[f"{name} plain"], taken[f"{name} recorded"]) for name in names}


def held(tensors: Iterable[Tensor]) -> float:
    """MB, a storage that several tensors share counted once."""
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    return sum(storages.values()) / 1e6


def resident() -> float:
    """MB of memory that the process has in use, after giving back what is free (Linux only)."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(contender: Contender, ids: Tensor) -> tuple[float, float | None]:
    """MB held by a record as its tensors say, and as the process grew."""
    measurable = sys.platform == "linux"
    contender.plain(ids)
    before = resident() if measurable else 0.0
    record = contender.recorded(ids)
    grown = resident() - before if measurable else None
    return held(contender.tensors(record)), grown


def percent(spread: Spread) -> str:
    return f"{spread.middle:+.1%} ({spread.low:+.1%} to {spread.high:+.1%})"


def time_row(tokens: int, cost: dict[str, Spread]) -> Row:
    return Row(
        what=f"recording against the plain run, {tokens} tokens",
        ours=percent(cost["pellucid"]),
        target=f"≤ {MOST_OVERHEAD:+.0%}",
        reached=cost["pellucid"].middle <= MOST_OVERHEAD,
        peer=percent(cost[PEER]) if PEER in cost else "–",
    )


def memory_row(tokens: int, size: dict[str, tuple[float, float | None]]) -> Row:
    own = size["pellucid"][0]
    return Row(
        what=f"held by a full record, {tokens:,} tokens",
        ours=f"{own:.1f} MB",
        target=f"≤ {HELD[tokens]} MB",
        reached=own <= HELD[tokens],
        peer=f"{size[PEER][0]:.1f} MB" if PEER in size else "–",
    )


def milliseconds(times: dict[int, dict[str, Seconds]]) -> str:
    """Each run's median."""
    lengths = [f"{tokens} tokens, ms" for tokens in times]
    names = next(iter(times.values()))
    cells = [
        [name, *(f"{Spread.of(taken[name]).middle * 1e3:.1f}" for taken in times.values())]
        for name in names
    ]
    return table(["run", *lengths], cells)


def megabytes(sizes: dict[int, dict[str, tuple[float, float | None]]]) -> str:
    """Each record's bytes, by its tensors and by the growth of the process."""
    cells = [
        [name, f"{tokens:,}", f"{own:.1f}", f"{own * 1e3 / tokens:.1f}", grew(grown)]
        for tokens, size in sizes.items()
        for name, (own, grown) in size.items()
    ]
    return table(["record of", "tokens", "MB", "KB a token", "process grew by, MB"], cells)


def grew(grown: float | None) -> str:
    return "–" if grown is None else f"{grown:.1f}"


@torch.no_grad()
def main() -> None:
    torch.set_num_threads(2)
    with TemporaryDirectory() as folder:
        those = list(contenders(gpt2.build(Path(folder))))
    names = [each.name for each in those]
    times = {tokens: in_turn(runs(those, ids(tokens)), rounds) for tokens, rounds in TIMED.items()}
    sizes = {tokens: {each.name: memory(each, ids(tokens)) for each in those} for tokens in HELD}
    rows = [time_row(tokens, costs(taken, names)) for tokens, taken in times.items()]
    rows += [memory_row(tokens, size) for tokens, size in sizes.items()]
    print(results(rows, called(PEER)), milliseconds(times), megabytes(sizes), sep="\n\n")


def ids(tokens: int) -> Tensor:
    """As many times the one-token word."""
    return torch.full((1, tokens), 262)


if __name__ == "__main__":
    main()
