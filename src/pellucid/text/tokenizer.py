"""Subword tokenizers: the `tokenizers` library does the work, this shows where pieces lie."""

import json
from collections.abc import Callable
from pathlib import Path

import tokenizers

from pellucid.errors import PellucidError, UsageError
from pellucid.record.tokens import Tokens


def check_text(text: str) -> str:
    """The text, if it is one that can be read."""
    if not text.strip():
        raise UsageError("The text is empty; give at least one word.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The text is not valid UTF-8 at character {error.start}; save it as UTF-8."
        ) from error
    return text


class Tokenizer:
    """Text to `Tokens` and back, exactly as the model was trained."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        inner.no_truncation()
        inner.no_padding()
        self.inner = inner

    def encode(self, text: str) -> Tokens:
        """The text's pieces, with the special ones that the model expects around them."""
        encoding = self._encode(check_text(text))
        return Tokens(
            text=text,
            ids=tuple(encoding.ids),
            pieces=tuple(encoding.tokens),
            offsets=tuple(encoding.offsets),
            special=tuple(map(bool, encoding.special_tokens_mask)),
        )

    def _encode(self, text: str) -> tokenizers.Encoding:
        try:
            return self.inner.encode(text)
        except Exception as error:  # the library's own bare Exception: a word without a number
            words = ", ".join(sorted(self.inner.get_vocab()))
            raise UsageError(f"A word of {text!r} is unknown here; known are {words}.") from error

    def decode(self, ids: list[int]) -> str:
        """Ids as text, special pieces left out."""
        return str(self.inner.decode(ids))

    def piece(self, number: int) -> str:
        """One piece of the vocabulary, as a person reads it."""
        return self.inner.decode([number], skip_special_tokens=False) or str(
            self.inner.id_to_token(number)
        )


def load_tokenizer(folder: Path) -> Tokenizer:
    """From tokenizer.json, vocab.txt (WordPiece), or vocab.json and merges.txt (byte-level BPE)."""
    for names, read in READERS.items():
        paths = [folder / name for name in names]
        if all(path.is_file() for path in paths):
            return _read(read, paths)
    expected = "; or ".join(" and ".join(names) for names in READERS)
    raise PellucidError(f"{folder} has no tokenizer; expected {expected}.")


def _read(read: Callable[..., tokenizers.Tokenizer], paths: list[Path]) -> Tokenizer:
    try:
        return Tokenizer(read(*map(str, paths)))
    except Exception as error:  # the library raises bare Exception for a broken file
        raise PellucidError(f"{paths[0]} is no tokenizer that can be read ({error}).") from error


def _byte_level(vocabulary: str, merges: str) -> tokenizers.Tokenizer:
    """GPT-2's: <|endoftext|> is a piece of its own."""
    model = tokenizers.models.BPE.from_file(vocabulary, merges)
    inner = tokenizers.Tokenizer(model)
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = tokenizers.decoders.ByteLevel()
    inner.add_special_tokens(["<|endoftext|>"])
    return inner


def _word_piece(vocabulary: str) -> tokenizers.Tokenizer:
    """BERT's: [CLS] in front, [SEP] behind; lower case where the configuration does not object."""
    settings = Path(vocabulary).parent / "tokenizer_config.json"
    lower = not settings.is_file() or json.loads(settings.read_text()).get("do_lower_case", True)
    wordpiece = tokenizers.BertWordPieceTokenizer(vocabulary, lowercase=lower)
    return wordpiece._tokenizer  # the plain tokenizer under its wrapper


READERS: dict[tuple[str, ...], Callable[..., tokenizers.Tokenizer]] = {
    ("tokenizer.json",): tokenizers.Tokenizer.from_file,
    ("vocab.txt",): _word_piece,
    ("vocab.json", "merges.txt"): _byte_level,
}
