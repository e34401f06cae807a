"""Small models that write, and what follows a prompt in them, for slow and obvious searches."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
import zoo

from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.model import Model

START, END = 0, 5
PROMPT = "the seal slept"


def writer(name: str = "decoder", **changes: Any) -> Model:
    """A model of the zoo with a start and an end, exact enough to compare sums."""
    model = zoo.build(name, **{"longest": 24} | changes)
    model.generation = {"decoder_start_token_id": START, "eos_token_id": END}
    return model.double()


@torch.no_grad()
def following(model: Model, text: str = PROMPT) -> Callable[[tuple[int, ...]], list[float]]:
    """The log-probabilities of what may come after a prompt and some tokens, without a cache."""
    prompt = list(model.tokenizer.encode(text).ids)

    @cache
    def after(ids: tuple[int, ...]) -> list[float]:
        with torch.no_grad():
            if isinstance(model, EncoderDecoder):
                logits = model(torch.tensor([prompt]), torch.tensor([[START, *ids]])).logits
            else:
                logits = model(torch.tensor([[*prompt, *ids]])).logits
        return logits[0, -1].log_softmax(-1).tolist()

    return after
