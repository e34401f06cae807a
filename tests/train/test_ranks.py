"""Two processes learn what one does: counts and gradients are added up, never averaged."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no processes")


@pytest.mark.parametrize("task", ["bert", "translation"])
def test_two_processes_equal_one(tmp_path: Path, task: str) -> None:
    script = [sys.executable, str(Path(__file__).parent / "train_ranks.py"), str(tmp_path), task]
    ran = subprocess.run(script, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout) < 1e-10
    alone, together = (
        [json.loads(line) for line in (tmp_path / name / "log.jsonl").read_text().splitlines()]
        for name in ("alone", "together")
    )
    assert len(alone) == len(together) == 5
    for one, two in zip(alone, together, strict=True):
        assert one.get("terms", {}).keys() == two.get("terms", {}).keys()
        for term, found in one.get("terms", {}).items():
            assert found["targets"] == two["terms"][term]["targets"]
            assert found["sum"] == pytest.approx(two["terms"][term]["sum"])
            assert found.get("right") == two["terms"][term].get("right")
