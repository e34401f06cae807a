"""The page: a trace as one HTML file that asks nobody for anything.

Style, script and data stand in the file itself. Its Content-Security-Policy allows this style and
this script by their hashes, and nothing else: a token is never anything but text.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from pellucid.record.store import Wish
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace
from pellucid.views.labels import label, printable
from pellucid.views.modules import inline
from pellucid.views.packing import Packed, pack
from pellucid.views.payload import Payload, payload

WEB = Path(__file__).parent / "web"
STYLES = ("page.css", "steps.css", "compared.css")
LONGEST_TITLE = 60


def fill(trace: Trace, path: Path, wish: Wish) -> None:
    """Write the page; what a text cannot say in UTF-8 (half an emoji) is written as a number."""
    text = page(trace, wish.weights, wish.layers)
    path.write_bytes(text.encode("utf-8", "xmlcharrefreplace"))


def page(trace: Trace, weights: str = "small", layers: Sequence[int] | None = None) -> str:
    """The page as HTML."""
    return document(
        "page.js",
        title=_title(trace),
        tables="\n".join(_tables(trace)),
        parts="\n".join(elements(parts(payload(trace, weights, layers)))),
    )


def document(entry: str, *, connect: str = "'none'", **contents: str) -> str:
    """The HTML around a program, which may ask only `connect` for anything."""
    style = "".join((WEB / name).read_text(encoding="utf-8") for name in STYLES)
    script = inline(WEB / entry)
    return Template((WEB / "page.html").read_text(encoding="utf-8")).substitute(
        policy=f"{_policy(style, script)}; connect-src {connect}",
        style=style,
        script=script,
        **contents,
    )


def parts(payload: Payload) -> dict[str, Packed]:
    """The description and the numbers, by name."""
    return {"trace": packed_json(payload.about), **payload.parts}


def elements(parts: Mapping[str, Packed]) -> Iterator[str]:
    """The parts, each an element that no browser runs or shows."""
    for name, packed in parts.items():
        yield (
            f'<script type="text/plain" class="packed" data-part="{escape(name)}" '
            f'data-bytes="{packed.bytes}">{packed.text}</script>'
        )


def packed_json(data: object) -> Packed:
    """Plain data as a page stores it."""
    return pack(json.dumps(data, allow_nan=False, separators=(",", ":")).encode())


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "img-src blob:; base-uri 'none'; form-action 'none'"
    )


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode('ascii')}'"


def _title(trace: Trace) -> str:
    text = next((texts[0].text for texts in trace.texts.values()), "a trace")
    return _shown(text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…")


def _tables(trace: Trace) -> list[str]:
    """The tokens as plain HTML, for those who have no JavaScript."""
    return [table(tokens) for texts in trace.texts.values() for tokens in texts]


def table(tokens: Tokens) -> str:
    """A text and its tokens as plain HTML."""
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
