"""The page: a trace as one HTML file that asks nobody for anything.

Style, script and data stand in the file itself. Its Content-Security-Policy allows this style and
this script by their hashes, and nothing else: a token is never anything but text.
"""

import hashlib
import json
from base64 import b64encode
from html import escape
from pathlib import Path
from string import Template

from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.views.labels import label, printable
from pellucid.views.modules import inline
from pellucid.views.payload import payload

WEB = Path(__file__).parent / "web"
LONGEST_TITLE = 60


def fill(trace: Trace, path: Path, weights: str) -> None:
    """Write the page; what a text cannot say in UTF-8 (half an emoji) is written as a number."""
    path.write_bytes(page(trace, weights).encode("utf-8", "xmlcharrefreplace"))


def page(trace: Trace, weights: str = "small") -> str:
    """The page as HTML."""
    style = (WEB / "page.css").read_text(encoding="utf-8")
    script = inline(WEB / "page.js")
    return Template((WEB / "page.html").read_text(encoding="utf-8")).substitute(
        policy=_policy(style, script),
        title=_title(trace),
        style=style,
        script=script,
        tables="\n".join(_tables(trace)),
        payload=as_json(payload(trace, weights)),
    )


def as_json(data: object) -> str:
    """JSON that may stand in a script element: without `<` nothing in it can end the element."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", r"\u003c")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode('ascii')}'"


def _title(trace: Trace) -> str:
    text = next((texts[0].text for texts in trace.texts.values()), "a trace")
    return _shown(text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…")


def _tables(trace: Trace) -> list[str]:
    """The tokens as plain HTML, for those who have no JavaScript."""
    return [_table(tokens) for texts in trace.texts.values() for tokens in texts]


def _table(tokens: Tokens) -> str:
    rows = zip(tokens.labels(), tokens.ids, tokens.offsets, strict=True)
    cells = "\n".join(
        f"<tr><td><bdi>{escape(label(word))}</bdi></td><td>{number}</td><td>{start}–{end}</td></tr>"
        for word, number, (start, end) in rows
    )
    head = "<tr><th>token</th><th>id</th><th>characters</th></tr>"
    return f'<p dir="auto">{_shown(tokens.text)}</p>\n<table>\n{head}\n{cells}\n</table>'


def _shown(text: str) -> str:
    """A text for HTML, which has no place for NUL and the like."""
    return escape(printable(text))
