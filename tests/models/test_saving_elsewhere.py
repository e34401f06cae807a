"""CTranslate2 converts what we write, and computes the same.

Left out is what release 4.8 of the converter reads wrongly, whoever wrote it: with release 5 of
`transformers` it takes T5 1.1 for 1.0 and misses Llama 3's frequencies; it knows no Llama whose
heads are not width ÷ heads wide.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
import torch
from models_answers import IDS, TARGETS
from transformers import PreTrainedTokenizerFast

import pellucid
from pellucid.models.model import Model

ctranslate2 = pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")

Specimen = Callable[[str], Path]

# Marian's padding comes last: the converter drops it, and starts from zeros instead.
SPECIALS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
WORDS = ["<s>", "<unk>", "</s>", *(f"w{number}" for number in range(3, 59)), "<pad>"]
TOLERANCE = 1e-4  # it computes with other kernels


def written(model: Model, folder: Path) -> Path:
    """The model as we write it, and a tokenizer of sixty words as others do."""
    saved = model.save(folder)
    words = tokenizers.models.WordLevel(
        {word: at for at, word in enumerate(WORDS)}, unk_token="<unk>"
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizers.Tokenizer(words), **SPECIALS)
    tokenizer.save_pretrained(saved)
    return saved


def converted(folder: Path) -> str:
    from ctranslate2.converters import TransformersConverter

    found: str = TransformersConverter(str(folder)).convert(str(folder / "ct2"))
    return found


def close(one: torch.Tensor, other: torch.Tensor) -> None:
    assert one.shape == other.shape
    assert float((one - other).abs().max()) <= TOLERANCE * max(1.0, float(other.abs().max()))


@pytest.mark.parametrize("name", ["GPT-2", "Llama"])
@torch.no_grad()
def test_a_decoder(name: str, specimen: Specimen, tmp_path: Path) -> None:
    model = pellucid.load(specimen(name))
    folder = converted(written(model, tmp_path / "saved"))
    generator = ctranslate2.Generator(folder, compute_type="float32")
    words = [[WORDS[at] for at in ids] for ids in IDS.tolist()]
    logits = torch.from_numpy(np.array(generator.forward_batch(words)))
    close(logits, model(IDS).logits)


def scores(model: Model, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The logarithm of the probability of each target token but the first."""
    words = len(WORDS) - 1 if model.config.family == "marian" else len(WORDS)
    log = model(source[None], target[None]).logits[0, :-1, :words].log_softmax(-1)
    return log.gather(-1, target[1:, None])[:, 0]


START = {"t5": "<pad>", "bart": "</s>", "marian": "<pad>"}


@pytest.mark.parametrize("name", ["T5 1.0", "BART", "BART, scaled", "Marian"])
@torch.no_grad()
def test_an_encoder_decoder(name: str, specimen: Specimen, tmp_path: Path) -> None:
    model = pellucid.load(specimen(name))
    start = WORDS.index(START[model.config.family])
    model.source.embed.words.weight[WORDS.index("<pad>")] = 0  # as Marian's is
    model.settings |= {"pad_token_id": WORDS.index("<pad>"), "decoder_start_token_id": start}
    translator = ctranslate2.Translator(
        converted(written(model, tmp_path / "saved")), compute_type="float32"
    )
    source, target = IDS[0], torch.tensor([start, *TARGETS[0].tolist(), WORDS.index("</s>")])
    words = [[WORDS[at] for at in ids] for ids in (source.tolist(), target[1:-1].tolist())]
    theirs: Any = translator.score_batch([words[0]], [words[1]])[0]
    close(torch.tensor(theirs.log_probs), scores(model, source, target))
