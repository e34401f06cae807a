"""A recipe: how one class of tokenizers in `transformers` is put together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tokenizers import AddedToken, Tokenizer, processors

from pellucid.text.folder import Folder

Special = Mapping[str, AddedToken]


@dataclass(frozen=True)
class Recipe:
    """One class, by its names there, and the families whose models use it unless they say other.

    `make` builds it of one of the sets of `files`; `settle` brings into it what the folder's
    settings ask for, also where it came from tokenizer.json. `special` are its tokens by role.
    """

    names: tuple[str, ...]
    families: tuple[str, ...]
    files: tuple[tuple[str, ...], ...]
    special: Mapping[str, str]
    make: Callable[..., Tokenizer]
    settle: Callable[[Tokenizer, Folder, Special], None]


def frame(inner: Tokenizer, special: Special, single: str, pair: str) -> None:
    """Let special tokens stand around one text ($A) and two ($A, $B), unless some do already."""
    if inner.post_processor is not None:
        return
    used = {part.partition(":")[0] for part in f"{single} {pair}".split() if part[0] != "$"}
    numbers = [numbered(inner, special, role) for role in sorted(used)]
    forms = [[_filled(part, special) for part in form.split()] for form in (single, pair)]
    inner.post_processor = processors.TemplateProcessing(
        single=forms[0], pair=forms[1], special_tokens=numbers
    )


def ends(inner: Tokenizer, folder: Folder, special: Special) -> None:
    """Let the text begin and end as the settings say; they say nothing unless they say it."""
    first, last = (
        role if folder.setting(f"add_{role}_token", False) and f"{role}_token" in special else ""
        for role in ("bos", "eos")
    )
    single = f"{first} $A {last}"
    second = " ".join(f"{part}:1" for part in (first, "$B", last) if part)
    frame(inner, special, single, f"{single} {second}")


def numbered(inner: Tokenizer, special: Special, role: str) -> tuple[str, int]:
    """The special token of a role (`sep`), and its id."""
    token = special.get(f"{role}_token")
    number = inner.token_to_id(token.content) if token else None
    if token is None or number is None:
        raise ValueError(f"no {role}_token, which belongs at an end of every text")
    return token.content, number


def _filled(part: str, special: Special) -> str:
    """`sep:1` as `[SEP]:1`."""
    role, colon, segment = part.partition(":")
    return part if part[0] == "$" else special[f"{role}_token"].content + colon + segment
