"""The guide, made: every example is run, and what it prints and draws is put beneath it.

MkDocs calls `on_page_markdown` with each page, the tests call `run`. In a page

    ```python             is run: a page's blocks share their names and a folder of their own;
                          what a block prints stands beneath it
    ```python table       prints Markdown, which is set as such; the code is not shown
    ```sh                 is run: lines that begin with `pellucid`, in the same folder
    ```sh quiet           is run, and what it prints is left out
    ```sh fails           is run, and must end with an error
    ![what](made.svg)     is a picture that a block has drawn
    ![what](made.html)    is a page to touch; behind a # may stand what it shows first
    [what](made.xlsx)     is a file that a block has written, to be taken along
    {{ module:name }}     is the source of a function, a class or an operation
    $…$ and $$…$$         are LaTeX, set as MathML, which browsers draw without a script
"""

import ast
import os
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from html import escape
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shutil import rmtree
from textwrap import dedent, indent
from typing import Any

FENCE = re.compile(r"(^ *```[^\n]*\n.*?^ *```$)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"( *)```(python|sh)( \w+)?\n(.*)^ *```$", re.MULTILINE | re.DOTALL)
SOURCE = re.compile(r"^\{\{ ([\w.]+):([\w.]+) \}\}$", re.MULTILINE)
PICTURE = re.compile(r"!\[([^\]]+)\]\(([\w-]+\.(?:svg|png|html))(#[\w=&]+)?\)")
TAKEN = re.compile(r"(?<!!)\[([^\]]+)\]\(([\w-]+\.(?!md)\w+)\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)

HERE = Path(__file__).parent

os.environ["COLUMNS"] = "88"  # so wide is a terminal on these pages


def run(markdown: str, folder: Path) -> str:
    """The page with what its examples print; what they write is in the folder."""
    names: dict[str, Any] = {"__name__": "guide"}
    sys.path.append(str(HERE))  # a page may import what stands beside this file
    with chdir(folder):
        parts = [example(part, names) for part in FENCE.split(markdown)]
    missing = wanted(markdown) - {path.name for path in folder.iterdir()}
    if missing:
        raise FileNotFoundError(f"No example has made {', '.join(sorted(missing))}.")
    return "".join(parts)


def wanted(markdown: str) -> set[str]:
    """The files that a page shows or offers."""
    return {name for kind in (PICTURE, TAKEN) for _, name, *_ in kind.findall(markdown)}


def example(part: str, names: dict[str, Any]) -> str:
    """A block of Python or of commands, and its output; anything else as it is."""
    found = EXAMPLE.fullmatch(part)
    if not found:
        return part
    margin, language, manner, code = found.groups()
    said = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
    try:
        with redirect_stdout(said):
            LANGUAGES[language](dedent(code), names, manner)
    except Exception as error:
        error.add_note(f"in the example\n{code}")
        raise
    output = said.buffer.getvalue().decode().rstrip()
    if manner == " table":
        return output
    shown = part.replace(manner or "", "", 1)
    if manner == " quiet" or not output:
        return shown
    return f"{shown}\n\n" + indent(f"``` {{ .text .output }}\n{output}\n```", margin)


def python(code: str, names: dict[str, Any], manner: str | None) -> None:
    exec(compile(code, "<example>", "exec"), names)


def shell(code: str, names: dict[str, Any], manner: str | None) -> None:
    """Commands of ours, one a line, within this process."""
    from pellucid.cli import main

    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["pellucid"]:
            raise ValueError(f"{line}: only `pellucid` is run here.")
        with redirect_stderr(sys.stdout):
            status = main(words[1:])
        if bool(status) != (manner == " fails"):
            raise RuntimeError(f"{line} ended with {status}: {sys.stdout.buffer.getvalue()!r}")


LANGUAGES = {"python": python, "sh": shell}


def source(module: str, name: str) -> str:
    """The code of `Class.method`, of a function or of an operation, with its file's name."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"There is no module {module}.")
    text = Path(spec.origin).read_text(encoding="utf-8")
    node: Any = ast.parse(text)
    for part in name.split("."):
        node = next((each for each in node.body if part in named(each)), None)
        if node is None:
            raise LookupError(f"There is no {name} in {module}.")
    first = min(each.lineno for each in [node, *getattr(node, "decorator_list", [])])
    code = dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]))
    title = f"`src/{module.replace('.', '/')}.py`: `{name}`"
    return f'??? abstract "{title}"\n\n' + indent(f"```py\n{code}\n```\n", "    ")


def named(node: ast.AST) -> list[str]:
    """The names that a statement gives."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [node.name] if hasattr(node, "name") else names


def formula(found: re.Match[str]) -> str:
    """LaTeX as MathML, on a line of its own or within one."""
    from latex2mathml.converter import convert

    if found[1]:
        return f'<div class="formula">{convert(found[1].strip(), display="block")}</div>'
    return f"<span>{convert(found[2])}</span>"


def picture(found: re.Match[str], page: str) -> str:
    """A picture from the page's folder; a page of numbers in a frame, and by itself."""
    what, name, first = found.groups()
    if not name.endswith(".html"):
        return f"![{what}]({page}/{name})"
    address = escape(f"{page}/{name}{first or ''}")
    frame = f'<iframe src="{address}" title="{escape(what)}" loading="lazy"></iframe>'
    alone = f'<a href="{address}">Open it by itself.</a>'
    return f'<figure class="live">{frame}<figcaption>{escape(what)} {alone}</figcaption></figure>'


def prose(text: str, page: str) -> str:
    """Everything but code: its formulas, pictures, files and sources."""
    text = FORMULA.sub(formula, text)
    text = PICTURE.sub(lambda found: picture(found, page), text)
    text = TAKEN.sub(rf"[\1]({page}/\2)", text)
    return SOURCE.sub(lambda found: source(*found.groups()), text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if FENCE.fullmatch(part) else change(part) for part in FENCE.split(text))


def with_notebook(markdown: str, place: Path) -> str:
    """A chapter's heading, and beneath it where the chapter is as a notebook."""
    if not (HERE / "notebooks" / f"{place.name}.ipynb").exists():
        return markdown
    heading, _, rest = markdown.partition("\n")
    link = f"[This chapter as a notebook](../notebooks/{place.name}.ipynb){{ .notebook download }}"
    return f"{heading}\n\n{link}\n{rest}"


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """MkDocs' hook: the page as it will be set, and the files it made beside it."""
    from mkdocs.structure.files import File

    place = Path(page.file.src_uri).with_suffix("")
    folder = HERE.parent / "build" / "docs" / place
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = run(markdown, folder)
    for name in sorted(wanted(markdown)):
        uri = (place / name).as_posix()
        files.append(File.generated(config, uri, abs_src_path=str(folder / name)))
    for run_or_model in filter(Path.is_dir, folder.iterdir()):  # nobody takes these along
        rmtree(run_or_model)
    made = outside_code(made, lambda text: prose(text, place.name))
    return with_notebook(made, place)


def on_files(files: Any, *, config: Any) -> Any:
    """MkDocs' hook: the pictures that the results show."""
    from mkdocs.structure.files import File

    for path in sorted((HERE.parent / "benchmarks").glob("*.png")):
        files.append(File.generated(config, f"results/{path.name}", abs_src_path=str(path)))
    return files
