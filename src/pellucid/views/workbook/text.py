"""Words for cells: what no cell can hold is escaped, so that it can be told back."""

import re

LONGEST = 32_000  # characters in a cell; Excel holds 32,767
UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\\\\]")


def shown(text: str) -> str:
    r"""The text with control characters as `\x07`, half characters as `\ud83d`, `\` as `\\`."""
    return UNWRITABLE.sub(lambda found: _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    if letter == "\\":
        return r"\\"
    return rf"\x{ord(letter):02x}" if ord(letter) < 0x100 else rf"\u{ord(letter):04x}"


def told(text: str) -> str:
    """The inverse of `shown`."""
    return re.sub(
        r"\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4}))",
        lambda found: chr(int(found[1] or found[2], 16)) if found[1] or found[2] else "\\",
        text,
    )


def pieces(text: str) -> list[str]:
    """A text of any length, cut to what cells hold."""
    written = shown(text)
    return [written[at : at + LONGEST] for at in range(0, len(written), LONGEST)] or [""]
