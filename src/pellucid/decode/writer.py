"""Models that can write: those with a decoder, and a head for words."""

from jaxtyping import Float, Int
from torch import Tensor

from pellucid.errors import UsageError
from pellucid.models.decoder import Decoder
from pellucid.models.encoder_decoder import EncoderDecoder, Memory
from pellucid.models.model import Model
from pellucid.nn.cache import Cache
from pellucid.nn.mask import Mask

Writer = Decoder | EncoderDecoder


def writer(model: Model) -> Writer:
    """The model, if it has words to say."""
    if not isinstance(model, Writer):
        raise UsageError(
            f"{model.name} is an encoder: it reads and does not write. Give a decoder (GPT-2, "
            "Llama) or an encoder-decoder (T5, BART, Marian)."
        )
    if model.config.head != "language":
        raise UsageError(f"{model.name} has no head for words, so it cannot write.")
    if model.training:
        raise UsageError("The model is learning, and dropout would speak too: model.eval() first.")
    return model


def translator(model: Model) -> EncoderDecoder:
    """The model, if it has a source, too."""
    found = writer(model)
    if not isinstance(found, EncoderDecoder):
        raise UsageError(
            f"{model.name} is a decoder, and translating needs an encoder-decoder (T5, BART, "
            "Marian); pellucid generate goes on from a text."
        )
    return found


def vectors(
    model: Writer,
    ids: Int[Tensor, "B T"],
    mask: Mask,
    memory: Memory | None = None,
    cache: Cache | None = None,
) -> Float[Tensor, "B T W"]:
    """The last vectors of these ids, of whichever kind the model is."""
    if isinstance(model, Decoder):
        return model.hidden(ids, mask, cache)
    assert memory is not None
    return model.hidden(ids, mask, memory, cache)


def words(model: Writer, hidden: Float[Tensor, "B T W"]) -> Float[Tensor, "B T V"]:
    """The logits of what may follow."""
    return model.heads.words(hidden)
