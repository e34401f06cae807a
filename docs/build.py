"""The guide, made: every example is run, and what it prints and draws is put beneath it.

MkDocs calls `on_page_markdown` with each page, the tests call `run`. In a page

    ```python             is run: a page's blocks share their names and a folder of their own;
                          what a block prints stands beneath it
    ```python table       prints Markdown, which is set as such; the code is not shown
    ![what](made.svg)     is a picture that a block has drawn; of made.html, a page to touch
    {{ module:name }}     is the source of a function, a class or an operation
    $…$ and $$…$$         are LaTeX, set as MathML, which browsers draw without a script
"""

import ast
import re
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from html import escape
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from shutil import rmtree
from textwrap import dedent, indent
from typing import Any

FENCE = re.compile(r"(^ *```[^\n]*\n.*?^ *```$)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"( *)```python( table)?\n(.*)^ *```$", re.MULTILINE | re.DOTALL)
SOURCE = re.compile(r"^\{\{ ([\w.]+):([\w.]+) \}\}$", re.MULTILINE)
PICTURE = re.compile(r"!\[([^\]]+)\]\(([\w-]+\.(?:svg|png|html))\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)

HERE = Path(__file__).parent


def run(markdown: str, folder: Path) -> str:
    """The page with what its examples print; what they write is in the folder."""
    names: dict[str, Any] = {"__name__": "guide"}
    sys.path.append(str(HERE))  # a page may import what stands beside this file
    with chdir(folder):
        parts = [example(part, names) for part in FENCE.split(markdown)]
    missing = {name for _, name in PICTURE.findall(markdown)} - {p.name for p in folder.iterdir()}
    if missing:
        raise FileNotFoundError(f"No example has made {', '.join(sorted(missing))}.")
    return "".join(parts)


def example(part: str, names: dict[str, Any]) -> str:
    """A block of Python and its output; anything else as it is."""
    found = EXAMPLE.fullmatch(part)
    if not found:
        return part
    margin, table, code = found.groups()
    said = StringIO()
    try:
        with redirect_stdout(said):
            exec(compile(dedent(code), "<example>", "exec"), names)
    except Exception as error:
        error.add_note(f"in the example\n{code}")
        raise
    if table:
        return said.getvalue()
    output = f"``` {{ .text .output }}\n{said.getvalue().rstrip()}\n```"
    return f"{part}\n\n{indent(output, margin)}" if said.getvalue() else part


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
    what, name = found.groups()
    if not name.endswith(".html"):
        return f"![{what}]({page}/{name})"
    frame = f'<iframe src="{page}/{name}" title="{escape(what)}" loading="lazy"></iframe>'
    alone = f'<a href="{page}/{name}">Open it by itself.</a>'
    return f'<figure class="live">{frame}<figcaption>{escape(what)} {alone}</figcaption></figure>'


def prose(text: str, page: str) -> str:
    """Everything but code: its formulas, pictures and sources."""
    text = FORMULA.sub(formula, text)
    text = PICTURE.sub(lambda found: picture(found, page), text)
    return SOURCE.sub(lambda found: source(*found.groups()), text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if FENCE.fullmatch(part) else change(part) for part in FENCE.split(text))


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """MkDocs' hook: the page as it will be set, and the files it made beside it."""
    from mkdocs.structure.files import File

    place = Path(page.file.src_uri).with_suffix("")
    folder = HERE.parent / "build" / "docs" / place
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = run(markdown, folder)
    for path in sorted(folder.iterdir()):
        uri = (place / path.name).as_posix()
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return outside_code(made, lambda text: prose(text, place.name))
