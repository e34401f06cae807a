"""Weights are mapped into memory, not copied: loading a model takes little more than the model."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertModel

SCRIPT = """
import sys
import torch, tokenizers, pellucid, pellucid.models.load
def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
pellucid.load("mouse").see("cat and mouse")   # everything is imported and warm
before = peak()
model = pellucid.load(sys.argv[1])
print(peak() - before, sum(p.nbytes for p in model.parameters()))
print(model(torch.tensor([[1, 2, 3]])).hidden.isfinite().all().item())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_loading_takes_little_more_than_the_weights(minilm: Path, tmp_path: Path) -> None:
    sizes = {"hidden_size": 768, "num_hidden_layers": 4, "num_attention_heads": 12}
    with torch.device("meta"):
        model = BertModel(BertConfig(**sizes))
    model.to_empty(device="cpu")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.01)
    model.save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_bytes((minilm / "vocab.txt").read_bytes())
    del model
    run = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=True)
    more, weights, finite = done.stdout.split()
    assert int(weights) > 200e6
    assert int(more) <= 1.15 * int(weights)
    assert finite == "True"
