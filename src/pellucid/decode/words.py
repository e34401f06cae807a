"""Words as tokens and tokens as words, on the side of the model that writes."""

from collections.abc import Sequence

from pellucid.errors import UsageError
from pellucid.models.model import Model

Run = tuple[int, ...]

NEAR = 4  # tokens


def pieces(model: Model, text: str) -> list[int]:
    """The text's tokens, without special ones around them."""
    inner = model.tokenizer.target.inner
    try:
        ids = list(inner.encode(text, add_special_tokens=False).ids)
    except Exception as error:  # the library's own bare Exception: a word without a number
        raise UsageError(f"This tokenizer has no tokens for {text!r}.") from error
    unknown = inner.token_to_id(model.tokenizer.target.special.get("unk_token", ""))
    if not ids or unknown in ids:
        raise UsageError(f"This tokenizer has no tokens for {text!r}.")
    return ids


def runs(model: Model, word: str) -> list[Run]:
    """The word as tokens: as it stands at the beginning, and after a space."""
    return list(dict.fromkeys(tuple(pieces(model, form)) for form in (word, f" {word}")))


def joined(model: Model, ids: Sequence[int], prompt: Sequence[int] = ()) -> str:
    """The tokens as text, special ones left out; without a tokenizer, their numbers.

    It is the text that goes on from the prompt, a space before it included: many tokenizers would
    leave that out, so the last few tokens of the prompt are read with it.
    """
    if not model.has_tokenizer:
        return " ".join(map(str, ids))
    decode, near = model.tokenizer.target.decode, list(prompt[-NEAR:])
    before, whole = decode(near) if near else "", decode([*near, *ids])
    return whole.removeprefix(before) if whole.startswith(before) else decode(list(ids))


def piece(model: Model, token: int) -> str:
    """One token as a person reads it."""
    return model.tokenizer.target.piece(token) if model.has_tokenizer else f"<{token}>"
