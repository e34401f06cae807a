"""The rules of the house: small pieces, and imports that point one way."""

import ast
from collections.abc import Iterable, Iterator
from importlib.util import find_spec, resolve_name
from pathlib import Path

LINES, COLUMNS, FUNCTION, PARAMETERS, TEST_LINES = 300, 100, 40, 7, 400
ORDER = "formula record text nn models decode train study checks views cli".split()
STRANGERS = {"decode": {"train"}, "train": {"decode"}}
FOR_ALL = {"errors", "__version__"}

PACKAGE = Path(find_spec("pellucid").origin).parent
CODE = sorted(PACKAGE.rglob("*.py"))
WRITTEN = sorted(path for kind in ("js", "css", "html") for path in PACKAGE.rglob(f"*.{kind}"))
DOORS = (PACKAGE / "__init__.py", PACKAGE / "__main__.py")
TESTS = sorted(Path(__file__).parent.rglob("*.py"))


def too_long(path: Path, limit: int) -> Iterator[str]:
    lines = path.read_text().splitlines()
    if len(lines) > limit:
        yield f"{path}: {len(lines)} lines, at most {limit}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS}"


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def span(node: ast.AST) -> int:
    return node.end_lineno - node.lineno + 1


def length(function: ast.FunctionDef) -> int:
    docstring = ast.get_docstring(function) is not None
    return span(function) - (span(function.body[0]) if docstring else 0)


def parameters(function: ast.FunctionDef) -> int:
    given = function.args
    named = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    gathered = [each for each in (given.vararg, given.kwarg) if each]
    return len(named) + len(gathered) - (named[:1] in (["self"], ["cls"]))


def too_big(path: Path) -> Iterator[str]:
    for function in functions(path):
        where = f"{path}:{function.lineno}: {function.name}"
        if length(function) > FUNCTION:
            yield f"{where} has {length(function)} lines, at most {FUNCTION}"
        if parameters(function) > PARAMETERS:
            yield f"{where} has {parameters(function)} parameters, at most {PARAMETERS}"


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything imported: `from ..nn import mask` is `pellucid.nn.mask`."""
    package = ".".join(path.relative_to(PACKAGE.parent).parent.parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            yield from ((node.lineno, f"{source}.{each.name}") for each in node.names)


def upstream(path: Path) -> set[str]:
    """What a file may import from pellucid: its own folder and those before it in the journey."""
    home = path.relative_to(PACKAGE).parts[0]
    before = ORDER[: ORDER.index(home) + 1] if home in ORDER else []
    return FOR_ALL.union(before) - STRANGERS.get(home, set())


def against_the_stream(path: Path) -> Iterator[str]:
    for line, name in imports(path):
        root, _, inside = name.partition(".")
        if root == "pellucid" and inside.split(".")[0] not in upstream(path):
            yield f"{path}:{line}: may not import {name}"


def none(offenders: Iterable[str]) -> None:
    found = list(offenders)
    assert not found, "\n" + "\n".join(found)


def test_a_file_fits_in_the_hand() -> None:
    none(line for path in CODE + WRITTEN for line in too_long(path, LINES))
    none(line for path in TESTS for line in too_long(path, TEST_LINES))


def test_a_function_fits_on_the_screen() -> None:
    none(line for path in CODE for line in too_big(path))


def test_every_folder_is_a_stage_of_the_journey() -> None:
    none({path.relative_to(PACKAGE).parts[0] for path in CODE if path.parent != PACKAGE} - {*ORDER})


def test_imports_point_one_way() -> None:
    none(line for path in CODE if path not in DOORS for line in against_the_stream(path))
