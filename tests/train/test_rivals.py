"""Rivals: what they say of a text depends on nothing but the text."""

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from train_texts import examples, unchecked

from pellucid import PellucidError
from pellucid.train.classifiers import classifier
from pellucid.train.examples import Examples
from pellucid.train.rivals import classifier as rivals
from pellucid.train.rivals.classifier import ABOUT, WEIGHTS, NetworkClassifier
from pellucid.train.rivals.cnn import Convolutional
from pellucid.train.rivals.majority import MajorityClassifier
from pellucid.train.rivals.networks import network
from pellucid.train.rivals.recurrent import Recurrent
from pellucid.train.rivals.sizes import Sizes
from pellucid.train.run import measure
from pellucid.train.settings import usual

LENGTHS = (1, 7, 2, 5)
SIZES: dict[str, int] = {"vocabulary": 20, "classes": 3, "width": 8, "hidden": 6}
SIZED = {
    "cnn": Sizes(kind="cnn", **SIZES),
    "lstm": Sizes(kind="lstm", **SIZES, layers=2),
    "lstm, mean": Sizes(kind="lstm", **SIZES, pool="mean"),
    "gru": Sizes(kind="gru", **SIZES),
}

each_network = pytest.mark.parametrize("sizes", SIZED.values(), ids=SIZED)


def made(sizes: Sizes) -> Convolutional | Recurrent:
    return network(sizes, seed=0).eval()


def texts() -> list[Tensor]:
    torch.manual_seed(1)
    return [torch.randint(SIZES["vocabulary"], (length,)) for length in LENGTHS]


def side_by_side(side: str) -> tuple[Tensor, Tensor]:
    """Ids [B T] padded on one side with ids of real words, and which are real."""
    longest = max(LENGTHS)
    ids, real = torch.full((len(LENGTHS), longest), 7), torch.zeros(len(LENGTHS), longest) > 0
    for row, text in enumerate(texts()):
        start = longest - len(text) if side == "left" else 0
        ids[row, start : start + len(text)] = text
        real[row, start : start + len(text)] = True
    return ids, real


@each_network
@pytest.mark.parametrize("side", ["right", "left"])
def test_in_a_batch_as_alone(sizes: Sizes, side: str) -> None:
    model = made(sizes)
    together = model(*side_by_side(side)).classes
    alone = torch.cat([model(text[None]).classes for text in texts()])
    assert torch.allclose(together, alone, atol=1e-6)
    assert together.std() > 0.01


@each_network
def test_padding_gets_no_gradient(sizes: Sizes) -> None:
    model = made(sizes)
    ids, real = side_by_side("right")
    ids[~real] = 19
    ids[real & (ids == 19)] = 0
    model(ids, real).classes.square().sum().backward()
    gradient = model.words.weight.grad
    assert gradient[19].abs().max() == 0
    assert gradient[ids[real]].abs().sum(1).min() > 0


def test_the_convolution_by_loops() -> None:
    """Of each filter its largest answer over all windows, zeros beyond the text's ends."""
    model = made(SIZED["cnn"])
    text = texts()[1]
    found = []
    for layer in model.filters:
        (size,) = layer.kernel_size
        zeros = torch.zeros(size - 1, SIZES["width"])
        words = torch.cat([zeros, model.words.weight[text], zeros])
        windows = [words[at : at + size] for at in range(len(words) - size + 1)]
        answers = [(layer.weight * window.T).sum((1, 2)) + layer.bias for window in windows]
        found.append(torch.stack(answers).relu().max(0).values)
    expected = functional.linear(torch.cat(found), model.classes.weight, model.classes.bias)
    assert torch.allclose(model(text[None]).classes[0], expected, atol=1e-6)
    assert isinstance(model, Convolutional)


def test_the_gru_by_loops() -> None:
    """Both directions are read step by step; then the largest number of each column."""
    model = made(SIZED["gru"])
    text = texts()[1]
    assert isinstance(model, Recurrent)
    forwards, backwards = torch.nn.GRUCell(8, 6), torch.nn.GRUCell(8, 6)
    for cell, ending in ((forwards, ""), (backwards, "_reverse")):
        for name, weights in cell.named_parameters():
            weights.data = getattr(model.cell, f"{name}_l0{ending}").data
    words = model.words.weight[text]
    states = torch.cat([run(forwards, words), run(backwards, words.flip(0)).flip(0)], dim=1)
    expected = model.classes(states.max(0).values)
    assert torch.allclose(model(text[None]).classes[0], expected, atol=1e-6)


def run(cell: torch.nn.GRUCell, words: Tensor) -> Tensor:
    states = [torch.zeros(6)]
    for word in words:
        states.append(cell(word, states[-1]))
    return torch.stack(states[1:])


KINDS = ("cnn", "lstm", "gru")
SMALL = {"width": 16, "heads": 2, "layers": 1, "longest": 32, "rows": 20, "tokens": 512}
SMALL |= {"epochs": 8.0, "warmup": 5, "rate": 1e-2, "vocabulary": 400}


@pytest.fixture(scope="module", params=KINDS)
def learned(request: pytest.FixtureRequest) -> NetworkClassifier:
    settings = usual(**SMALL, patience=3, too_long="cut")
    with unchecked():
        return NetworkClassifier(request.param, settings).fit(examples(300), examples(60, 1))


def test_it_learns(learned: NetworkClassifier) -> None:
    assert measure(learned, examples(200, 2)).accuracy > 0.9
    losses = [entry["valid"]["loss"] for entry in learned.journal if "valid" in entry]
    assert min(losses) < losses[0] / 2


def test_answers_do_not_depend_on_who_else_is_asked(learned: NetworkClassifier) -> None:
    texts = [*examples(9, 3).texts, "cat", "the cat was here " * 3]
    together = list(learned.guess(texts))
    alone = [next(learned.guess([text])) for text in texts]
    assert [guess.label for guess in together] == [guess.label for guess in alone]
    sure = [guess.probability for guess in together]
    assert sure == pytest.approx([guess.probability for guess in alone], abs=1e-5)
    assert list(learned.predict(texts)) == [guess.label for guess in together]


def test_texts_are_read_as_they_are_needed(
    learned: NetworkClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "AT_ONCE", 2)
    taken, texts = [], examples(5, 3).texts
    guesses = learned.guess(taken.append(text) or text for text in texts)
    assert next(guesses).label in learned.classes
    assert taken == texts[:2]
    assert len([*guesses]) == 4


def test_saved_and_loaded(learned: NetworkClassifier, tmp_path: Path) -> None:
    learned.save(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {ABOUT, WEIGHTS, "tokenizer.json", "tokenizer_config.json"}
    loaded = classifier(learned.kind).load(tmp_path)
    texts = examples(40, 3).texts
    assert list(loaded.guess(texts)) == list(learned.guess(texts))
    assert loaded.facts() == learned.facts()
    assert loaded.size() == sum(weights.numel() for weights in learned.network.parameters())


def test_the_seed_is_all_that_chance_has() -> None:
    settings = usual(**{**SMALL, "epochs": 1.0}, seed=3)
    first, same = (NetworkClassifier("gru", settings).fit(examples(60)) for _ in range(2))
    assert torch.equal(first.network.words.weight, same.network.words.weight)
    other = NetworkClassifier("gru", usual(**{**SMALL, "epochs": 1.0}, seed=4)).fit(examples(60))
    assert not torch.equal(first.network.words.weight, other.network.words.weight)


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    settings = usual(**{**SMALL, "steps": 1})
    NetworkClassifier("cnn", settings).fit(examples(60)).save(tmp_path)
    about = json.loads((tmp_path / ABOUT).read_text())
    for name, size in {"width": 8, "vocabulary": 10**12, "hidden": -1}.items():
        broken = {**about, "sizes": {**about["sizes"], name: size}}
        (tmp_path / ABOUT).write_text(json.dumps(broken))
        with pytest.raises(PellucidError, match=r"weights of other shapes|negative"):
            NetworkClassifier.load(tmp_path)
    (tmp_path / ABOUT).write_text("{}")
    with pytest.raises(PellucidError, match=r"model\.json cannot be read"):
        NetworkClassifier.load(tmp_path)


def test_labels_that_cannot_be_learned() -> None:
    with pytest.raises(PellucidError, match="All texts have the label 'x'; two labels are needed"):
        NetworkClassifier().fit(Examples(["a", "b"], ["x", "x"]))
    with pytest.raises(PellucidError, match="no example of 'food' to learn from, but one to meas"):
        NetworkClassifier("cnn", usual(**SMALL)).fit(
            examples(60, classes=("animal", "tech")), examples(30)
        )


def test_a_text_without_words_is_named() -> None:
    with pytest.raises(PellucidError, match="Validation text 2 is empty; leave it out"):
        NetworkClassifier("gru", usual(**SMALL)).fit(
            examples(60), Examples(["cat", " "], ["animal", "animal"])
        )


def test_the_majority(tmp_path: Path) -> None:
    known = Examples(["a", "b", "c", "d", "e"], ["x", "y", "y", "x", "z"])
    model = MajorityClassifier().fit(known)
    assert list(model.guess(["a", "f"])) == [("x", 0.4), ("x", 0.4)]
    assert measure(model, known).accuracy == 0.4
    model.save(tmp_path)
    assert MajorityClassifier.load(tmp_path).facts() == model.facts()
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(PellucidError, match="cannot be read"):
        MajorityClassifier.load(tmp_path)
