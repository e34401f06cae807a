"""The guide cannot lie: every example in it is run, and the site is made of nothing else."""

import functools
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pellucid

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "```python" in path.read_text("utf-8"))
CHAPTERS = [path for path in PAGES if path.parent.name == "guide"]
LOAD = functools.cache(pellucid.load)  # pages share the models, which no page changes
PARTS = ("What people get wrong", "Exercise", "In our code")


@pytest.fixture(scope="session")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("guide_build", DOCS / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pellucid, "load", LOAD, raising=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.usefixtures("minilm", "smollm2")
def test_the_examples_run(page: Path, build: ModuleType, tmp_path: Path) -> None:
    made = build.run(page.read_text(encoding="utf-8"), tmp_path)
    assert "{ .text .output }" in made or "| --- |" in made


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_chapter_has_its_parts(page: Path, build: ModuleType) -> None:
    text = page.read_text(encoding="utf-8")
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert set(PARTS) <= set(parts)
    assert "$$" in text
    assert '??? question "Answer"' in text
    assert build.SOURCE.search(text)


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_the_code_it_describes_is_there(page: Path, build: ModuleType) -> None:
    for module, name in build.SOURCE.findall(page.read_text(encoding="utf-8")):
        assert name.rpartition(".")[2] in build.source(module, name)


def test_an_example_that_fails_is_told(build: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as error:
        build.run("Text.\n\n```python\n1 / 0\n```\n", tmp_path)
    assert error.value.__notes__ == ["in the example\n1 / 0\n"]


def test_a_picture_that_nobody_draws_is_told(build: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No example has made never\.svg"):
        build.run("![A picture](never.svg)", tmp_path)


def test_code_that_is_gone_is_told(build: ModuleType) -> None:
    with pytest.raises(LookupError, match=r"There is no Mask\.colour in pellucid\.nn\.mask"):
        build.source("pellucid.nn.mask", "Mask.colour")


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).as_posix() not in index] == []


def test_the_site_asks_nothing_of_the_network(tmp_path: Path) -> None:
    """Of two pages: a chapter and the quiz; `make docs` makes all of it."""
    if not all(map(importlib.util.find_spec, ("mkdocs", "material", "latex2mathml"))):
        pytest.skip("mkdocs-material or latex2mathml is not installed")
    few = tmp_path / "docs"
    few.mkdir()
    for name in ("build.py", "style.css", "quiz.md", "assets/iframe-worker.js"):
        (few / name).parent.mkdir(exist_ok=True)
        (few / name).write_bytes((DOCS / name).read_bytes())
    (few / "index.md").write_bytes((DOCS / "guide" / "05-attention.md").read_bytes())
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = settings.index("nav:")
    (tmp_path / "mkdocs.yml").write_text(f"{settings[:nav]}nav: [index.md, quiz.md]\n", "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    pages = list((tmp_path / "build" / "site").rglob("*.html"))
    assert {"index.html", "quiz.html", "mouse.html"} <= {page.name for page in pages}
    for page in pages:
        assert not re.search(r"""(?:src|href)=["']?https?://""", page.read_text("utf-8")), page
