"""Many small ES modules as one script, so that a page needs no server and no build step.

Each module keeps a scope of its own, and comes after those it imports. Only what our own modules
use is understood, `import { a, b } from "./c.js";` and `export` before a declaration; any other
import or export is an error, not a surprise. Comments stay behind: a page is small.
"""

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "(\.[\w./]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
BLOCK = r"/\*\*(?:(?!\*/).)*\*/"
COMMENT = re.compile(rf"^ *(?://[^\n]*|{BLOCK})\n|{BLOCK} ", re.DOTALL | re.MULTILINE)
STRANGE = re.compile(r"^\s*(?:import|export)\b.*|\bimport\s*[(.].*", re.MULTILINE)
UNSAFE = re.compile(r"</script|<!--", re.IGNORECASE)  # would end the element the script stands in


def inline(entry: Path) -> str:
    """The module at this path and all that it imports, as one script."""
    done: dict[Path, str] = {}
    _add(entry.resolve(), done, ())
    names = [_name(path) for path in done]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"Two modules have the same name: {', '.join(sorted(twice))}.")
    return "\n".join(done.values())


def _add(path: Path, done: dict[Path, str], importers: tuple[Path, ...]) -> None:
    """Add a module after those it imports, each once."""
    if path in importers:
        raise ValueError(f"{path.name} imports itself, by way of {importers[-1].name}.")
    if path in done:
        return
    source = path.read_text(encoding="utf-8")
    for match in IMPORT.finditer(source):
        _add((path.parent / match[2]).resolve(), done, (*importers, path))
    done[path] = _scoped(path, source)


def _scoped(path: Path, source: str) -> str:
    """A module as a function that is called once and returns what the module exports."""
    exports = ", ".join(EXPORT.findall(source))
    body = COMMENT.sub("", EXPORT.sub("", IMPORT.sub(_unpacked, source)))
    if strange := STRANGE.search(body) or UNSAFE.search(body):
        raise ValueError(f"{path.name} has what cannot be made part of a page: {strange[0]!r}.")
    return f"const {_name(path)} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"


def _unpacked(match: re.Match[str]) -> str:
    return f"const {{{match[1]}}} = {_name(Path(match[2]))};"


def _name(path: Path) -> str:
    return f"module_{path.stem}"
