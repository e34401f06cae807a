"""The Transformer as a classifier: of texts or pairs of texts, into one class or several."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from tokenizers import AddedToken
from torch import Tensor

from pellucid.errors import PellucidError, UsageError
from pellucid.models.checkpoint import load_folder
from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.load import load
from pellucid.models.model import Model
from pellucid.record.batched import batched
from pellucid.text.recipe import frame
from pellucid.train.body import look
from pellucid.train.classifiers import Guess
from pellucid.train.encoding import hider, specials, worded
from pellucid.train.examples import Examples, Pair, called
from pellucid.train.kept import number_of
from pellucid.train.learner import Learner
from pellucid.train.loop import Learning
from pellucid.train.making import grown, pooled
from pellucid.train.objectives import Classes, Hiding, Objective, numbered_batches
from pellucid.train.order import Size
from pellucid.train.settings import Settings
from pellucid.train.several import split
from pellucid.train.student import check_pieces

SIGN = "label_sign"  # in config.json: what stands between the labels of a text
AT_ONCE = 4096  # texts that are sorted by length together
TOKENS = Size(tokens=4096)


class TransformerClassifier(Learner):
    """softmax(W mean(h) + b), where h are the last vectors of an encoder.

    With a `sign`, a label is several names with the sign between them, and each class has a
    probability of its own; those above a half are told.
    """

    task = "classify"
    classes: tuple[str, ...]

    def __init__(self, settings: Settings | None = None, sign: str = "") -> None:
        super().__init__(settings)
        self.sign = sign

    def fit(self, examples: Examples, valid: Examples | None = None) -> "TransformerClassifier":
        """Learn from examples of two classes or more; `valid` tells when to stop."""
        self.learn(examples, valid)
        return self

    def prepare(self, given: Any, valid: Any = None, folder: Path | None = None) -> Learning:
        """Everything up to the first step."""
        teacher = cast(TransformerClassifier | None, self.teacher)
        if teacher and teacher.sign != self.sign:
            signs = f"{teacher.sign!r} and {self.sign!r}"
            raise UsageError(f"Between labels stand {signs}, of teacher and student; say the same.")
        self.classes = teacher.classes if teacher else named(given.labels, self.sign)
        self.check(given, "Text")
        if valid is not None:
            self.check(valid, called(valid, given))
        return super().prepare(given, valid, folder)

    def check(self, given: Examples, what: str) -> None:
        """Whether there are classes to tell apart, and the examples are of no others."""
        if len(self.classes) < 2:
            same = f"the label {self.classes[0]!r}" if self.classes else "no label"
            raise PellucidError(f"All texts have {same}; two labels are needed.")
        for at, label in enumerate(given.labels):
            for name in set(split(label, self.sign)) - set(self.classes):
                which = "the teacher does not know" if self.teacher else "no text to learn from has"
                raise PellucidError(
                    f"{what} {number_of(given.texts, at):,} has the label {name!r}, which {which}; "
                    f"known are {', '.join(self.classes[:9])}."
                )

    def texts(self, given: Examples) -> Iterator[str]:
        return plain(given.texts)

    def asked(self, given: Examples, objective: Objective) -> Objective:
        """The same texts in the teacher's own pieces, and none of its words hidden."""
        assert self.teacher is not None
        s = self.settings
        if (s.match_states or s.match_attention) and s.pieces != "seen":
            check_pieces(self.model, self.teacher.model)
        return self.teacher.objective(given, "Text")

    def make(self, given: Examples) -> Model:
        model = self._tuned() if self.settings.start else self._new(given)
        model.settings["id2label"] = {str(at): name for at, name in enumerate(self.classes)}
        model.settings["label2id"] = {name: at for at, name in enumerate(self.classes)}
        model.settings |= {"problem_type": KINDS[bool(self.sign)]}
        if self.sign:
            model.settings[SIGN] = self.sign
        return model

    def _new(self, given: Examples) -> Model:
        segments = 2 if isinstance(given.texts[0], Pair) else 0
        wanted = pooled(self.settings, len(self.classes))
        model = self.scratch(plain(given.texts), segments=segments, **wanted)
        tokenizer = model.tokenizer
        special = {k: AddedToken(v, special=True) for k, v in tokenizer.special.items()}
        frame(tokenizer.inner, special, "$A eos", "$A eos $B:1 eos:1")
        return model

    def _tuned(self) -> Model:
        s, found = self.settings, load(self.settings.start)
        if found.config.classes and known_classes(found) != self.classes:
            found = grown(found, s.seed, classes=0)
        changes = {
            "head": "none",
            "head_bias": "none",
            "next_sentence": "none",
            "segments": found.config.segments,
        }
        changes |= {"dropout": s.dropout, "attention_dropout": s.attention_dropout}
        changes |= pooled(s, len(self.classes))
        return grown(found, s.seed, **changes)

    def objective(self, given: Examples, what: str) -> Classes:
        rows, firsts = self.encoding(what).rows(given.texts)
        told = self.model.config.segments and isinstance(given.texts[0], Pair)
        return Classes(rows, self.numbers(given.labels), firsts if told else None, self.stream)

    def sets(self, given: Examples, valid: Examples | None) -> tuple[Objective, Objective | None]:
        """While it learns, some words may be hidden."""
        objective, measured = super().sets(given, valid)
        if not self.settings.hidden:
            return objective, measured
        tokenizer = self.model.tokenizer
        hiding = Hiding(self.settings.hidden, hider(tokenizer), specials(tokenizer))
        return replace(cast(Classes, objective), hiding=hiding), measured

    @property
    def stream(self) -> str:
        """The model's input for texts."""
        return "source_ids" if isinstance(self.model, EncoderDecoder) else "ids"

    def numbers(self, labels: Sequence[str]) -> Int[np.ndarray, "N ..."]:
        """Labels as numbers; where there may be several, as a row of zeros and ones."""
        places = {name: at for at, name in enumerate(self.classes)}
        if not self.sign:
            return np.array([places[label] for label in labels])
        rows = np.zeros((len(labels), len(places)), np.int64)
        for at, label in enumerate(labels):
            rows[at, [places[name] for name in split(label, self.sign)]] = 1
        return rows

    def guess(self, texts: Iterable[str]) -> Iterator[Guess]:
        """The likeliest class of each text, and its probability."""
        for some in batched(texts, AT_ONCE):
            for chances in self.probabilities(some):
                yield self._told(chances)

    def predict(self, texts: Iterable[str]) -> Iterator[str]:
        """The likeliest class alone."""
        return (guess.label for guess in self.guess(texts))

    def _told(self, chances: Float[np.ndarray, "C"]) -> Guess:
        if not self.sign:
            best = int(chances.argmax())
            return Guess(self.classes[best], float(chances[best]))
        names = [name for name, p in zip(self.classes, chances, strict=True) if p > 0.5]
        sure = np.maximum(chances, 1 - chances).prod()
        return Guess(self.sign.join(names), float(sure))

    @torch.inference_mode()
    def probabilities(self, texts: Sequence[str]) -> Float[np.ndarray, "N C"]:
        """How likely each class is, for each text."""
        objective = self.objective(Examples(list(texts), [self.classes[0]] * len(texts)), "Text")
        found = np.zeros((len(texts), len(self.classes)), np.float32)
        for numbers, some in numbered_batches(objective, TOKENS):
            found[numbers] = self.chances(look(self.model, some.inputs).classes)
        return found

    def chances(self, logits: Tensor | None) -> Float[np.ndarray, "B C"]:
        """Probabilities: of one of the classes, or of each alone."""
        assert logits is not None
        return (logits.sigmoid() if self.sign else logits.softmax(-1)).float().numpy()

    def facts(self) -> dict[str, str]:
        """What it is, in a few words."""
        return {**super().facts(), "classes": f"{len(self.classes):,}"}

    @classmethod
    def load(cls, folder: Path) -> "TransformerClassifier":
        """Read it back."""
        return cls.of(load_folder(folder))

    @classmethod
    def of(cls, model: Model) -> "TransformerClassifier":
        """One that has this model."""
        check_told(model)
        found = cast(TransformerClassifier, super().of(model))
        found.sign = sign_of(model)
        found.classes = known_classes(model)
        return found


def known_classes(model: Model) -> tuple[str, ...]:
    """The names of a model's classes, in the order of its logits."""
    names: dict[str, Any] = model.settings.get("id2label", {})
    return tuple(names.get(str(at), f"LABEL_{at}") for at in range(model.config.classes))


KINDS = {False: "single_label_classification", True: "multi_label_classification"}
MEASURES = "regression"


def sign_of(model: Model) -> str:
    """What stands between the labels of a text; a comma, where a model of others has several."""
    several = model.settings.get("problem_type") == KINDS[True]
    return str(model.settings.get(SIGN, ",")) if several else ""


def check_told(model: Model) -> None:
    """Whether a model tells classes, and tells them of a text."""
    c, found = model.config, ""
    if not c.classes:
        found = "tells no classes"
    elif c.classify == "token":
        found = "tells a class of each token, and none of a text"
    elif c.classes == 1 or model.settings.get("problem_type") == MEASURES:
        found = "measures a text, and tells no classes"
    if found:
        raise UsageError(f"{model.name} {found}; give a model that does.")


def plain(texts: Sequence[str]) -> Iterator[str]:
    """Texts to learn pieces from."""
    return map(str, worded(texts))


def named(labels: Sequence[str], sign: str) -> tuple[str, ...]:
    """All classes, in the order of their names."""
    return tuple(sorted({name for label in labels for name in split(label, sign)}))
