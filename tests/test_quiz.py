"""The quiz's answers, asked of the code itself."""

import inspect
import math
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

import pellucid
from pellucid.formula.places import positions, reach
from pellucid.formula.rows import deviation, softmax
from pellucid.models.encoder import Encoder
from pellucid.nn.attention import Attention
from pellucid.nn.config import Config
from pellucid.nn.feedforward import FeedForward
from pellucid.nn.mask import Mask
from pellucid.nn.sublayer import Context, Sublayer

PACKAGE = Path(find_spec("pellucid").origin).parent
QUIZ = Path(__file__).parent.parent / "docs" / "quiz.md"
SMALL = Config(shape="encoder", vocabulary=9, width=8, layers=1, heads=2, inner=16, longest=9)


def files_with(pattern: str, folder: str) -> list[str]:
    """The files of a folder of the package in which the pattern is found."""
    found = [
        path for path in (PACKAGE / folder).rglob("*.py") if re.search(pattern, path.read_text())
    ]
    return [path.relative_to(PACKAGE).as_posix() for path in found]


def root_of_d() -> None:
    layer = Attention(SMALL, "full")
    scaled = layer.steps()["scaled"]
    assert (scaled.operation.name, scaled.settings) == ("over_root", {"of": 4})
    assert layer._kernel()["scale"] == 1 / math.sqrt(4)
    assert files_with(r"\b(c|config)\.scaling\b", "nn") == ["nn/attention.py"]


def keys_grow() -> None:
    assert files_with(r"index_copy_\(2", "") == ["nn/cache.py"]


def who_divides() -> None:
    assert files_with(r"\.total /", "train") == ["train/step.py"]
    assert not files_with(r"reduction=.mean|\.total\.mean", "train")


def nothing_allowed() -> None:
    row = torch.full((1, 3), -math.inf, requires_grad=True)
    weights = softmax("x", axes="T S").compute(row)
    weights.sum().backward()
    assert weights.tolist() == row.grad.tolist() == [[0, 0, 0]]


def held() -> None:
    trace = pellucid.load("mouse").see("cat and mouse")
    kinds = {name: trace.kind(f"encoder.0.attention.{name}") for name in ("query", "key", "value")}
    assert set(kinds.values()) == {"recorded"}
    assert trace.kind("encoder.0.attention.weights") == "derived"


def first_position() -> None:
    real = torch.tensor([[False, False, True, True]])
    assert positions.compute(real)[0, 2:].tolist() == [0, 1]


def which_variance() -> None:
    found = deviation("x", epsilon=1.0, axes="T 1").compute(torch.tensor([[1.0, 2, 3, 6]]))
    assert found.item() == pytest.approx(math.sqrt(3.5 + 1.0))


def where_the_norm_stands() -> None:
    assert "config.place" in inspect.getsource(Sublayer.forward)
    assert files_with(r"config\.place\b", "nn") == ["nn/sublayer.py"]
    x, mask = torch.randn(1, 3, 8), Mask.of(torch.zeros(1, 3, dtype=torch.long))
    layer = FeedForward(SMALL)
    assert torch.equal(
        layer(x, Context(mask)), x + layer.work(layer.norm(x, mask.real), Context(mask))
    )


def after_three_kept() -> None:
    seen = reach.compute(torch.zeros(1, 1, 2, 4), torch.ones(1, 5).bool(), pattern="causal")
    assert seen[0, 0].tolist() == [[True, True, True, True, False], [True] * 5]


def looking() -> None:
    torch.manual_seed(0)
    model = Encoder(SMALL).eval()
    model.tokenizer = pellucid.load("mouse").tokenizer
    trace = model.see("cat and mouse")
    with torch.no_grad():
        assert torch.equal(model(trace["tokens.ids"]).hidden, trace["encoder.output"])


ANSWERS = [
    *(root_of_d, keys_grow, who_divides, nothing_allowed, held),
    *(first_position, which_variance, where_the_norm_stands, after_three_kept, looking),
]


def test_each_question_has_its_check() -> None:
    questions = re.findall(r"^## (\d+)\. .*\?$", QUIZ.read_text(encoding="utf-8"), re.MULTILINE)
    assert list(map(int, questions)) == list(range(1, len(ANSWERS) + 1))


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
def test_the_answer_is_so(answer) -> None:
    answer()
