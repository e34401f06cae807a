"""The linear rival: TF-IDF and logistic regression, what a Transformer has to beat."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from pellucid.errors import PellucidError
from pellucid.record.printed import aligned
from pellucid.text.storing import load, reading, save
from pellucid.text.vectors import Vectorizer
from pellucid.text.words import USUAL_STEPS, Analyzer
from pellucid.train.classifiers import Guess
from pellucid.train.examples import Examples
from pellucid.train.settings import POSITIVE, check

FILE = "model.npz"
ITERATIONS = 1000
TERMS = 8  # shown of each class


def usual_vectorizer() -> Vectorizer:
    """Stems and pairs of stems, with 1 + ln tf.

    Chosen by cross-validation on three training sets (benchmarks/linear_defaults.py).
    """
    analyzer = Analyzer(steps=(*USUAL_STEPS, "snowball"), ngrams=(1, 2))
    return Vectorizer(kind="tfidf-log", analyzer=analyzer)


@dataclass(eq=False)
class TfidfClassifier:
    """softmax(x Wᵀ + b), where x is the text's TF-IDF vector.

    `freedom` is scikit-learn's C: the larger, the less the weights are held near zero.
    After `fit`: `classes`; `weights` W [classes, terms]; `bias` b [classes].
    """

    vectorizer: Vectorizer = field(default_factory=usual_vectorizer)
    freedom: float = 30.0

    def __post_init__(self) -> None:
        check("freedom", self.freedom, float, POSITIVE)

    def fit(self, examples: Examples, valid: Examples | None = None) -> "TfidfClassifier":
        """Learn from examples of two classes or more."""
        names = sorted(set(examples.labels))
        if len(names) < 2:
            raise PellucidError(f"All texts have the label {names[0]!r}; two labels are needed.")
        matrix = self.vectorizer.fit_transform(examples.texts)
        model = LogisticRegression(C=self.freedom, max_iter=ITERATIONS)
        model.fit(matrix, examples.labels)
        return self._know(names, for_each(model.coef_), for_each(model.intercept_))

    def _know(self, classes: Iterable[str], weights: Any, bias: Any) -> "TfidfClassifier":
        self.classes = tuple(classes)
        self.weights, self.bias = weights.astype(np.float32), bias.astype(np.float32)
        return self

    def guess(self, texts: Iterable[str]) -> Iterator[Guess]:
        """The likeliest class of each text, and its probability."""
        for rows in self.vectorizer.blocks(texts):
            for chances in softmax(rows @ self.weights.T + self.bias, axis=1):
                best = chances.argmax()
                yield Guess(self.classes[best], float(chances[best]))

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        """The likeliest class of each text."""
        return (guess.label for guess in self.guess(texts))

    def size(self) -> int:
        """Weights, biases, and the terms' idf."""
        return int(self.weights.size + self.bias.size + len(self.vectorizer.idf_))

    def facts(self) -> dict[str, str]:
        """What it is, in a few words."""
        return {
            "model": "TF-IDF and logistic regression",
            "classes": f"{len(self.classes):,}",
            "terms": f"{len(self.vectorizer.idf_):,}",
            "weights": f"{self.weights.size:,}",
        }

    def lessons(self) -> str:
        """What it has learned: the terms that speak most for each class."""
        names = self.vectorizer.names
        lines = []
        for name, weights in zip(self.classes, self.weights, strict=True):
            best = np.argsort(-weights, kind="stable")[:TERMS]
            lines.append((f"  {name}", ", ".join(f"{names[at]} {weights[at]:.1f}" for at in best)))
        return f"The terms that speak most for each class:\n{aligned(lines)}"

    def save(self, folder: Path) -> None:
        """Write model.npz and model.json."""
        words = {"classes": self.classes, "freedom": self.freedom}
        numbers = {"weights": self.weights, "bias": self.bias}
        save(folder / FILE, self.vectorizer, words, numbers, existing="refuse")

    @classmethod
    def load(cls, folder: Path) -> "TfidfClassifier":
        """Read them back."""
        vectorizer, words, numbers = load(folder / FILE)
        with reading(folder / FILE):
            weights, bias = numbers["weights"], numbers["bias"]
            if weights.shape != (len(words["classes"]), len(vectorizer.idf_)):
                raise ValueError(f"weights of shape {weights.shape}")
            return cls(vectorizer, words["freedom"])._know(words["classes"], weights, bias)


def for_each(numbers: Float[np.ndarray, "..."]) -> Float[np.ndarray, "C ..."]:
    """A row for each class; of two, scikit-learn has only how far the second is ahead."""
    return np.concatenate([-numbers, numbers]) / 2 if len(numbers) == 1 else numbers
