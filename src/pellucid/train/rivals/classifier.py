"""A network as a classifier: its tokenizer, its classes, its loop, its files.

Networks differ in nothing else: they read the same pieces of words, in the same batches, at the
same rate, and stop by the same rule.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from pellucid.errors import PellucidError
from pellucid.text.reading import load_tokenizer
from pellucid.text.training import train
from pellucid.train.checkpoint import weights
from pellucid.train.classifiers import Guess
from pellucid.train.encoding import Encoding
from pellucid.train.examples import Examples
from pellucid.train.loop import Learning
from pellucid.train.objectives import Classes, numbered_batches
from pellucid.train.order import Size
from pellucid.train.rivals.networks import Network, network
from pellucid.train.rivals.sizes import Sizes
from pellucid.train.settings import Settings, usual

ABOUT, WEIGHTS = "model.json", "model.safetensors"
AT_ONCE = Size(tokens=4096)
BROKEN = (OSError, ValueError, TypeError, LookupError)
WHAT = {
    "cnn": "convolutional network",
    "lstm": "LSTM, both ways",
    "gru": "GRU, both ways",
}


class NetworkClassifier:
    """softmax(W h + b), where h is what a network of this kind makes of the text's pieces.

    After `fit`: `classes`, `tokenizer`, `network`.
    """

    def __init__(self, kind: str = "cnn", settings: Settings | None = None) -> None:
        self.kind = kind
        self.settings = settings or usual()

    def fit(self, examples: Examples, valid: Examples | None = None) -> "NetworkClassifier":
        """Learn from examples of two classes or more, until those of `valid` gain no more."""
        names = sorted(set(examples.labels))
        if len(names) < 2:
            raise PellucidError(f"All texts have the label {names[0]!r}; two labels are needed.")
        s = self.settings
        self.classes = tuple(names)
        self.tokenizer = train(examples.texts, kind=s.tokenizer, size=s.vocabulary)
        pieces = self.tokenizer.inner.get_vocab_size()
        self.sizes = Sizes.usual(self.kind, pieces, len(names), s.width)
        self.network = network(self.sizes, s.seed)
        objective, measured = self._objective(examples.texts, examples.labels), None
        if valid is not None:
            measured = self._objective(valid.texts, valid.labels, "Validation text")
        learning = Learning(self.network, objective, s, valid=measured)
        learning.run()
        self.journal = learning.journal.entries
        return self

    def guess(self, texts: Iterable[str]) -> Iterator[Guess]:
        """The likeliest class of each text, and its probability."""
        given = self._objective([*texts])
        chances = torch.empty(len(given.rows), len(self.classes))
        for numbers, some in numbered_batches(given, AT_ONCE):
            with torch.inference_mode():
                chances[numbers] = self.network(**some.inputs).classes.float().softmax(-1)
        for sure, best in zip(*chances.max(-1), strict=True):
            yield Guess(self.classes[int(best)], float(sure))

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        """The likeliest class of each text."""
        return (guess.label for guess in self.guess(texts))

    def size(self) -> int:
        """All weights."""
        return sum(tensor.numel() for tensor in weights(self.network).values())

    def facts(self) -> dict[str, str]:
        """What it is, in a few words."""
        return {
            "model": WHAT[self.kind],
            "classes": f"{len(self.classes):,}",
            "pieces": f"{self.tokenizer.inner.get_vocab_size():,}",
            "weights": f"{self.size():,}",
        }

    def lessons(self) -> str:
        """What a network has learned cannot be told in words."""
        return ""

    def save(self, folder: Path) -> None:
        """Write model.json, model.safetensors and the tokenizer."""
        about = {"kind": self.kind, "classes": self.classes, "sizes": asdict(self.sizes)}
        about |= {"settings": asdict(self.settings)}
        text = json.dumps(about, ensure_ascii=False, indent=1)
        (folder / ABOUT).write_text(f"{text}\n", encoding="utf-8")
        save_file(weights(self.network), folder / WEIGHTS)
        self.tokenizer.save(folder)

    @classmethod
    def load(cls, folder: Path) -> "NetworkClassifier":
        """Read them back."""
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            model = cls(about["kind"], Settings(**about["settings"]))
            model.classes = tuple(map(str, about["classes"]))
            model.sizes = Sizes.read(about["sizes"])
            model.network = filled(model.sizes, load_file(folder / WEIGHTS))
        except (*BROKEN, RuntimeError, SafetensorError) as error:
            raise PellucidError(f"{folder / ABOUT} cannot be read ({error}).") from error
        model.tokenizer = load_tokenizer(folder)
        return model

    def _objective(
        self, texts: list[str], labels: list[str] | None = None, what: str = "Text"
    ) -> Classes:
        """The pieces of each text, and the number of its class where that is known."""
        numbers = {name: number for number, name in enumerate(self.classes)}
        if unseen := sorted(set(labels or []) - set(numbers)):
            raise PellucidError(
                f"There is no example of {unseen[0]!r} to learn from, but one to measure on; "
                "give some, or leave it out."
            )
        s = self.settings
        rows, _ = Encoding(self.tokenizer, s.longest, s.too_long, what).rows(texts)
        known = np.array([numbers[label] for label in labels or [self.classes[0]] * len(texts)])
        return Classes(rows, known)


def filled(sizes: Sizes, tensors: dict[str, Tensor]) -> Network:
    """A network with these weights; sizes that the file only claims to have are never made."""
    with torch.device("meta"):
        empty = network(sizes, seed=0)
    expected = {name: tensor.shape for name, tensor in weights(empty).items()}
    if expected != {name: tensor.shape for name, tensor in tensors.items()}:
        raise ValueError(f"{WEIGHTS} has weights of other shapes")
    empty.load_state_dict(tensors, assign=True)
    return empty.eval()
