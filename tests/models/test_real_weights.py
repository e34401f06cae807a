"""Models that learned something: every value recomputed in float64, and others agree."""

import runpy
from pathlib import Path

import pytest
import torch
import zoo
from models_answers import apart, theirs

import pellucid
from pellucid.record.trace import Trace

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
TOLERANCE = 1e-5

STORY = "Once upon a time, there was a little girl named Lily. She loved to play outside."


def verified(trace: Trace) -> None:
    rows = trace.verify()
    assert len(rows) > 50
    worst = max(rows, key=lambda row: row.difference)
    assert worst.difference <= TOLERANCE, worst


@pytest.fixture
def stories(shared: Path, tmp_path: Path) -> Path:
    """stories260K in Hugging Face's layout, as the example puts it."""
    folder = shared / "data" / "weights-stories260k"
    convert = runpy.run_path(str(EXAMPLES / "stories.py"))["convert"]
    converted: Path = convert(
        folder / "stories260K.bin", folder / "tok512.bin", tmp_path / "stories"
    )
    return converted


def test_smollm2(smollm2: Path) -> None:
    trace = pellucid.load(smollm2).see("The capital of France is")
    assert trace.answers(1).words[0][-1][0].piece == " Paris"
    verified(trace)


@torch.no_grad()
def test_stories260k(stories: Path) -> None:
    model = pellucid.load(stories)
    trace = model.see(STORY)
    verified(trace)
    tokens = model.tokenizer.encode(STORY)
    assert model.tokenizer.decode(list(tokens.ids)) == STORY
    ids = torch.tensor([tokens.ids])
    assert apart(model(ids).logits, theirs(stories)(ids).logits) <= 1e-6


def test_stories260k_spells_in_bytes_what_it_has_no_piece_for(stories: Path) -> None:
    tokenizer = pellucid.load(stories).tokenizer
    tokens = tokenizer.encode("A 🦭!\n")
    assert {"<0xF0>", "<0x9F>", "<0xA6>", "<0xAD>", "<0x0A>"} < set(tokens.pieces)
    assert tokenizer.decode(list(tokens.ids)) == "A 🦭!\n"


@torch.no_grad()
def test_bart(shared: Path) -> None:
    model = pellucid.load(shared / "data" / "weights-bart-g2p-us")
    letters = torch.tensor([[1, 24, 19, 25, 23, 9, 2], [1, 7, 5, 24, 2, 0, 0]])
    mask = torch.tensor([[True] * 7, [True] * 5 + [False] * 2])
    sounds = torch.tensor([[1, 17, 32, 41, 2], [1, 15, 22, 40, 9]])
    _, trace = zoo.look(model, source_ids=letters, target_ids=sounds, source_mask=mask)
    verified(trace)
