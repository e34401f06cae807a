"""The tree of a search: all candidates, their sums, what became of them; as data and drawn."""

import json
from pathlib import Path

import pytest
from writers import END, PROMPT, writer

from pellucid import PellucidError
from pellucid.decode.seen import see_generated
from pellucid.decode.tree import Node, Tree, root
from pellucid.record.trace import Trace


@pytest.mark.parametrize("choices", [{"beams": 3}, {}, {"pick": "sample", "best": 2, "seed": 0}])
def test_sums_are_of_their_terms_and_parents_are_kept(choices: dict) -> None:
    answer = writer().generate(PROMPT, max_new_tokens=5, **choices)[0]
    for node in answer.tree.nodes:
        assert node.total == pytest.approx(sum(each.value for each in node.path()))
        assert node.step == len(node.ids)
    assert sum(term.value for term in answer.terms) / len(answer.ids) == pytest.approx(answer.score)


def test_every_step_has_twice_as_many_candidates_as_beams() -> None:
    model = writer()
    model.generation["eos_token_id"] = []
    steps = list(model.generate(PROMPT, beams=3, max_new_tokens=5)[0].tree.steps())
    assert [len(step) for step in steps] == [6] * 5
    for step in steps[:-1]:
        assert [node.fate for node in step].count("kept") == 3
        best = sorted(step, key=lambda node: -node.total)
        assert {node.fate for node in best[3:]} == {"cut"}
        assert {node.why for node in best[3:]} == {"3 better ones go on"}


def test_an_end_that_is_not_among_the_best_is_cut_and_says_so() -> None:
    reasons = {
        node.why
        for beams in (2, 3, 4, 5)
        for node in writer().generate(PROMPT, beams=beams, max_new_tokens=6)[0].tree.nodes
        if node.token == END and node.fate == "cut"
    }
    assert reasons
    assert all("ends, but" in why for why in reasons)


def test_a_wrong_sum_is_refused() -> None:
    node = Node(3, root(), -1.0)
    node.total = -1.5
    with pytest.raises(PellucidError, match=r"The terms of \[3\] add up to -1.0, not -1.5"):
        Tree([node], str, {}).check()


def test_it_is_data_and_back() -> None:
    answer = writer().generate(PROMPT, beams=3, max_new_tokens=5, repetition=1.5)[0]
    data = json.loads(json.dumps(answer.tree.to_json()))
    again = Tree.from_json(data)
    assert again.to_json() == data
    assert str(again) == str(answer.tree)


def test_it_is_drawn() -> None:
    model = writer()
    model.generation["eos_token_id"] = []
    answers = model.generate(PROMPT, beams=3, best=3, max_new_tokens=4)
    drawn = str(answers[0].tree).splitlines()
    assert drawn[0] == "beam search, 3 beams"
    assert sum("✓" in line for line in drawn) == 3
    for answer in answers:
        assert any(f"✓ {answer.score:.3f} (length)" in line for line in drawn)
    assert any("✂ 3 better ones go on" in line for line in drawn)


def test_a_generation_is_in_the_trace_and_adds_up(tmp_path: Path) -> None:
    model = writer().float()
    trace = see_generated(model, PROMPT, {}, beams=3, best=3, max_new_tokens=4)
    assert trace.texts["tokens"][0].text.startswith(PROMPT)
    checks = trace.verify("generate.*")
    assert checks.worst.difference < 1e-6
    file = trace.save(tmp_path / "trace.safetensors")
    loaded = Trace.load(file)
    assert loaded["generate.1.total"].equal(trace["generate.1.total"])
    told = loaded.about["generation"]
    assert [len(answer["ids"]) for answer in told["answers"]]
    tree = Tree.from_json(told["tree"])
    totals = [node.total for node in next(iter(tree.steps()))]
    assert trace["generate.0.total"][0].tolist() == pytest.approx(totals)


def test_terms_print_as_a_table() -> None:
    answer = writer().generate(PROMPT, max_new_tokens=3, repetition=2.0, min_new_tokens=2)[0]
    printed = str(answer.terms)
    assert printed.splitlines()[0].split() == ["token", "log-probability", "rules", "sum"]
    assert f"score = sum / {len(answer.ids)} = {answer.score:.4f}" in printed
