"""What is timed in decoding.py: each library's run of each task, in a process of its own."""

import json
import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch

RUNS = 3
SST2 = Path("data", "sst2", "stsa.binary.train")


class Sizes(NamedTuple):
    """How much there is to do; the small ones only try the script."""

    prompt: int = 64
    new: int = 64
    rows: int = 8  # of scoring
    length: int = 512
    sentences: int = 16  # of a translation: how many, tokens of each, of its answer
    source: int = 14
    answer: int = 24
    embedded: int = 2000  # sentences


FULL = Sizes()
SMALL = Sizes(8, 4, 2, 16, 2, 4, 3, 40)
SIZES = SMALL if os.environ.get("SMALL") else FULL
BEAMS, WORDS, PAD = 4, 50000, 58100


class Task(NamedTuple):
    """A checkpoint, what is to be done with it, and the precision of its weights."""

    folder: Path
    what: str
    precision: str


def timed(run: Callable[[], Any], count: int) -> float:
    """So many a second, the best of a few runs after one that is not counted."""
    run()
    taken = []
    for _ in range(RUNS):
        start = perf_counter()
        run()
        taken.append(perf_counter() - start)
    return count / min(taken)


def ids(count: int, length: int, vocabulary: int = WORDS) -> list[list[int]]:
    """Rows of ids drawn by chance, the same for all."""
    generator = torch.Generator().manual_seed(2)
    return torch.randint(5, vocabulary, (count, length), generator=generator).tolist()


def sentences() -> list[str]:
    """Sentences of SST-2, without their labels."""
    with Path(os.environ.get("PELLUCID_SHARED", "."), SST2).open(encoding="utf-8") as file:
        return [line[2:].strip() for line in islice(file, SIZES.embedded)]


def ours(task: Task) -> float:
    """Pellucid: greedy or beam search, translation, scoring, or vectors."""
    import pellucid
    from pellucid.decode.fast import quick
    from pellucid.decode.score import followed
    from pellucid.decode.writer import writer

    if task.what == "encoder":
        return our_vectors(task)
    model = pellucid.load(task.folder)
    model.settings.pop("forced_eos_token_id", None)
    model.generation = {"eos_token_id": [], "decoder_start_token_id": PAD}
    if task.what == "score":
        fast = quick(writer(model), task.precision, compiled=False)  # type: ignore[arg-type]
        rows = ids(SIZES.rows, SIZES.length)
        return timed(lambda: followed(fast, rows), SIZES.rows * SIZES.length)
    chosen: dict[str, Any] = {"precision": task.precision, "beams": beams(task)}
    many = task.what == "translate"
    given, new = texts(task)
    chosen |= {"max_new_tokens": new, "compiled": "never" if many else "always"}
    return timed(lambda: model.generate(ids=given, **chosen), len(given) * new)


def texts(task: Task) -> tuple[list[list[int]], int]:
    """What an answer is generated to, and how many tokens of it."""
    if task.what == "translate":
        return ids(SIZES.sentences, SIZES.source, PAD), SIZES.answer
    return ids(1, SIZES.prompt), SIZES.new


def beams(task: Task) -> int:
    return 1 if task.what == "greedy" else BEAMS


@torch.inference_mode()
def transformers(task: Task) -> float:
    """Its `generate`, or its forward pass."""
    from transformers import GPT2LMHeadModel, MarianMTModel

    kind = MarianMTModel if task.what == "translate" else GPT2LMHeadModel
    model = kind.from_pretrained(task.folder).eval()
    if task.what == "score":
        rows = torch.tensor(ids(SIZES.rows, SIZES.length))

        def score() -> None:
            logits = model(rows).logits[:, :-1]
            logits.log_softmax(-1).gather(-1, rows[:, 1:, None])

        return timed(score, rows.numel())
    given, new = texts(task)
    rows = torch.tensor(given)
    chosen: dict[str, Any] = {"max_new_tokens": new, "min_new_tokens": new, "pad_token_id": 0}
    chosen |= {
        "num_beams": beams(task),
        "do_sample": False,
        "attention_mask": torch.ones_like(rows),
    }
    return timed(lambda: model.generate(rows, **chosen), len(rows) * new)


def ctranslate2(task: Task) -> float:
    """Its generator or translator, with weights converted to this precision."""
    from ctranslate2 import Generator, Translator

    made = task.folder.parent / f"ctranslate2-{task.folder.name}-{task.precision}"
    if task.what == "translate":
        words = converted_marian(task, made)
        translator = Translator(str(made), intra_threads=2)
        given, new = texts(task)
        rows = [[words[token] for token in row] for row in given]
        wished: dict[str, Any] = {"max_decoding_length": new, "min_decoding_length": new}
        wished |= {"beam_size": BEAMS}
        return timed(lambda: translator.translate_batch(rows, **wished), len(rows) * new)
    words = converted_gpt2(task, made)
    generator = Generator(str(made), intra_threads=2)
    if task.what == "score":
        rows = [[words[token] for token in row] for row in ids(SIZES.rows, SIZES.length)]
        return timed(lambda: generator.score_batch(rows), SIZES.rows * SIZES.length)
    given, new = texts(task)
    rows = [[words[token] for token in row] for row in given]
    chosen: dict[str, Any] = {"max_length": new, "min_length": new, "sampling_topk": 1}
    chosen |= {"beam_size": beams(task), "include_prompt_in_result": False}
    return timed(lambda: generator.generate_batch(rows, **chosen), new)


def converted_gpt2(task: Task, made: Path) -> list[str]:
    """The words, and in `made` what CTranslate2 reads."""
    from ctranslate2.converters import TransformersConverter

    if not made.is_dir():
        quantized = None if task.precision == "float32" else task.precision
        TransformersConverter(str(task.folder)).convert(str(made), quantization=quantized)
    return list(json.loads((task.folder / "vocab.json").read_text(encoding="utf-8")))


def converted_marian(task: Task, made: Path) -> list[str]:
    """The same for a checkpoint without a tokenizer: words are made up, </s> is the first."""
    from ctranslate2.converters.transformers import MarianMTLoader
    from transformers import MarianMTModel

    words = ["</s>", "<unk>", *(f"w{number}" for number in range(2, PAD))]
    if made.is_dir():
        return words
    spec = MarianMTLoader().get_model_spec(MarianMTModel.from_pretrained(task.folder))
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.eos_token = spec.config.decoder_start_token = words[0]
    spec.config.unk_token = words[1]
    spec.validate()
    spec.optimize(quantization=None if task.precision == "float32" else task.precision)
    made.mkdir()
    spec.save(str(made))
    return words


def our_vectors(task: Task) -> float:
    """`pellucid embed`, from texts to vectors."""
    import pellucid
    from pellucid.models.precision import halved
    from pellucid.models.vectors import embed

    model, given = pellucid.load("minilm"), sentences()
    if task.precision == "bf16":
        halved(model)
    keep(task, "pellucid", torch.stack([*embed(model, given)]).numpy())
    return timed(lambda: [*embed(model, given)], len(given))


def sentence_transformers(task: Task) -> float:
    """Its `encode`, from texts to vectors."""
    from sentence_transformers import SentenceTransformer, models

    from pellucid.models.load import folder_of

    body = models.Transformer(str(folder_of("minilm")))
    pooling = models.Pooling(body.get_embedding_dimension(), "mean")
    model = SentenceTransformer(modules=[body, pooling, models.Normalize()], device="cpu")
    if task.precision == "bf16":
        model = model.bfloat16()
    given = sentences()
    vectors = model.encode(given, convert_to_tensor=True)
    keep(task, "sentence-transformers", vectors.float().numpy())
    return timed(lambda: model.encode(given, convert_to_tensor=True), len(given))


def keep(task: Task, who: str, vectors: np.ndarray) -> None:
    """For the cosines."""
    np.save(task.folder.parent / f"{who}-{task.precision}.npy", vectors)


def cosine(folder: Path, precision: str) -> float:
    """The worst between ours and those of sentence-transformers in float32."""
    pair = (f"pellucid-{precision}", "sentence-transformers-float32")
    a, b = (np.load(folder.parent / f"{name}.npy").astype(np.float64) for name in pair)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(((a * b).sum(1) / lengths).min())


LIBRARIES: dict[str, Callable[[Task], float]] = {
    "pellucid": ours,
    "transformers": transformers,
    "ctranslate2": ctranslate2,
    "sentence-transformers": sentence_transformers,
}

# a whole process: it prints when the first token is there, and when the second is
START = """
import sys
import pellucid
from pellucid.decode.generate import Generation
from pellucid.decode.prompts import prompts
from pellucid.decode.run import search_for, steps
model = pellucid.load(sys.argv[1])
model.generation = {"eos_token_id": []}
choices = {"precision": sys.argv[2], "compiled": sys.argv[3], "max_new_tokens": 2}
ids = [[int(n) for n in sys.argv[4].split()]]
generation = Generation.of(model, choices)
given = prompts(model, generation.planner.said, None, ids, None)
search = search_for(generation.planner.plan(given[0].ids))
for number, _ in zip(("first", "second"), steps(generation.reading(given), [search])):
    print(number, flush=True)
"""


def marian(folder: Path) -> Path:
    """A checkpoint of Marian's usual shape with random weights, without a tokenizer."""
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(0)
    small = SIZES is SMALL
    width, layers = (64, 1) if small else (512, 6)
    sizes = {"d_model": width, "encoder_layers": layers, "decoder_layers": layers}
    sizes |= {f"{side}_attention_heads": 8 for side in ("encoder", "decoder")}
    sizes |= {f"{side}_ffn_dim": 4 * width for side in ("encoder", "decoder")}
    special = {"pad_token_id": PAD, "eos_token_id": 0, "decoder_start_token_id": PAD}
    sizes["vocab_size"] = PAD + 1
    config = MarianConfig(**sizes, **special, forced_eos_token_id=None, max_length=None)
    MarianMTModel(config).save_pretrained(folder)
    return folder
