"""What a checkpoint says about generating, in generation_config.json or in config.json.

It is honoured, or named. Where nothing is said, our own choices differ from those of
`transformers`:

    |                          | transformers         | here                            |
    | ------------------------ | -------------------- | ------------------------------- |
    | how long                 | 20 tokens            | as far as the model's positions |
    | when beams stop          | heuristic            | exact                           |
    | sampling                 | of the 50 likeliest  | of all                          |
    | repetition, with beams   | on log-probabilities | on logits, as without           |
    | the text of a decoder    | prompt and answer    | the answer                      |
    | groups keep apart from   | branches that go on  | those that end, too             |
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.models.model import Model

# their name → ours, and their values in our words where they differ
CHOICES: dict[str, tuple[str, Mapping[Any, Any]]] = {
    "do_sample": ("pick", {True: "sample", False: "likeliest"}),
    "num_beams": ("beams", {}),
    "num_return_sequences": ("best", {}),
    "num_beam_groups": ("groups", {}),
    "diversity_penalty": ("diversity", {}),
    "early_stopping": ("stopping", {True: "first", False: "heuristic", "never": "exact"}),
    "length_penalty": ("length_penalty", {}),
    "max_new_tokens": ("max_new_tokens", {}),
    "min_new_tokens": ("min_new_tokens", {}),
    "temperature": ("temperature", {}),
    "top_k": ("top_k", {}),
    "top_p": ("top_p", {}),
    "min_p": ("min_p", {}),
    "typical_p": ("typical", {}),
    "repetition_penalty": ("repetition", {}),
    "no_repeat_ngram_size": ("no_repeat", {}),
    "stop_strings": ("stop", {}),
}
NOT_FOLLOWED = (
    "penalty_alpha",
    "encoder_repetition_penalty",
    "encoder_no_repeat_ngram_size",
    "epsilon_cutoff",
    "eta_cutoff",
    "exponential_decay_length_penalty",
    "sequence_bias",
    "guidance_scale",
    "force_words_ids",
    "constraints",
    "forced_decoder_ids",
    "renormalize_logits",
    "watermarking_config",
    "dola_layers",
)
Runs = tuple[tuple[int, ...], ...]
NOTHING: tuple[Any, ...] = (None, False, 0, 1, 1.0, [], {})  # values by which nothing is asked for


@dataclass(frozen=True)
class Said:
    """The special tokens of a generation, its usual choices, and lengths with the prompt in them.

    `barred` are runs of tokens that never come, `not_first` tokens that do not come first;
    `first` and `last` are forced at the first step and at the last one.
    """

    start: int | None
    ends: frozenset[int]
    first: int | None
    last: int | None
    barred: Runs
    not_first: Runs
    choices: Mapping[str, Any]
    max_length: int
    min_length: int

    @classmethod
    def of(cls, model: Model) -> "Said":
        """From the model's settings."""
        told = {**model.settings, **model.generation}
        _name_the_rest(told)
        vocabulary = model.config.vocabulary

        def one(name: str) -> int | None:
            return _token(told.get(name), name, vocabulary)

        def several(name: str) -> Runs:
            return _runs(told.get(name), name, vocabulary)

        start = one("decoder_start_token_id")
        return cls(
            start=one("bos_token_id") if start is None else start,
            ends=_ends(model, told),
            first=one("forced_bos_token_id"),
            last=_last(told, vocabulary),
            barred=several("bad_words_ids") + several("suppress_tokens"),
            not_first=several("begin_suppress_tokens"),
            choices=_choices(told),
            max_length=int(told.get("max_length") or 0),
            min_length=int(told.get("min_length") or 0),
        )


def _choices(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        ours: words.get(told[theirs], told[theirs])
        for theirs, (ours, words) in CHOICES.items()
        if told.get(theirs) is not None
    }


def _ends(model: Model, told: Mapping[str, Any]) -> frozenset[int]:
    """The tokens that end an answer: those of the settings, else the tokenizer's own."""
    found = told.get("eos_token_id")
    if found is None and model.has_tokenizer:
        target = model.tokenizer.target
        found = target.inner.token_to_id(target.special.get("eos_token", ""))
    ids = _listed(found)
    return frozenset(each for each in ids if _known(each, "eos_token_id", model.config.vocabulary))


def _last(told: Mapping[str, Any], vocabulary: int) -> int | None:
    found = told.get("forced_eos_token_id")
    return _token(found[0] if isinstance(found, list) else found, "forced_eos_token_id", vocabulary)


def _token(found: Any, name: str, vocabulary: int) -> int | None:
    return found if found is not None and _known(found, name, vocabulary) else None


def _known(found: Any, name: str, vocabulary: int) -> bool:
    """Whether it is a token; what is none is named."""
    if isinstance(found, int) and 0 <= found < vocabulary:
        return True
    words = f"its tokens are 0 to {vocabulary - 1}"
    warnings.warn(f"The checkpoint says {name} = {found!r}, but {words}; ignored.", stacklevel=2)
    return False


def _runs(found: Any, name: str, vocabulary: int) -> Runs:
    """Runs of tokens, or single ones; one that has what is no token cannot come."""
    runs = filter(None, map(_listed, _listed(found)))
    return tuple(tuple(run) for run in runs if all(_known(id, name, vocabulary) for id in run))


def _listed(found: Any) -> list[Any]:
    """Several, one, or none."""
    return list(found) if isinstance(found, list | tuple) else [] if found is None else [found]


def _name_the_rest(told: Mapping[str, Any]) -> None:
    """What is not followed is said, not ignored."""
    odd = [name for name in NOT_FOLLOWED if told.get(name) not in NOTHING]
    if odd:
        said = ", ".join(f"{name} = {told[name]!r}" for name in odd)
        warnings.warn(f"The checkpoint asks for what is not followed: {said}.", stacklevel=3)
