"""A network as a classifier: its tokenizer, its classes, its loop, its files.

Networks differ in nothing else: they read the same pieces of words, in the same batches, at the
same rate, and stop by the same rule.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from pellucid.errors import PellucidError
from pellucid.record.batched import batched
from pellucid.record.files import settle
from pellucid.text.reading import load_tokenizer
from pellucid.text.training import train
from pellucid.train.checkpoint import weights
from pellucid.train.classifiers import Guess
from pellucid.train.encoding import Encoding, worded
from pellucid.train.examples import Examples, called
from pellucid.train.loop import Learning
from pellucid.train.objectives import Classes, numbered_batches
from pellucid.train.order import Size
from pellucid.train.rivals.networks import Network, network
from pellucid.train.rivals.sizes import Sizes
from pellucid.train.settings import Settings, usual
from pellucid.train.state import State

ABOUT, WEIGHTS = "model.json", "model.safetensors"
AT_ONCE = 4096  # texts that are sorted by length together
TOKENS = Size(tokens=4096)
BROKEN = (OSError, ValueError, TypeError, LookupError)
WHAT = {
    "cnn": "convolutional network",
    "lstm": "LSTM, both ways",
    "gru": "GRU, both ways",
}


class NetworkClassifier:
    """softmax(W h + b), where h is what a network of this kind makes of the text's pieces.

    After `fit`: `classes`, `tokenizer`, `network`, `state`.
    """

    state: State

    def __init__(self, kind: str = "cnn", settings: Settings | None = None) -> None:
        self.kind = kind
        self.settings = settings or usual()

    def fit(self, examples: Examples, valid: Examples | None = None) -> "NetworkClassifier":
        """Learn from examples of two classes or more, until those of `valid` gain no more."""
        learning = self.prepare(examples, valid)
        self.state = learning.run()
        self.journal = learning.journal.entries
        return self

    def prepare(
        self, given: Examples, valid: Examples | None = None, folder: Path | None = None
    ) -> Learning:
        """Everything up to the first step; where a run was begun in the folder, it goes on."""
        if folder is not None and (folder / ABOUT).is_file():
            self._take(folder)
        else:
            self.make(given)
        objective, measured = self._objective(given.texts, given.labels), None
        if valid is not None:
            measured = self._objective(valid.texts, valid.labels, called(valid, given))
        return Learning(self.network, objective, self.settings, valid=measured, folder=folder)

    def make(self, given: Examples) -> None:
        """A network to begin with, its tokenizer learned from the texts."""
        names = sorted(set(given.labels))
        if len(names) < 2:
            raise PellucidError(f"All texts have the label {names[0]!r}; two labels are needed.")
        s = self.settings
        self.classes = tuple(names)
        self.tokenizer = train(worded(given.texts), kind=s.tokenizer, size=s.vocabulary)
        pieces = self.tokenizer.inner.get_vocab_size()
        self.sizes = Sizes.usual(self.kind, pieces, len(names), s.width)
        self.network = network(self.sizes, s.seed)

    def guess(self, texts: Iterable[str]) -> Iterator[Guess]:
        """The likeliest class of each text, and its probability."""
        for some in batched(texts, AT_ONCE):
            for sure, best in zip(*self._chances(some).max(-1), strict=True):
                yield Guess(self.classes[int(best)], float(sure))

    @torch.inference_mode()
    def _chances(self, texts: Sequence[str]) -> Tensor:
        """How likely each class is, for each text, N C."""
        given = self._objective(texts)
        chances = torch.empty(len(given.rows), len(self.classes))
        for numbers, some in numbered_batches(given, TOKENS):
            chances[numbers] = self.network(**some.inputs).classes.float().softmax(-1)
        return chances

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
        """Write model.json, model.safetensors and the tokenizer, beside and then in place."""
        with tempfile.TemporaryDirectory(prefix=".", dir=folder) as beside:
            self._fill(Path(beside))
            for file in Path(beside).iterdir():
                settle(file)
                file.replace(folder / file.name)

    def _fill(self, folder: Path) -> None:
        about = {"kind": self.kind, "classes": self.classes, "sizes": asdict(self.sizes)}
        about |= {"settings": asdict(self.settings)}
        text = json.dumps(about, ensure_ascii=False, indent=1)
        (folder / ABOUT).write_text(f"{text}\n", encoding="utf-8")
        save_file(weights(self.network), folder / WEIGHTS)
        self.tokenizer.save(folder)

    @classmethod
    def load(cls, folder: Path) -> "NetworkClassifier":
        """Read them back."""
        model = cls()
        model.settings = model._take(folder)
        return model

    def _take(self, folder: Path) -> Settings:
        """All but the settings; these it returns."""
        try:
            about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            self.kind, settings = about["kind"], Settings(**about["settings"])
            self.classes = tuple(map(str, about["classes"]))
            self.sizes = Sizes.read(about["sizes"])
            self.network = filled(self.sizes, load_file(folder / WEIGHTS))
        except (*BROKEN, RuntimeError, SafetensorError) as error:
            raise PellucidError(f"{folder / ABOUT} cannot be read ({error}).") from error
        self.tokenizer = load_tokenizer(folder)
        return settings

    def _objective(
        self, texts: Sequence[str], labels: Sequence[str] | None = None, what: str = "Text"
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
