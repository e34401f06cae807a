"""Subword tokenizers: the `tokenizers` library does the work, this shows where pieces lie."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import tokenizers

from pellucid.errors import UsageError
from pellucid.record.tokens import Tokens
from pellucid.text.lines import half_at

Span = tuple[int, int]  # characters, from the first to before the last
Given = tuple[str, list[Span]]

FEW = 40  # words that a message can list


def check_text(text: str) -> str:
    """The text, if it is one that can be read."""
    if not text.strip():
        raise UsageError("The text is empty; give at least one word.")
    if (half := half_at(text)) is not None:
        raise UsageError(f"The text is not valid UTF-8 at character {half}; save it as UTF-8.")
    return text


class Tokenizer:
    """Text to `Tokens` and back, exactly as the model was trained.

    `special` are its special pieces by role (`eos_token`), where they are known. `target` is the
    tokenizer of what an encoder-decoder writes: as a rule the very same.
    """

    def __init__(
        self, inner: tokenizers.Tokenizer, special: Mapping[str, str] | None = None
    ) -> None:
        inner.no_truncation()
        inner.no_padding()
        self.inner = inner
        self.special = dict(special or {})
        self.target: Tokenizer = self

    def encode(self, text: str, pair: str | None = None) -> Tokens:
        """The text's pieces, with the special ones that the model expects around them.

        With `pair` two texts are read as one, the second on a line of its own; `segments` then
        tells them apart where the model was trained to.
        """
        whole = check_text(text) if pair is None else f"{check_text(text)}\n{check_text(pair)}"
        encoding = self._encode(text, pair)
        if not encoding.ids:
            raise UsageError(f"This tokenizer keeps nothing of {text!r}; give at least one word.")
        shifts = [
            len(whole) - len(pair) if pair and which else 0 for which in encoding.sequence_ids
        ]
        return Tokens(
            text=whole,
            ids=tuple(encoding.ids),
            pieces=tuple(encoding.tokens),
            offsets=tuple(
                (a + s, b + s) for (a, b), s in zip(encoding.offsets, shifts, strict=True)
            ),
            special=tuple(map(bool, encoding.special_tokens_mask)),
            segments=tuple(encoding.type_ids),
        )

    def given(self, text: str) -> Iterator[Given]:
        """What of the text the library is given, and which characters each letter of it is."""
        yield text, [(at, at + 1) for at in range(len(text))]

    def decode(self, ids: list[int]) -> str:
        """Ids as text, special pieces left out."""
        return str(self.inner.decode(ids))

    def piece(self, number: int) -> str:
        """One piece of the vocabulary, as a person reads it; `<7>` where there is none."""
        shown = self.inner.decode([number], skip_special_tokens=False)
        return shown or self.inner.id_to_token(number) or f"<{number}>"

    def save(self, folder: Path) -> None:
        """Write tokenizer.json, which `transformers` reads as well."""
        self.inner.save(str(folder / "tokenizer.json"))
        settings = {"tokenizer_class": "PreTrainedTokenizerFast"} | self.special
        text = json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
        (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")

    def _encode(self, text: str, pair: str | None) -> tokenizers.Encoding:
        try:
            return self.inner.encode(text, pair)
        except Exception as error:  # the library's own bare Exception: a word without a number
            known = sorted(self.inner.get_vocab())
            listed = f"known are {', '.join(known)}" if len(known) < FEW else "choose another"
            raise UsageError(f"A word of {text!r} is unknown here; {listed}.") from error
