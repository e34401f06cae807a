"""The page's modules say what they take and give, and TypeScript's checker agrees."""

import os
import shutil
import subprocess

import pytest

from pellucid.views.page import WEB

COMPILER = "typescript@5.9.3"
STRICT = (
    "--noEmit --allowJs --checkJs --strict --target es2023 --module esnext "
    "--moduleResolution bundler --lib es2023,dom,dom.iterable"
).split()
ENTRIES = ("page.js", "live.js", "widget.js", "compared.js")


def test_types() -> None:
    npm = shutil.which("npm") or pytest.skip("npm, which brings the checker, is not here")
    command = [npm, "exec", "--yes", f"--package={COMPILER}", "--", "tsc"]
    entries = [str(WEB / entry) for entry in ENTRIES if (WEB / entry).exists()]
    there = subprocess.run([*command, "--version"], capture_output=True, timeout=120, check=False)
    if there.returncode:
        pytest.skip("npm could not fetch the checker")
    checked = subprocess.run(
        [*command, *STRICT, *entries],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert checked.returncode == 0, checked.stdout
