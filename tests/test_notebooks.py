"""The guide's notebooks are the guide, and run as they are."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scripts import taken_in

DOCS = Path(__file__).parent.parent / "docs"
CHAPTERS = sorted((DOCS / "guide").glob("*.md"))

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

# a kernel's own libraries warn about what is theirs
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="session")
def maker() -> ModuleType:
    return taken_in(DOCS / "notebooks.py")


def test_they_are_what_the_chapters_say_now(maker: ModuleType) -> None:
    for path, text in maker.notebooks():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/notebooks.py"
    assert len(list((DOCS / "notebooks").glob("*.ipynb"))) == len(CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_every_example_is_a_cell(chapter: Path, maker: ModuleType) -> None:
    text = chapter.read_text(encoding="utf-8")
    made = maker.notebook(text)
    code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    examples = text.count("```python") + text.count("```sh")
    assert len(code) == 1 + examples + len(maker.PICTURE.findall(text))
    prose = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    assert not any(sign in prose for sign in ("{{", "???", "```python", ".md)"))


def executed(path: Path, folder: Path) -> Any:
    made = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(made, timeout=300, resources={"metadata": {"path": folder}}).execute()
    return made


@pytest.mark.parametrize("name", ["01-words", "05-attention"])
def test_a_lesson_runs_in_jupyter(name: str, tmp_path: Path, minilm: Path) -> None:
    made = executed(DOCS / "notebooks" / f"{name}.ipynb", tmp_path)
    said = [cell.outputs for cell in made.cells if cell.cell_type == "code"][1:]
    assert said[0]
    assert not any(output.output_type == "error" for outputs in said for output in outputs)
