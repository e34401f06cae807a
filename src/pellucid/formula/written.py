"""Mathematics in plain characters, for terminals: LaTeX goes in, `q kᵀ / √64` comes out."""

import re
from collections.abc import Callable

SYMBOLS = {
    "query.weight": "W^Q",
    "key.weight": "W^K",
    "value.weight": "W^V",
    "output.weight": "W^O",
    "query.bias": "b^Q",
    "key.bias": "b^K",
    "value.bias": "b^V",
    "output.bias": "b^O",
    "hidden.weight": "W^1",
    "hidden.bias": "b^1",
    "gate.weight": "W^3",
    "gate.bias": "b^3",
    "dense.weight": "W",
    "dense.bias": "b",
    "words.weight": "E",
    "weight": r"\gamma",
    "bias": r"\beta",
}

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

PLAIN: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\{(\w\^\w)\}(?=\^)", r"\1"),
    (r"\^\\top", "ᵀ"),
    (r"\\[td]?frac12", "½"),
    (r"\\sqrt\{(\w+)\}", r"√\1"),
    (r"\\sqrt\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r"√(\1)"),
    (r"\\frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r"(\1) / \2"),
    (r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1"),
    (r"_\{([^{}]*)\}", r"_\1"),
    (r"\^\{([-\d]+)\}", lambda found: found[1].translate(RAISED)),
    (r"\^\{([^{}]*)\}", r"^(\1)"),
    (r"(?<=[Wb])\^(\w)", r"_\1"),
    (r"\^(\d)", lambda found: found[1].translate(RAISED)),
    (r"\\(?:,|left|right)", " "),
    (r"\\ ", " "),
]

GREEK = {
    r"\gamma": "γ", r"\beta": "β", r"\odot": "⊙", r"\infty": "∞", r"\Phi": "Φ", r"\sigma": "σ",
    r"\cdot": "·", r"\pi": "π", r"\max": "max", r"\tanh": "tanh", r"\log": "log ", r"\sin": "sin",
    r"\cos": "cos",
}  # fmt: skip


def symbol(name: str) -> str:
    """A weight's name as LaTeX: its paper's letter where it has one, else the word itself."""
    return SYMBOLS.get(name) or word(name)


def word(name: str) -> str:
    """A value's name as LaTeX."""
    escaped = name.replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}"


def plain(latex: str) -> str:
    """LaTeX as one line of plain characters."""
    for pattern, instead in PLAIN:
        latex = re.sub(pattern, instead, latex)
    for command, letter in GREEK.items():
        latex = latex.replace(command, letter)
    return re.sub(r"\((\w+)\) /", r"\1 /", latex.replace(r"\_", "_").replace("  ", " ")).strip()
