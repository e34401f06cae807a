"""What `import pellucid` gives, and what it costs."""

import subprocess
import sys
from inspect import signature

import pytest
import torch
import zoo

import pellucid


def in_a_fresh_process(script: str) -> str:
    run = [sys.executable, "-c", script]
    return subprocess.run(run, capture_output=True, text=True, timeout=120, check=True).stdout


def test_importing_it_imports_no_torch() -> None:
    heavy = "torch numpy tokenizers safetensors rich transformers".split()
    script = f"import pellucid, sys; print([name for name in {heavy} if name in sys.modules])"
    assert in_a_fresh_process(script) == "[]\n"


def test_every_public_name_is_reachable() -> None:
    assert set(pellucid.HOMES) == set(pellucid.__all__)
    for name in pellucid.__all__:
        assert getattr(pellucid, name).__module__ == pellucid.HOMES[name]
    for name in ("Config", "Model", "Output", "PellucidError", "Trace", "UsageError", "load"):
        assert name in pellucid.__all__
    assert pellucid.__version__


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(AttributeError) as error:
        pellucid.transformer  # noqa: B018
    assert str(error.value).startswith("pellucid has no 'transformer'; it has Config, ")
    assert not hasattr(pellucid, "nonsense")


def test_errors_carry_their_exit_status() -> None:
    assert (pellucid.PellucidError.status, pellucid.UsageError.status) == (1, 2)
    assert issubclass(pellucid.UsageError, pellucid.PellucidError)


def test_models_are_called_as_promised() -> None:
    ids, real = torch.tensor([[1, 2, 3]]), torch.ones(1, 3, dtype=torch.bool)
    one = zoo.build("decoder")(ids, mask=real)
    assert one.hidden.shape == (1, 3, 16)
    assert one.logits.shape == (1, 3, len(zoo.WORDS))
    assert zoo.build("post")(ids).logits is None
    masks = {"source_mask": real, "target_mask": real[:, :2]}
    both = zoo.build("both")(ids, ids[:, :2], **masks)
    assert both.logits.shape == (1, 2, len(zoo.WORDS))


def test_see_takes_one_text_or_many_or_a_source_and_a_target() -> None:
    model, both = zoo.build("post"), zoo.build("both")
    assert model.see("the seal").shape("encoder.output") == (1, 2, 16)
    assert model.see(["the seal", "ice", "a"]).shape("encoder.output") == (3, 2, 16)
    assert both.see("the seal", "ice").shape("decoder.0.cross.weights") == (1, 4, 1, 2)
    assert both.see(["the seal"], ["ice"]).shape("decoder.0.cross.weights") == (1, 4, 1, 2)
    for given, sentence in {
        (): "0 came.",
        ("the",): "This model takes 2 (source and target); 1 came.",
        (("the", "a"), ("ice",)): "2 and 1 texts came; give at least one, and as many sources as",
    }.items():
        with pytest.raises(pellucid.UsageError) as error:
            both.see(*given)
        assert sentence in str(error.value)


def test_answers_are_the_likeliest_words(gpt2: object) -> None:
    trace = pellucid.load(gpt2).see("The seal")
    answers = trace.answers(best=3)
    assert answers.meaning == "next"
    top = trace["head.logits"].softmax(-1).topk(3)
    for at, words in enumerate(answers.words[0]):
        assert [word.id for word in words] == top.indices[0, at].tolist()
        assert [word.score for word in words] == pytest.approx(top.values[0, at].tolist())


def test_answers_of_an_encoder_are_the_nearest_words() -> None:
    model = zoo.build("post")
    trace = model.see(zoo.SENTENCE)
    words = model.entrance.embed.words.weight
    for at, found in enumerate(trace.answers(best=2).words[0]):
        hidden = trace["encoder.output"][0, at]
        cosines = torch.nn.functional.cosine_similarity(hidden[None], words)
        assert [word.id for word in found] == cosines.topk(2).indices.tolist()
        assert [word.piece for word in found] == [zoo.WORDS[word.id] for word in found]


def test_a_model_without_a_tokenizer_says_so() -> None:
    config = zoo.build("decoder").config
    with pytest.raises(pellucid.UsageError, match="no tokenizer"):
        pellucid.models.decoder.Decoder(config).see("a")


def test_ids_beyond_the_vocabulary_are_named() -> None:
    with pytest.raises(pellucid.UsageError, match="from 3 to 99; this model has words"):
        zoo.build("decoder")(torch.tensor([[3, 99]]))


KEYWORDS = ("pair", "keep", "budget")


def test_the_promised_signatures() -> None:
    assert list(signature(pellucid.Model.see).parameters) == ["self", "texts", *KEYWORDS]
    for name in ("tree", "explain", "verify", "save", "load", "names", "shape", "kind", "tokens"):
        assert callable(getattr(pellucid.Trace, name))
