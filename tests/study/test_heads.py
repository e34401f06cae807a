"""Heads over a corpus: measures against loops, silencing against edits, and long runs."""

import json
import math
from pathlib import Path

import pytest
import torch
import zoo

import pellucid
from pellucid import PellucidError, UsageError, edit
from pellucid.models.batch import Batch
from pellucid.study import heads as corpus
from pellucid.study.edits import silence_heads
from pellucid.study.heads import heads
from pellucid.study.induction import halves, induction, repeated_words, without
from pellucid.study.looked import looked
from pellucid.study.patterns import Facts, Looking, measured
from pellucid.study.silencing import importance

TEXTS = [*zoo.SENTENCES, "the seal , the ice , the bank", "river by river"] * 3


def test_measures_against_a_loop() -> None:
    model = zoo.build("encoder")
    texts = ["the seal slept on the ice", "seal by seal"]
    read = model.read(texts)["tokens"]
    weights = model.see(texts)["encoder.1.attention.weights"]
    facts = Facts.of(read)
    found = measured(weights, Looking(facts, facts))
    sums = dict.fromkeys(found, 0.0)
    counts = dict.fromkeys(found, 0)
    head = 2
    for row, text in enumerate(read):
        for t in range(len(text)):
            w = weights[row, head, t, : len(text)].tolist()
            twins = [s for s in range(len(text)) if s != t and text.ids[s] == text.ids[t]]
            seen = {
                "previous": w[t - 1] if t else None,
                "itself": w[t],
                "next": w[t + 1] if t + 1 < len(text) else None,
                "same": sum(w[s] for s in twins) if twins else None,
                "first": w[0],
                "special": 0.0,
                "punctuation": 0.0,
                "entropy": -sum(x * math.log(x) for x in w if x),
                "distance": sum(x * abs(t - s) for s, x in enumerate(w)),
            }
            for name, value in seen.items():
                if value is not None:
                    sums[name] += value
                    counts[name] += 1
    for name, (total, count) in found.items():
        assert count == counts[name], name
        assert total[head].item() == pytest.approx(sums[name], rel=1e-5, abs=1e-9), name


@pytest.mark.parametrize("name", ["decoder", "llama", "alibi decoder", "alibi"])
def test_silencing_is_what_edits_say_of_words(name: str) -> None:
    model = zoo.build(name)
    batch = Batch.of(model.read(zoo.SENTENCES)["tokens"], model.device)
    found, count = importance(model, ids=batch.ids, mask=batch.mask)
    assert count == sum(len(text.split()) - 1 for text in zoo.SENTENCES)
    trace = model.see(zoo.SENTENCES)
    for layer, head in ((0, 1), (1, 2)):
        silenced = edit(trace, silence_heads(trace, layer, [head]))
        expected = 0.0
        for row, text in enumerate(trace.texts["tokens"]):
            for t in range(len(text) - 1):
                said = text.ids[t + 1]
                was = trace["head.logits"][row, t].double().log_softmax(-1)[said]
                now = silenced["head.logits"][row, t].double().log_softmax(-1)[said]
                expected += (was - now).item()
        lost = found[f"{model.config.shape}.{layer}.attention"][head].item()
        assert lost == pytest.approx(expected, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("name", ["post", "relative", "encoder"])
def test_silencing_is_what_edits_say_of_vectors(name: str) -> None:
    model = zoo.build(name)
    batch = Batch.of(model.read(zoo.SENTENCES)["tokens"], model.device)
    found, count = importance(model, ids=batch.ids, mask=batch.mask)
    trace = model.see(zoo.SENTENCES)
    real = trace["tokens.real"]
    assert count == int(real.sum())
    for layer, head in ((0, 3), (1, 0)):
        silenced = edit(trace, silence_heads(trace, layer, [head]))
        was, now = trace["encoder.output"].double(), silenced["encoder.output"].double()
        expected = (1 - torch.cosine_similarity(was, now, dim=-1))[real].sum()
        lost = found[f"encoder.{layer}.attention"][head].item()
        assert lost == pytest.approx(expected.item(), rel=1e-3, abs=1e-6)


def test_a_corpus_in_parts_is_the_corpus_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = zoo.build("decoder")
    whole = pellucid.heads(model, TEXTS, silencing="each")
    monkeypatch.setattr(corpus, "CHUNK", 4)
    told: list[int] = []
    parted = heads(model, iter(TEXTS), silencing="each", folder=tmp_path / "p", done=told.append)
    assert sum(told) == len(TEXTS)
    assert len(told) == math.ceil(len(TEXTS) / 4)
    for name, mean in whole.means.items():
        torch.testing.assert_close(parted[name], mean, rtol=1e-4, atol=1e-6)
    json.dumps(whole.to_json())


def test_a_run_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = zoo.build("decoder")
    monkeypatch.setattr(corpus, "CHUNK", 4)
    whole = heads(model, TEXTS, folder=tmp_path)
    files = sorted(tmp_path.iterdir())
    files[1].unlink()
    times = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    again = heads(model, TEXTS, folder=tmp_path)
    assert {file: file.stat().st_mtime_ns for file in times} == times
    assert sorted(tmp_path.iterdir()) == files
    for name, mean in whole.means.items():
        assert torch.equal(again[name], mean)
    with pytest.raises(UsageError, match="of another run: its texts"):
        heads(model, ["the seal"], folder=tmp_path)
    with pytest.raises(UsageError, match="of another run: its silencing"):
        heads(model, TEXTS, folder=tmp_path, silencing="each")


def test_parts_are_known_by_the_weights_and_not_by_a_name(tmp_path: Path) -> None:
    folder, parts = tmp_path / "model", tmp_path / "parts"
    zoo.build("decoder").save(folder)
    found = heads(str(folder), TEXTS, folder=parts)
    folder.rename(tmp_path / "moved")
    again = heads(str(tmp_path / "moved"), TEXTS, folder=parts, processes=2)
    assert again["entropy"].equal(found["entropy"])
    changed = zoo.build("decoder")
    zoo.randomise(changed, seed=1)
    changed.save(folder)
    with pytest.raises(UsageError, match="of another run: its weights' mark"):
        heads(str(folder), TEXTS, folder=parts)


def test_parts_are_tables(tmp_path: Path) -> None:
    from pyarrow import parquet

    found = heads(zoo.build("decoder"), TEXTS, folder=tmp_path)
    table = parquet.read_table(tmp_path / "part-00000.parquet").to_pydict()
    assert table["place"] == ["decoder.0.attention"] * 4 + ["decoder.1.attention"] * 4
    assert table["head"] == [0, 1, 2, 3] * 2
    first = torch.tensor(table["entropy"]).view(2, 4) / found.counts["entropy"][0]
    torch.testing.assert_close(first.double(), found["entropy"], rtol=1e-5, atol=1e-7)
    whole = parquet.read_table(found.save(tmp_path / "heads.parquet")).to_pydict()
    assert whole["entropy"] == found["entropy"].flatten().tolist()


def test_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["cat and mouse are friends", "keyboard and mouse", "mouse"] * 100
    alone = heads("mouse", texts)
    both = heads("mouse", texts, processes=2)
    for name, mean in alone.means.items():
        torch.testing.assert_close(both[name], mean, equal_nan=True)
    with pytest.raises(UsageError, match="give its name"):
        heads(pellucid.load("mouse"), texts, processes=2)


def test_what_cannot_be_read_is_left_out() -> None:
    long = "the seal " * 20
    found = heads(zoo.build("decoder"), ["the seal slept", " ", long])
    assert (found.texts, found.left_out) == (1, 2)
    with pytest.raises(PellucidError, match="Not one of the texts"):
        heads(zoo.build("decoder"), [long])


def test_induction_is_asked_of_decoders() -> None:
    for name in ("bart", "post", "last"):
        with pytest.raises(UsageError, match="Only a decoder"):
            induction(zoo.build(name))
    with pytest.raises(UsageError, match="has 101 tokens"):
        induction(zoo.build("decoder"))


@pytest.mark.parametrize("few", [{"length": 0}, {"length": 1}, {"count": 0}])
def test_too_few_words_cannot_be_said_again(few: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="too few to be said again"):
        induction(zoo.build("decoder"), **{"length": 3, "count": 2} | few)


def test_induction_scores_are_means_of_weights() -> None:
    model = zoo.build("llama", longest=64)
    found = induction(model, length=6, count=3)

    ids = repeated_words(model, 6, 3)
    assert torch.equal(ids[:, 1:7], ids[:, 7:])
    weights = looked(model, ("*",), ids=ids)["decoder.1.attention.weights"]
    for kind, back in (("previous", 1), ("induction", 5), ("duplicate", 6)):
        expected = torch.stack([weights[:, 2, t, t - back] for t in range(7, 13)]).mean()
        assert getattr(found, kind)[1, 2].item() == pytest.approx(expected.item(), rel=1e-5)
    logits = model(ids).logits.log_softmax(-1)
    second = [-logits[b, t, ids[b, t + 1]] for b in range(3) for t in range(7, 12)]
    assert found.repeated == pytest.approx(torch.stack(second).mean().item(), rel=1e-5)


def test_without_heads_is_with_them_silenced() -> None:
    model = zoo.build("llama", longest=64)
    ids = repeated_words(model, 6, 3)
    with torch.no_grad():
        plain = halves(model, ids, model(ids).hidden, 6)
    assert without(model, [], 6, 3) == pytest.approx(plain, rel=1e-5)
    assert without(model, [(0, 1), (1, 2)], 6, 3)[1] != pytest.approx(plain[1])
