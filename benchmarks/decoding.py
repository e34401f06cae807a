"""How fast answers come: tokens a second beside transformers and CTranslate2, in turn.

    python benchmarks/decoding.py [--rounds 3] [--only greedy beam score translate start]

Every contender runs in a process of its own, since two libraries with their own threads in one
process slow each other down; the processes run in turn, every other round backwards. A number is
the median over the rounds, in brackets the least and the most. The model has GPT-2 small's shape
and random weights, the same for all: 64 tokens are read and 64 generated, reading included. The
first run of a process is not counted; the code that torch compiles is kept between processes.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import gpt2
import torch
from report import called, table

PROMPT, NEW, RUNS = 64, 64, 3
SENTENCES, LONG, ANSWER = 16, 14, 24  # of a translation: how many, tokens of each, of its answer
ROWS, LENGTH = 8, 512  # of scoring
PRECISIONS = ("float32", "bf16", "int8")


def timed(run: Callable[[], Any], tokens: int) -> float:
    """Tokens a second, the best of a few runs after one that is not counted."""
    run()
    taken = []
    for _ in range(RUNS):
        start = perf_counter()
        run()
        taken.append(perf_counter() - start)
    return tokens / min(taken)


def prompt() -> list[int]:
    return torch.randint(50000, (PROMPT,), generator=torch.Generator().manual_seed(1)).tolist()


def texts(count: int, length: int, vocabulary: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(2)
    return torch.randint(5, vocabulary, (count, length), generator=generator).tolist()


def ours(folder: Path, what: str, precision: str) -> float:
    """Pellucid: greedy or beam search, translation, or scoring."""
    import pellucid
    from pellucid.decode.fast import quick
    from pellucid.decode.score import followed
    from pellucid.decode.writer import writer

    model = pellucid.load(folder)
    model.settings.pop("forced_eos_token_id", None)
    model.generation = {"eos_token_id": [], "decoder_start_token_id": 0}
    if what == "score":
        fast = quick(writer(model), precision, compiled=False)  # type: ignore[arg-type]
        rows = texts(ROWS, LENGTH, 50000)
        return timed(lambda: followed(fast, rows), ROWS * LENGTH)
    chosen: dict[str, Any] = {"precision": precision, "compiled": "always"}
    if what == "translate":
        given = texts(SENTENCES, LONG, model.config.vocabulary)
        chosen |= {"beams": 4, "max_new_tokens": ANSWER, "compiled": "never"}
        return timed(lambda: model.generate(ids=given, **chosen), SENTENCES * ANSWER)
    chosen |= {"beams": 4 if what == "beam" else 1, "max_new_tokens": NEW}
    return timed(lambda: model.generate(ids=[prompt()], **chosen), NEW)


@torch.inference_mode()
def transformers(folder: Path, what: str, precision: str) -> float:
    """Its `generate`, or its forward pass."""
    from transformers import GPT2LMHeadModel, MarianMTModel

    kind = MarianMTModel if what == "translate" else GPT2LMHeadModel
    model = kind.from_pretrained(folder).eval()
    if what == "score":
        ids = torch.tensor(texts(ROWS, LENGTH, 50000))

        def score() -> None:
            logits = model(ids).logits[:, :-1]
            logits.log_softmax(-1).gather(-1, ids[:, 1:, None])

        return timed(score, ROWS * LENGTH)
    many = what == "translate"
    ids = torch.tensor(texts(SENTENCES, LONG, 58101) if many else [prompt()])
    new = ANSWER if many else NEW
    chosen: dict[str, Any] = {"max_new_tokens": new, "min_new_tokens": new, "pad_token_id": 0}
    chosen |= {"num_beams": 1 if what == "greedy" else 4, "do_sample": False}
    mask = torch.ones_like(ids)
    return timed(lambda: model.generate(ids, attention_mask=mask, **chosen), len(ids) * new)


def ctranslate2(folder: Path, what: str, precision: str) -> float:
    """Its generator, with weights converted to this precision."""
    from ctranslate2 import Generator
    from ctranslate2.converters import TransformersConverter

    made = folder.parent / f"ctranslate2-{precision}"
    if not made.is_dir():
        quantized = None if precision == "float32" else precision
        TransformersConverter(str(folder)).convert(str(made), quantization=quantized)
    generator = Generator(str(made), intra_threads=2)
    words = list(json.loads((folder / "vocab.json").read_text(encoding="utf-8")))
    if what == "score":
        rows = [[words[token] for token in row] for row in texts(ROWS, LENGTH, 50000)]
        return timed(lambda: generator.score_batch(rows), ROWS * LENGTH)
    given = [[words[token] for token in prompt()]]
    chosen: dict[str, Any] = {"max_length": NEW, "min_length": NEW, "sampling_topk": 1}
    chosen |= {"beam_size": 4 if what == "beam" else 1, "include_prompt_in_result": False}
    return timed(lambda: generator.generate_batch(given, **chosen), NEW)


def start(folder: Path, what: str, precision: str) -> float:
    """Seconds from an empty process to the first token, once the code was compiled before."""
    begun = perf_counter()
    import pellucid

    model = pellucid.load(folder)
    model.generation = {"eos_token_id": []}
    choices: dict[str, Any] = {"precision": precision, "compiled": "always", "max_new_tokens": 2}
    model.generate(ids=[prompt()], **choices)
    return perf_counter() - begun


WORKERS = {
    "pellucid": ours,
    "transformers": transformers,
    "ctranslate2": ctranslate2,
    "start": start,
}
CONTENDERS = {
    "greedy": [
        ("transformers", "float32"),
        ("ctranslate2", "float32"),
        ("ctranslate2", "int8"),
        *(("pellucid", precision) for precision in PRECISIONS),
    ],
    "translate": [("transformers", "float32"), *(("pellucid", p) for p in PRECISIONS)],
    "score": [
        ("transformers", "float32"),
        ("ctranslate2", "float32"),
        ("ctranslate2", "int8"),
        ("pellucid", "float32"),
        ("pellucid", "bf16"),
    ],
    "start": [("start", "float32"), ("start", "int8")],
}
CONTENDERS["beam"] = CONTENDERS["greedy"]
TITLES = {
    "greedy": f"one text, {PROMPT} + {NEW} tokens, tokens a second",
    "beam": "the same with 4 beams",
    "translate": f"translation, Marian-base shape, {SENTENCES} sentences, 4 beams",
    "score": f"scoring {ROWS} × {LENGTH} tokens",
    "start": "an empty process to its first two tokens, compiled before, seconds",
}


def marian(folder: Path) -> Path:
    """A checkpoint of Marian's usual shape with random weights, without a tokenizer."""
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(0)
    sizes = {"d_model": 512, "encoder_layers": 6, "decoder_layers": 6, "vocab_size": 58101}
    sizes |= {f"{side}_attention_heads": 8 for side in ("encoder", "decoder")}
    sizes |= {f"{side}_ffn_dim": 2048 for side in ("encoder", "decoder")}
    special = {"pad_token_id": 58100, "eos_token_id": 0, "decoder_start_token_id": 58100}
    config = MarianConfig(**sizes, **special, forced_eos_token_id=None, max_length=None)
    MarianMTModel(config).save_pretrained(folder)
    return folder


def measure(folder: Path, what: str, who: str, precision: str) -> float | None:
    """One process; None where the library is not there."""
    command = [sys.executable, __file__, "--worker", who, what, precision, str(folder)]
    told = os.environ | {"OMP_NUM_THREADS": "2"}
    done = subprocess.run(command, capture_output=True, text=True, env=told, check=False)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1:], file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


def compared(folder: Path, what: str, rounds: int) -> str:
    """A table: each contender's median, and how many times the first one's it is."""
    found: dict[tuple[str, str], list[float]] = {each: [] for each in CONTENDERS[what]}
    if what == "start":  # so that what is measured was compiled before
        for who, precision in found:
            measure(folder, what, who, precision)
    for number in range(rounds):
        for who, precision in list(found)[:: -1 if number % 2 else 1]:
            value = measure(folder, what, who, precision)
            if value is not None:
                found[who, precision].append(value)
    base = median(next(iter(found.values())) or [float("nan")])
    rows = [
        [
            who,
            precision,
            f"{median(v):.4g} ({min(v):.4g} to {max(v):.4g})",
            f"{median(v) / base:.2f}",
        ]
        for (who, precision), v in found.items()
        if v
    ]
    return f"**{TITLES[what]}**\n\n{table(['', 'weights', 'median', 'to the first'], rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=TITLES, default=list(TITLES))
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    torch.set_num_threads(2)
    if chosen.worker:
        who, what, precision, folder = chosen.worker
        print(WORKERS[who](Path(folder), what, precision))
        return
    with TemporaryDirectory() as home:
        decoder = gpt2.build(Path(home) / "gpt2")
        both = marian(Path(home) / "marian") if "translate" in chosen.only else decoder
        print(called("transformers"), called("ctranslate2"), called("torch"), sep=", ")
        for what in chosen.only:
            folder = both if what == "translate" else decoder
            print(f"\n{compared(folder, what, chosen.rounds)}", flush=True)


if __name__ == "__main__":
    main()
