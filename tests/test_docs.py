"""The guide cannot lie: every example in it is run, and the site is made of nothing else."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from scripts import taken_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TEXTS = sorted(DOCS.rglob("*.md"))
PAGES = [path for path in TEXTS if re.search("```(python|sh)", path.read_text("utf-8"))]
CHAPTERS = [path for path in PAGES if path.parent.name == "guide"]
PARTS = ("What people get wrong", "Exercise", "In our code")
LIVE = [path for path in CHAPTERS if path.name[:2] not in ("01", "02", "15", "16")]
LARGEST = 320_000  # bytes of a page within a chapter; 140,000 of them are the page's own program

NEEDED = ("mkdocs", "material", "mkdocstrings_handlers.python", "latex2mathml", "onnxscript")
BESIDE = ("CHANGELOG.md", "mkdocs.yml", "benchmarks/*.md", "benchmarks/*.png")

AMERICAN = re.compile(
    r"\b(color|center|behavior|favorite|neighbor|gray|labeled|modeled|traveled|analyz"
    r"|(?:normal|recogn|organ|summar|visual|initial|general|special|real|memor|minim|maxim)iz)\w*",
    re.IGNORECASE,
)
CODE = re.compile(
    r"^ *```.*?^ *```$|^(?::::|\{\{)[^\n]*$|`[^`\n]+`|\$\$.*?\$\$|\]\([^)]*\)",
    re.MULTILINE | re.DOTALL,
)
SAID = re.compile(r"`(pellucid [^`\n]+)`|^(pellucid .+)$", re.MULTILINE)


# a second thread only waits; and the theme would tell of its successor
QUIETLY = {"OMP_NUM_THREADS": "1", "NO_MKDOCS_2_WARNING": "1"}


def there(module: str) -> bool:
    """Whether a module can be imported; without its parent it cannot."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(scope="session")
def build() -> ModuleType:
    return taken_in(DOCS / "build.py")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, minilm: Path, smollm2: Path) -> Path:
    """The whole site, made by a process of its own: every example has been run."""
    if not all(map(there, NEEDED)):
        pytest.skip("what the site needs is not installed: pip install 'pellucid[docs,onnx]'")
    here = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, here / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    (here / "benchmarks").mkdir()
    for path in (path for pattern in BESIDE for path in ROOT.glob(pattern)):
        shutil.copy(path, here / path.relative_to(ROOT))
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    alone = os.environ | QUIETLY
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


@pytest.mark.parametrize("page", LIVE, ids=lambda page: page.stem)
def test_a_chapter_has_a_page_to_touch(page: Path, site: Path) -> None:
    text = (site / "guide" / f"{page.stem}.html").read_text(encoding="utf-8")
    frames = re.findall(r'<iframe src="?([^" #]+)[^" ]*"? title="[^"]{20,}" loading="?lazy"?', text)
    assert frames
    assert max((site / "guide" / frame).stat().st_size for frame in frames) < LARGEST


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_the_code_it_describes_is_there(page: Path, build: ModuleType) -> None:
    for module, name in build.SOURCE.findall(page.read_text(encoding="utf-8")):
        assert name.rpartition(".")[2] in build.source(module, name)


def test_an_example_that_fails_is_told(build: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as error:
        build.run("Text.\n\n```python\n1 / 0\n```\n", tmp_path)
    assert error.value.__notes__ == ["in the example\n1 / 0\n"]


def test_a_command_that_fails_is_told(build: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="There is no model 'mice'"):
        build.run("```sh\npellucid see --model mice cheese\n```\n", tmp_path)
    assert "There is no model 'mice'" in build.run(
        "```sh fails\npellucid see --model mice cheese\n```\n", tmp_path
    )


def test_a_picture_that_nobody_draws_is_told(build: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No example has made never\.svg"):
        build.run("![A picture](never.svg)", tmp_path)


def test_code_that_is_gone_is_told(build: ModuleType) -> None:
    with pytest.raises(LookupError, match=r"There is no Mask\.colour in pellucid\.nn\.mask"):
        build.source("pellucid.nn.mask", "Mask.colour")


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [p for p in TEXTS if p.relative_to(DOCS).as_posix() not in index] == []


@pytest.mark.parametrize("page", [*TEXTS, ROOT / "README.md"], ids=lambda page: page.stem)
def test_every_picture_says_what_it_shows(page: Path) -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(", page.read_text(encoding="utf-8"))
    assert [alternative for alternative in pictures if len(alternative) < 10] == []


@pytest.mark.parametrize("page", [*TEXTS, ROOT / "README.md"], ids=lambda page: page.stem)
def test_the_spelling_is_british(page: Path) -> None:
    assert AMERICAN.search(CODE.sub("", page.read_text(encoding="utf-8"))) is None


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_a_command_that_is_named_is_there(page: Path) -> None:
    for found in SAID.findall(page.read_text(encoding="utf-8")):
        words = shlex.split("".join(found).replace("…", ""), comments=True)
        command, rest = commanded(words[1:])
        known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
        flags = {word for word in rest if word.startswith("--")} - {"--help"}
        assert flags <= known, " ".join(words)


def commanded(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words begin with, and the rest of them."""
    import typer

    from pellucid.cli import app

    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        assert words[0] in command.commands, words
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    """Of a telephone's width."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    with context.new_page() as page:
        yield page
    context.close()


def test_a_chapter_fits_a_telephone_and_its_page_comes_alive(page: "Page", site: Path) -> None:
    page.goto((site / "guide" / "05-attention.html").as_uri())
    frame = page.frame_locator(".live iframe").first
    page.locator(".live iframe").first.scroll_into_view_if_needed()
    frame.locator("body").get_by_text("cat").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_site_is_searched_without_a_network(page: "Page", site: Path) -> None:
    page.set_viewport_size({"width": 1200, "height": 800})
    page.goto((site / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("perplexity")
    page.locator(".md-search-result__link").first.wait_for()


def test_on_paper_answers_are_open_and_the_frame_is_gone(page: "Page", site: Path) -> None:
    page.goto((site / "guide" / "03-embeddings.html").as_uri())
    answer = page.locator("details.question .highlight").first
    assert not answer.is_visible()
    page.emulate_media(media="print")
    answer.wait_for(state="visible")
    assert not page.locator(".md-tabs").is_visible()
