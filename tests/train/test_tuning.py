"""Going on from a model that has learned already, and what keeps a few words from deciding."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from train_tasks import rows
from train_texts import examples

import pellucid
from pellucid import UsageError
from pellucid.text.training import train
from pellucid.train.encoding import hider, specials
from pellucid.train.examples import Examples
from pellucid.train.objectives import Chance, Classes, Hiding
from pellucid.train.settings import usual
from pellucid.train.transformer import TransformerClassifier
from pellucid.train.writer import Writer

SMALL = {"width": 16, "layers": 1, "heads": 2, "vocabulary": 300, "steps": 3, "longest": 32}
BOOK = "\n\n".join(examples(30).texts)


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("writer") / "run"
    pellucid.train("generate", [BOOK], out=out, **SMALL)
    return out


def test_a_writer_goes_on_writing(writer: Path) -> None:
    before, (model, _) = (
        pellucid.load(writer),
        pellucid.train("generate", [BOOK], start=str(writer), steps=2, rate=0.0, longest=16),
    )
    state = before.state()
    assert all((tensor == state[name]).all() for name, tensor in model.state().items())


def test_a_writer_becomes_a_classifier(writer: Path) -> None:
    model, report = pellucid.train(
        "classify", examples(40), start=str(writer), steps=3, pooling="last", held_out=0.0
    )
    assert model.config.shape == "decoder"
    assert model.heads.head is None
    assert report.model.predict(["the cat"])


def test_what_was_learned_of_other_classes_is_drawn_anew(tmp_path: Path) -> None:
    known = examples(40)
    start, _ = pellucid.train("classify", known, out=tmp_path / "run", **SMALL)
    before = start.heads.classes.output.weight.clone()
    other = Examples(known.texts, [f"new {label}" for label in known.labels])
    for given, kept in ((known, True), (other, False)):
        model, _ = pellucid.train(
            "classify", given, start=str(tmp_path / "run"), steps=1, rate=0.0, held_out=0.0
        )
        assert (model.heads.classes.output.weight == before).all() == kept


def test_padding_is_the_models_own(writer: Path, tmp_path: Path) -> None:
    other = shutil.copytree(writer, tmp_path / "other")
    about = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**about, "pad_token_id": 3}))
    for start, padding in ((writer, 0), (other, 3)):
        learner = Writer(usual(task="generate", start=str(start), longest=16))
        assert learner.prepare([BOOK]).smoothing.padding == padding


def test_a_model_of_another_shape_is_refused(writer: Path) -> None:
    with pytest.raises(UsageError, match="of the shape decoder; this task needs encoder"):
        pellucid.train("bert", [BOOK, BOOK], start=str(writer))


def test_hidden_words_are_ordinary_ones() -> None:
    tokenizer = train(["a b c"], kind="words", size=20)
    special = specials(tokenizer)
    assert hider(tokenizer) == tokenizer.inner.token_to_id("<unk>")
    found = Classes(rows(40), np.zeros(40, int), hiding=Hiding(0.5, 1, np.array([0, 1, 2, 3, 9])))
    plain = Classes(found.rows, found.labels)
    hidden = total = 0
    for at in range(40):
        ids = plain.example(at, Chance(0, 0)).inputs["ids"]
        given = found.example(at, Chance(0, 0)).inputs["ids"]
        changed = ids != given
        assert (given[changed] == 1).all()
        assert not (ids[changed] == 9).any()
        hidden, total = hidden + changed.sum(), total + (ids != 9).sum()
    assert 0.4 < hidden / total < 0.6
    assert len(special) == 4


def test_long_texts_are_treated_as_they_were_when_it_learned(tmp_path: Path) -> None:
    long = " ".join(["cat"] * 60)
    texts = examples(30)
    given = Examples([*texts.texts, long], [*texts.labels, "animal"])
    with pytest.warns(UserWarning, match="1 text was cut to 32 tokens"):
        _, report = pellucid.train("classify", given, too_long="cut", held_out=0.0, **SMALL)
    report.model.save(tmp_path)
    again = TransformerClassifier.load(tmp_path)
    with pytest.warns(UserWarning, match="1 text was cut"):
        assert list(again.predict([long])) == list(report.model.predict([long]))
