"""Modules as one script: what the page's own modules use, and nothing else."""

from pathlib import Path

import pytest

from pellucid.views.modules import inline


def modules(folder: Path, **sources: str) -> Path:
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source + "\n")
    return folder / "a.js"


def test_each_module_comes_once_after_those_it_imports(tmp_path: Path) -> None:
    entry = modules(
        tmp_path,
        a='import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\nb(c);',
        b='import { c } from "./c.js";\nexport function b() {}',
        c="export const c = 1;\nexport class D {}",
    )
    script = inline(entry)
    order = [script.index(f"const module_{name} =") for name in "cba"]
    assert order == sorted(order)
    assert script.count("const module_c =") == 1
    assert "return { c, D };" in script
    assert "const { b } = module_b;" in script
    assert not [line for line in script.splitlines() if line.startswith(("import", "export"))]


@pytest.mark.parametrize(
    "source",
    [
        'import everything from "./b.js";',
        'import * as all from "./b.js";',
        'import { b } from "far/away";',
        "export default 1;",
        "export { b };",
        'const b = await import("./b.js");',
        "const here = import.meta.url;",
        'const end = "</script>";',
        'const end = "</SCRIPT>";',
        'const start = "<!--";',
    ],
)
def test_anything_else_is_refused(source: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.js"):
        inline(modules(tmp_path, a=source, b="export const b = 1;"))


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    entry = modules(
        tmp_path,
        a='import { b } from "./b.js";\nexport const a = 1;',
        b='import { a } from "./a.js";\nexport const b = 1;',
    )
    with pytest.raises(ValueError, match="imports itself"):
        inline(entry)


def test_two_modules_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    modules(tmp_path / "other", a="export const other = 1;")
    entry = modules(tmp_path, a='import { other } from "./other/a.js";\nother;')
    with pytest.raises(ValueError, match="same name"):
        inline(entry)
