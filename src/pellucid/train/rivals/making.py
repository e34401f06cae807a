"""Rivals by what is said of them, as one finds it in a run's settings.toml under [rival]."""

from collections.abc import Mapping
from typing import Any

from pellucid.errors import PellucidError, UsageError
from pellucid.text.vectors import Vectorizer
from pellucid.text.words import Analyzer
from pellucid.train.classifiers import Classifier
from pellucid.train.linear import TfidfClassifier
from pellucid.train.rivals.classifier import NetworkClassifier
from pellucid.train.rivals.majority import MajorityClassifier
from pellucid.train.rivals.networks import NETWORKS, USUAL
from pellucid.train.settings import Settings

Told = Mapping[str, Any]


def rival(told: Told, settings: Settings) -> Classifier:
    """The rival of this `kind`; settings are a network's, all else is told of TF-IDF."""
    kind = told["kind"]
    if kind in NETWORKS:
        return NetworkClassifier(kind, settings)
    return tfidf(told) if kind == "tfidf" else MajorityClassifier()


def usual_of(told: Told, said: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were said, over a network's usual ones; what is not heard is refused."""
    if not told:
        return dict(said)
    heard = HEARD if told["kind"] in NETWORKS else ()
    for name in said:
        if name not in heard:
            raise UsageError(f"{told['kind']} has nothing to do with {name}; leave it out.")
    return {**(USUAL if heard else {}), **said}


def tfidf(told: Told) -> TfidfClassifier:
    """The linear classifier, as its words were told."""
    words = {name: value for name, value in told.items() if name not in ("kind", *OWN)}
    try:
        analyzer = Analyzer.from_json(words)
        vectorizer = Vectorizer(kind="tfidf-log", analyzer=analyzer, fewest=told["fewest"])
        return TfidfClassifier(vectorizer, float(told["freedom"]))
    except (TypeError, LookupError) as error:
        raise PellucidError(f"The section [rival] cannot be read ({error}).") from error


# all but what is a Transformer's own
HEARD = (
    "seed", "width", "longest", "tokenizer", "vocabulary", "held_out", "too_long", "tokens", "rows",
    "accumulate", "window", "epochs", "steps", "rate", "least", "schedule", "warmup", "decay",
    "beta1", "beta2", "clip", "smoothing", "convention", "precision", "workers", "measure", "save",
    "keep", "average", "patience",
)  # fmt: skip
OWN = ("fewest", "freedom")


def as_told(model: TfidfClassifier) -> dict[str, Any]:
    """The inverse of `tfidf`."""
    vectorizer = model.vectorizer
    assert isinstance(vectorizer.analyzer, Analyzer)
    words = vectorizer.analyzer.to_json()
    return {"kind": "tfidf", **words, "fewest": vectorizer.fewest, "freedom": model.freedom}
