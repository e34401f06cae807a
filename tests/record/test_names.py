"""The names of the numbers: those that were promised, in order, with their shapes."""

import re

import pytest
import zoo

from pellucid import Trace, UsageError

NORM = "norm.{mean deviation normalised output}"
RMS = "norm.{deviation normalised output}"
ATTENTION = "{input q k v scores scaled masked weights mixed output residual}"
FEEDFORWARD = "{input hidden activated output residual}"
EMBED = "embed.{words sum output}"
HEAD = "head.{hidden logits probabilities}"

PROMISED = {
    "encoder": [
        "tokens.ids", EMBED, "embed.{positions segments}", f"embed.{NORM}",
        f"encoder.0.attention.{ATTENTION}", f"encoder.0.attention.{NORM}",
        f"encoder.1.feedforward.{FEEDFORWARD}", f"encoder.1.feedforward.{NORM}",
        "encoder.{0 1}.output", f"encoder.{NORM}", "encoder.output",
        "pooler.{first dense output}",
    ],
    "decoder": [
        "tokens.ids", EMBED, "embed.positions", f"decoder.0.attention.{ATTENTION}",
        f"decoder.1.feedforward.{FEEDFORWARD}", "decoder.{0 1}.output", "decoder.output", HEAD,
    ],
    "t5": [
        "{source target}.tokens.ids", f"source.{EMBED}", f"target.{EMBED}", "source.embed.scaled",
        f"encoder.0.attention.{ATTENTION}", "encoder.positions.{buckets bias}",
        "{encoder decoder}.1.attention.{bias biased}", "{encoder decoder}.0.feedforward.gate",
        f"decoder.1.attention.{ATTENTION}", f"decoder.0.attention.{RMS}",
        f"decoder.0.cross.{ATTENTION}", f"decoder.1.cross.{RMS}", "decoder.1.cross.memory",
        f"decoder.0.feedforward.{FEEDFORWARD}", "decoder.{0 1}.output", "decoder.output", HEAD,
    ],
    "alibi": ["encoder.positions.bias", "encoder.0.attention.{bias biased}"],
    "llama": ["decoder.0.attention.{places query_heads key_heads q k}"],
}  # fmt: skip


def spread(name: str) -> list[str]:
    """Every name that one with braces stands for."""
    found = re.search(r"\{([^{}]*)\}", name)
    if found is None:
        return [name]
    start, end = name[: found.start()], name[found.end() :]
    return [each for word in found[1].split() for each in spread(start + word + end)]


def seen(name: str, mode: str = "eval") -> Trace:
    model = zoo.build(name, dropout=0.1, attention_dropout=0.1)
    model.train(mode == "train")
    return model.see(*zoo.texts(model))


each_model = pytest.mark.parametrize("name", zoo.ZOO)
each_mode = pytest.mark.parametrize("mode", ["eval", "train"])


@pytest.mark.parametrize("name", PROMISED)
def test_the_promised_names_are_there(name: str) -> None:
    trace = seen(name)
    promised = [each for names in PROMISED[name] for each in spread(names)]
    assert len(promised) > 2
    assert not [each for each in promised if each not in trace.nodes]


@each_model
@each_mode
def test_shapes_are_known_without_the_values(name: str, mode: str) -> None:
    trace = seen(name, mode)
    shapes = {each: trace.shape(each) for each in trace}
    for each in trace:
        value, axes = trace[each], trace.nodes[each].axes.split()
        assert tuple(value.shape) == shapes[each], each
        assert len(axes) == value.dim(), (each, axes)
        assert all(
            size == 1 for letter, size in zip(axes, value.shape, strict=True) if letter == "1"
        )


@each_model
def test_one_letter_is_one_size(name: str) -> None:
    """Within a layer, T and S and the other letters mean the same in every value."""
    trace = seen(name)
    sizes: dict[tuple[str, str], set[int]] = {}
    for each, node in trace.nodes.items():
        for letter, size in zip(node.axes.split(), trace.shape(each), strict=True):
            if letter in "BTSHGF":
                place = node.place.removesuffix(".norm")
                sizes.setdefault((place, letter), set()).add(size)
    crossing = {place for place, _ in sizes if place.endswith(".cross")}
    wrong = {at: found for at, found in sizes.items() if len(found) > 1 and at[0] not in crossing}
    assert not wrong


@each_model
@each_mode
def test_precision_is_the_models(name: str, mode: str) -> None:
    trace = seen(name, mode)
    kinds = {each: value.dtype for each, value in trace.items() if value.is_floating_point()}
    assert {str(kind) for kind in kinds.values()} == {"torch.float32"}, kinds


@each_model
def test_parents_come_before_their_children(name: str) -> None:
    trace, known = seen(name), set[str]()
    for each, node in trace.nodes.items():
        assert all(parent in known or parent in trace.weights for parent in node.parents), each
        known.add(each)


@each_model
def test_the_tree_has_a_row_for_every_name(name: str) -> None:
    trace = seen(name)
    tree = trace.tree()
    assert [row.name for row in tree] == list(trace) == trace.names()
    assert {row.kind for row in tree} == {"recorded", "derived"}
    for row in tree:
        assert row.shape == trace.shape(row.name)
        assert row.kind == ("recorded" if row.name in trace.held else "derived")
        assert bool(row.formula) == (trace.nodes[row.name].formula is not None)
    assert len(str(tree).splitlines()) == len(trace)


def test_a_pattern_chooses_rows() -> None:
    trace = seen("encoder")
    rows = trace.tree("encoder.1.attention.q*")
    assert [row.name.rpartition(".")[2] for row in rows] == ["query", "q"]
    assert len(trace.names("*.weights")) == 2
    assert str(trace.tree("nothing")) == ""


def test_formulas_read_like_the_paper() -> None:
    trace, place = seen("encoder"), "encoder.0.attention"
    formulas = {row.name.removeprefix(f"{place}."): row.formula for row in trace.tree(f"{place}.*")}
    assert formulas["scores"] == "q kᵀ"
    assert formulas["scaled"] == "scores / √4"
    assert formulas["weights"] == "softmax(masked)"
    assert formulas["mixed"] == "weights v"


UNKNOWN = {
    "encoder.0.attention.wieghts": "near it: encoder.0.attention.weights",
    "encoder.0.attention.query.weight ": "near it: encoder.0.attention.query.weight",
    "qqqqqqqqqqqqqqqqqqqqqqqq": "The trace has no 'qqqqqqqqqqqqqqqqqqqqqqqq'. trace.tree()",
}


@pytest.mark.parametrize(("name", "sentence"), UNKNOWN.items())
def test_an_unknown_name_says_the_nearest(name: str, sentence: str) -> None:
    trace = seen("encoder")
    for ask in (trace.__getitem__, trace.shape, trace.explain):
        with pytest.raises(UsageError) as error:
            ask(name)
        assert sentence in str(error.value)
    assert name not in trace


def test_a_weight_is_no_computed_number() -> None:
    trace, name = seen("encoder"), "encoder.0.attention.query.weight"
    assert (trace.kind(name), trace.shape(name), name in trace) == ("weight", (16, 16), True)
    assert trace[name].shape == (16, 16)
    with pytest.raises(UsageError, match=f"{name} is a weight: it was learned, not computed."):
        trace.explain(name)


def test_a_trace_says_what_it_is_of() -> None:
    assert repr(seen("encoder")).startswith(f"<Trace of {zoo.SENTENCE!r}, 'a bank', ")
    both = seen("both")
    assert [len(both.texts[stream]) for stream in ("source", "target")] == [3, 3]
    assert both.about["model"] == "both"
    assert both.about["config"]["positions"] == "sinusoidal"
