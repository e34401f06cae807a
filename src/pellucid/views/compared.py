"""The page of a comparison: one word in two texts, where its roads part, and what parted them.

Both traces lie in the page as each would in its own, so whatever it shows of a head can be followed
to its numbers. The shares are the comparison's own; the page only ranks them.
"""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from pellucid.record.store import Wish
from pellucid.record.tokens import Tokens
from pellucid.study.account import Account, Part
from pellucid.study.compare import Comparison
from pellucid.study.place import Place
from pellucid.views.labels import printable
from pellucid.views.packing import Packed
from pellucid.views.page import document, elements, packed_json, parts, table
from pellucid.views.payload import finite, payload

DIGITS = 5  # of a share, after the point
LEAD = 60  # letters before the word, in a heading

Data = dict[str, Any]
Shares = list[dict[str, list[float]]]  # by text, by stream, by token


def fill(comparison: Comparison, path: Path, wish: Wish) -> None:
    """Write the page; what a text cannot say in UTF-8 (half an emoji) is written as a number."""
    path.write_bytes(page(comparison, wish.layers).encode("utf-8", "xmlcharrefreplace"))


def page(comparison: Comparison, layers: Sequence[int] | None = None) -> str:
    """The page as HTML, with all layers or only these."""
    return document(
        "compared.js",
        title=escape(printable(comparison.a.text)),
        tables="\n".join(table(tokens) for place in _places(comparison) for tokens in _read(place)),
        parts="\n".join(elements(together(comparison, layers))),
    )


def together(comparison: Comparison, layers: Sequence[int] | None = None) -> dict[str, Packed]:
    """The comparison, and the parts of both pages behind the number of their text."""
    pages = [parts(payload(p.trace, layers=layers, share=0.5)) for p in _places(comparison)]
    return {"comparison": packed_json(finite(_described(comparison)))} | {
        f"{number}.{name}": packed for number, of in enumerate(pages) for name, packed in of.items()
    }


def _described(comparison: Comparison) -> Data:
    account = comparison.account
    return {
        "places": [_place(place) for place in _places(comparison)],
        "layers": [vars(step) for step in comparison.layers],
        "none": comparison.no_account,
        "kinds": account.by(lambda part: part.what) if account else {},
        "heads": [
            {"place": place, "head": head, "share": share}
            for (place, head), share in comparison.heads.items()
        ],
        "taken": _taken(account) if account else {},
    }


def _place(place: Place) -> Data:
    """A word, its pieces, and its text cut before and after it."""
    start, end = place.span
    text = place.tokens.text
    before = text[:start] if start <= LEAD else "…" + text[start - LEAD : start]
    said = [printable(each) for each in (before, text[start:end], text[end:])]
    return {
        "stream": place.stream,
        "sentence": place.sentence,
        "pieces": place.pieces,
        "said": said,
    }


def _taken(account: Account) -> dict[str, Shares]:
    """What each head took from each token, by `place head`; of all heads together by nothing."""
    found: dict[str, Shares] = {}
    for name in (lambda part: f"{part.place} {part.head}", lambda part: ""):
        for (head, text, stream, token), share in account.by(_token_of(name)).items():
            shares = found.setdefault(head, [{}, {}])[text].setdefault(stream, [])
            shares.extend([0.0] * (token + 1 - len(shares)))
            shares[token] = round(share, DIGITS)
    return found


def _token_of(name: Callable[[Part], str]) -> Callable[[Part], Any]:
    def key(part: Part) -> Any:
        return None if part.token is None else (name(part), part.text, part.stream, part.token)

    return key


def _places(comparison: Comparison) -> tuple[Place, Place]:
    return comparison.a, comparison.b


def _read(place: Place) -> list[Tokens]:
    return [texts[place.sentence] for texts in place.trace.texts.values()]
