"""A still: the lines of a terminal view as one HTML page that asks nobody for anything."""

from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 100  # cells
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Pellucid</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 2rem auto; max-width: max-content; padding: 0 1rem; }}
pre {{ font: 14px/1.35 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
{stylesheet}
</style>
</head>
<body>
<pre>{code}</pre>
</body>
</html>
"""


def fill(draw: Callable[[int], Iterator[Text]], path: Path) -> None:
    """Write what is drawn, a hundred cells wide."""
    path.write_text(coloured(draw, PAGE), encoding="utf-8")


def coloured(
    draw: Callable[[int], Iterator[Text]], form: str, *, inline_styles: bool = False
) -> str:
    """What is drawn as HTML of this form."""
    console = Console(
        record=True, file=StringIO(), width=WIDTH, color_system="truecolor", highlight=False
    )
    for line in draw(WIDTH):
        console.print(line, soft_wrap=True)
    return console.export_html(code_format=form, inline_styles=inline_styles)
