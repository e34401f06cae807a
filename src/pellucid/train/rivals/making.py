"""Rivals by what is said of them, as one finds it in a run's settings.toml under [rival]."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pellucid.errors import PellucidError, UsageError
from pellucid.text.vectors import Vectorizer
from pellucid.text.words import Analyzer
from pellucid.train.classifiers import Classifier
from pellucid.train.heard import check_deaf, check_heard, unusual
from pellucid.train.job import OURS, Job
from pellucid.train.linear import TfidfClassifier
from pellucid.train.rivals.classifier import NetworkClassifier
from pellucid.train.rivals.majority import MajorityClassifier
from pellucid.train.rivals.networks import NETWORKS, USUAL
from pellucid.train.settings import Settings, TaskName, instead, usual

Told = Mapping[str, Any]
NONE: Told = {}


def rival(told: Told, settings: Settings) -> Classifier:
    """The rival of this `kind`; settings are a network's, all else is told of TF-IDF."""
    kind = told["kind"]
    if kind in NETWORKS:
        return NetworkClassifier(kind, settings)
    return tfidf(told) if kind == "tfidf" else MajorityClassifier()


def usual_of(task: TaskName, said: Mapping[str, Any], told: Told = NONE) -> Settings:
    """Settings as usual for who learns, but for what is said; what is not heard is refused."""
    kind = told.get("kind", OURS)
    now = usual(**{**own(kind), **said, "task": task})
    check_heard(said, usual(**own(kind), task=task), now, kind)
    return now


def own(kind: str) -> Told:
    """What is usual for one kind alone."""
    return USUAL if kind in NETWORKS else NONE


def checked(job: Job) -> Job:
    """The same job, if who learns has to do with all that is not as usual.

    What waits for something else may stand there: a run that was changed keeps what it had before.
    """
    s = job.settings
    check_deaf(unusual(s), usual(**own(job.kind), task=s.task), s, job.kind)
    return job


def changed(job: Job, said: Mapping[str, Any]) -> Job:
    """The same job with other settings; what is not heard is refused."""
    now = usual(**{**vars(job.settings), **instead(said), **said})
    check_heard(said, job.settings, now, job.kind)
    return replace(job, settings=now)


def check_measured(now: Settings, plain: Settings) -> None:
    """Refuse what waits for measurements, where there is nothing to measure on."""
    for name, nothing in (("patience", 0), ("keep", "last")):
        value = getattr(now, name)
        if value not in (nothing, getattr(plain, name)):
            raise UsageError(
                f"{name} is {value}, but there is nothing to measure on; give --valid, "
                "or more texts, of which some are held out."
            )


def tfidf(told: Told) -> TfidfClassifier:
    """The linear classifier, as its words were told."""
    words = {name: value for name, value in told.items() if name not in ("kind", *OWN)}
    try:
        analyzer = Analyzer.from_json(words)
        vectorizer = Vectorizer(kind="tfidf-log", analyzer=analyzer, fewest=told["fewest"])
        return TfidfClassifier(vectorizer, float(told["freedom"]))
    except (TypeError, LookupError) as error:
        raise PellucidError(f"The section [rival] cannot be read ({error}).") from error


OWN = ("fewest", "freedom")


def as_told(model: TfidfClassifier) -> dict[str, Any]:
    """The inverse of `tfidf`."""
    vectorizer = model.vectorizer
    assert isinstance(vectorizer.analyzer, Analyzer)
    words = vectorizer.analyzer.to_json()
    return {"kind": "tfidf", **words, "fewest": vectorizer.fewest, "freedom": model.freedom}
