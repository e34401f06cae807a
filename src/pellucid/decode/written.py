"""A target as the decoder reads it while it writes: after the start token, and without the end.

A typed text has no start, and its tokenizer ends it. `see` reads what was typed; who asks what the
model says, or looks at what it said, has to read what the model did.
"""

from collections.abc import Mapping
from typing import Any

from pellucid.decode.said import Said
from pellucid.models.model import Model, Texts
from pellucid.record.tokens import Tokens
from pellucid.record.trace import Trace

Read = Mapping[str, list[Tokens]]  # by stream


def see_written(model: Model, *texts: Texts, **seeing: Any) -> Trace:
    """What `model.see` shows, of targets as they are written."""
    return model.see_tokens(written(model, model.read(*texts)), **seeing)


def written(model: Model, read: Read) -> Read:
    """The same texts, and targets as they are written."""
    if "target" not in read:
        return read
    said = Said.of(model)
    targets = [begun(model, unended(tokens, said), said) for tokens in read["target"]]
    return {**read, "target": targets}


def begun(model: Model, tokens: Tokens, said: Said) -> Tokens:
    """After the start token, where the checkpoint says one and nobody typed it."""
    if said.start is None or tokens.ids[:1] == (said.start,):
        return tokens
    model.check_length(len(tokens) + 1)
    return tokens.after(said.start, model.tokenizer.target.piece(said.start))


def unended(tokens: Tokens, said: Said) -> Tokens:
    """Without the end, which is written but never read; one token stays where nothing starts."""
    kept, least = len(tokens), int(said.start is None)
    while kept > least and tokens.ids[kept - 1] in said.ends:
        kept -= 1
    return tokens.upto(kept)
