"""The guide cannot lie: every example in it is run, and the site is made of nothing else."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "```python" in path.read_text("utf-8"))
CHAPTERS = [path for path in PAGES if path.parent.name == "guide"]
PARTS = ("What people get wrong", "Exercise", "In our code")


@pytest.fixture(scope="session")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("guide_build", DOCS / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, minilm: Path, smollm2: Path) -> Path:
    """The whole site, made by a process of its own: every example has been run."""
    if not all(map(importlib.util.find_spec, ("mkdocs", "material", "latex2mathml"))):
        pytest.skip(
            "mkdocs-material or latex2mathml is not installed: pip install 'pellucid[docs]'"
        )
    here = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, here / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "CHANGELOG.md", "benchmarks/RESULTS.md"):
        (here / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, here / name)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    alone = os.environ | {"OMP_NUM_THREADS": "1"}  # small models only wait for a second thread
    done = subprocess.run(command, cwd=here, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return here / "build" / "site"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_have_run(page: Path, site: Path) -> None:
    made = (site / page.relative_to(DOCS).with_suffix(".html")).read_text(encoding="utf-8")
    assert 'class="output highlight"' in made or "<td>" in made


def test_the_site_asks_nothing_of_the_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        asked = re.findall(r"""src=["']?https?://\S+""", page.read_text(encoding="utf-8"))
        assert asked == [], page


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
