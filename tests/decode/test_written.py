"""What a decoder has written is looked at as it read it: after the start, and without the end."""

import pytest
import zoo
from tokenizers.processors import TemplateProcessing
from writers import END, PROMPT, START, writer

from pellucid.decode.score import score
from pellucid.decode.seen import see_generated
from pellucid.models.model import Model
from pellucid.study.lens import lens
from pellucid.study.why import why

TARGET = "river bank"


def translator(name: str = "t5") -> Model:
    """Its tokenizer ends a text, as most do."""
    model = writer(name)
    ended = [(zoo.WORDS[END], END)]
    model.tokenizer.inner.post_processor = TemplateProcessing(f"$A {ended[0][0]}", None, ended)
    return model


@pytest.mark.parametrize("name", ["t5", "bart"])
def test_a_seen_answer_has_the_rows_that_the_search_chose_from(name: str) -> None:
    trace = see_generated(translator(name), PROMPT, {}, max_new_tokens=5)
    steps = len(trace.about["generation"]["answers"][0]["ids"])
    rows = trace["head.logits"][0].log_softmax(-1).max(-1).values
    chosen = [trace[f"generate.{step}.log_probability"].max().item() for step in range(steps)]
    assert rows[:steps].tolist() == pytest.approx(chosen)


def test_an_answer_that_ends_at_once_is_its_start() -> None:
    trace = see_generated(translator(), PROMPT, {}, forced={0: END})
    assert trace.texts["target"][0].ids == (START,)


def test_the_lens_and_why_read_it_as_score_does() -> None:
    model = translator()
    (scored,) = score(model, [TARGET], [PROMPT])
    seen = lens(model, PROMPT, TARGET)
    assert seen.tokens.ids == (START, *scored.tokens.ids[:-1])
    asked = why(model, PROMPT, TARGET, target=zoo.WORDS[END])
    assert asked.tokens == seen.tokens
    assert asked.position == len(TARGET.split())
    chance = asked.trace["head.probabilities"][0, -1, END].log().item()
    assert chance == pytest.approx(scored.log_probabilities[-1])


def test_a_start_that_was_typed_is_not_doubled() -> None:
    model = translator()
    typed = lens(model, PROMPT, f"{zoo.WORDS[START]} {TARGET}")
    assert typed.tokens.ids == lens(model, PROMPT, TARGET).tokens.ids
