"""The fast path says what the plain one says, as nearly as its precision allows."""

import warnings
from typing import Any

import pytest
import torch
from writers import PROMPT, writer

from pellucid.decode import fast
from pellucid.decode.fast import Rows, pays, quick
from pellucid.decode.generate import Generation

# the most that a log-probability moves in these small models
NEAR = {"float32": 1e-5, "bf16": 0.4, "int8": 0.4}


def said(model: Any, **choices: Any) -> list[float]:
    """The log-probabilities of the same forced tokens."""
    forced = dict(enumerate([3, 9, 1, 7, 2, 2, 8, 4]))
    answer = model.generate(PROMPT, forced=forced, max_new_tokens=8, **choices)[0]
    return [term.log_probability for term in answer.terms]


@pytest.mark.parametrize("precision", NEAR)
@pytest.mark.parametrize("name", ["llama", "t5"])
def test_without_a_compiler(name: str, precision: Any) -> None:
    model = writer(name).float()
    model.generation["eos_token_id"] = []
    found = said(model, precision=precision, compiled="never")
    assert found == pytest.approx(said(model), abs=NEAR[precision])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("precision", "beams"), [("float32", 1), ("int8", 3)])
def test_compiled(precision: Any, beams: int) -> None:
    model = writer("llama").float()
    model.generation["eos_token_id"] = []
    with warnings.catch_warnings():  # torch's own, about itself
        warnings.filterwarnings("ignore", module="torch")
        found = said(model, precision=precision, compiled="always", beams=beams)
    assert fast._works
    plain = said(model, precision=precision, compiled="never", beams=beams)
    assert found == pytest.approx(plain, abs=NEAR[precision])


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_fewer_bytes(precision: Any) -> None:
    weight = torch.randn(64, 32, generator=torch.Generator().manual_seed(0))
    rows = Rows(weight, None, precision)
    assert rows.weight.element_size() == {"bf16": 2, "int8": 1}[precision]
    x = torch.randn(2, 3, 32, generator=torch.Generator().manual_seed(1))
    exact = x @ weight.T
    assert (rows(x) - exact).abs().max() < 0.02 * exact.abs().max()
    assert (rows._sums(x) - exact).abs().max() < 0.02 * exact.abs().max()


def test_a_row_of_zeros_stays_zero() -> None:
    rows = Rows(torch.zeros(2, 4), None, "int8")
    assert rows(torch.ones(1, 4)).equal(torch.zeros(1, 2))


def test_where_nothing_can_be_compiled_it_goes_on_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(plain: Any) -> Any:
        raise RuntimeError("no C++ compiler found")

    monkeypatch.setattr(fast, "_compiled", broken)
    monkeypatch.setattr(fast, "_works", {"compiler"})
    model = writer().float()
    model.generation["eos_token_id"] = []
    with pytest.warns(UserWarning, match=r"without \(no C\+\+ compiler found\)") as told:
        found = said(model, compiled="always")
    assert len(told) == 1
    assert found == pytest.approx(said(model), abs=1e-5)


def test_the_first_token_waits_for_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def compiled(plain: Any) -> Any:
        asked.append(plain)
        return plain

    monkeypatch.setattr(fast, "_compiled", compiled)
    monkeypatch.setattr(fast, "_works", {"compiler"})
    model = writer().float()
    model.generation["eos_token_id"] = []
    model.generate(PROMPT, compiled="always", max_new_tokens=1)
    assert not asked
    model.generate(PROMPT, compiled="always", max_new_tokens=2)
    assert len(asked) == len(model.decoder.layers) + 1  # and the head


def test_weights_that_change_are_taken_anew() -> None:
    model = writer().float()
    before = quick(model, "bf16", False)
    assert quick(model, "bf16", False) is before
    with torch.no_grad():
        model.decoder.layers[0].attention.query.weight.mul_(2)
    after = quick(model, "bf16", False)
    assert after is not before
    query = after.decoder.layers[0].attention.query.weight
    assert query.equal(model.decoder.layers[0].attention.query.weight.bfloat16())


def test_the_plain_model_is_left_as_it_is() -> None:
    model = writer().float()
    kinds = [type(module) for module in model.modules()]
    made = quick(model, "int8", True)
    assert [type(module) for module in model.modules()] == kinds
    assert quick(model, "float32", False) is model
    words = model.entrance.embed.words.weight
    assert made.entrance.embed.words.weight.data_ptr() == words.data_ptr()


def test_compiling_pays_for_much_work_only() -> None:
    model = writer()
    assert not pays(model, 1000)
    assert pays(model, 10**8)


@pytest.mark.parametrize("name", ["decoder", "bart"])
def test_warming_up_says_nothing_and_changes_nothing(name: str) -> None:
    model = writer(name).float()
    before = model.generate(PROMPT, max_new_tokens=3)[0]
    generation = Generation.of(model, {"beams": 2, "compiled": "never"})
    assert not generation.compiled
    generation.warm_up()
    assert model.generate(PROMPT, max_new_tokens=3)[0].ids == before.ids
    assert Generation.of(model, {"compiled": "always"}).compiled
