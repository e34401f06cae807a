"""Reading on with a cache gives what reading everything at once gives, on every branch."""

import pytest
import torch
import zoo
from torch import Tensor

from pellucid.models.encoder_decoder import EncoderDecoder
from pellucid.models.model import Model
from pellucid.nn import cache as cache_module
from pellucid.nn.cache import STEP, Cache
from pellucid.nn.mask import Mask

WRITERS = [name for name, choices in zoo.ZOO.items() if choices["shape"] != "encoder"]
PROMPTS = [[3, 7, 1, 4], [5, 2]]
LATER = [[6, 9, 2, 8, 3], [1, 1, 7, 0, 5]]

each_writer = pytest.mark.parametrize("name", WRITERS)


def padded(rows: list[list[int]], side: str) -> tuple[Tensor, Tensor]:
    longest = max(map(len, rows))
    ids, real = torch.full((len(rows), longest), 13), torch.zeros(len(rows), longest).bool()
    for at, row in enumerate(rows):
        place = slice(longest - len(row), longest) if side == "left" else slice(0, len(row))
        ids[at, place], real[at, place] = torch.tensor(row), True
    return ids, real


def memory(model: Model) -> tuple:
    """What a decoder with a source is given beside: two sources of different lengths."""
    if not isinstance(model, EncoderDecoder):
        return ()
    ids, real = padded([[2, 8, 4], [9]], "right")
    return (model.encode(ids, Mask.of(ids, real)),)


def alone(model: Model, row: list[int], text: int) -> Tensor:
    """The last vectors of one row, read at once without a cache."""
    given = memory(model)
    if given:
        vectors, mask = given[0]
        kept = torch.tensor([text])
        given = (type(given[0])(vectors[kept], Mask.of(kept.expand(1, 3), mask.real[kept])),)
    ids = torch.tensor([row])
    return model.hidden(ids, Mask.of(ids), *given)[0]


def begun(model: Model, side: str) -> tuple[Cache, tuple]:
    cache, given = Cache(len(model.decoder.layers)), memory(model)
    ids, real = padded(PROMPTS, side)
    model.hidden(ids, cache.begin(Mask.of(ids, real)), *given, cache=cache)
    return cache, given


@each_writer
@pytest.mark.parametrize("side", ["left", "right"])
@torch.no_grad()
def test_token_by_token_is_all_at_once(name: str, side: str) -> None:
    model = zoo.build(name)
    cache, given = begun(model, side)
    for step in range(5):
        tokens = torch.tensor([[row[step]] for row in LATER])
        mask = cache.branch(torch.zeros(2, 1, dtype=torch.long))
        hidden = model.hidden(tokens, mask, *given, cache=cache)
        for text in (0, 1):
            whole = alone(model, PROMPTS[text] + LATER[text][: step + 1], text)
            torch.testing.assert_close(hidden[text, 0], whole[-1], rtol=1e-5, atol=1e-5)


@each_writer
@torch.no_grad()
def test_a_run_of_tokens_is_all_at_once(name: str) -> None:
    model = zoo.build(name)
    cache, given = begun(model, "right")
    mask = cache.branch(torch.zeros(2, 5, dtype=torch.long), torch.ones(5, 5).tril().bool())
    hidden = model.hidden(torch.tensor(LATER), mask, *given, cache=cache)
    for text in (0, 1):
        whole = alone(model, PROMPTS[text] + LATER[text], text)
        torch.testing.assert_close(hidden[text], whole[-5:], rtol=1e-5, atol=1e-5)


@each_writer
@torch.no_grad()
def test_every_branch_is_as_if_it_were_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to three branches, most of them given up again, and room made again and again."""
    monkeypatch.setattr(cache_module, "STEP", 4)
    model = zoo.build(name, longest=60)
    cache, given = begun(model, "left")
    generator = torch.Generator().manual_seed(1)
    paths = [[list(row)] for row in PROMPTS]
    for _ in range(12):
        count = int(torch.randint(1, 4, (), generator=generator))
        tokens = torch.randint(0, 14, (2, count), generator=generator)
        parents = torch.randint(0, len(paths[0]), (2, count), generator=generator)
        hidden = model.hidden(tokens, cache.branch(parents), *given, cache=cache)
        paths = [
            [paths[text][p] + [t] for p, t in torch.stack((parents, tokens), -1)[text].tolist()]
            for text in (0, 1)
        ]
    for text in (0, 1):
        for branch, path in enumerate(paths[text]):
            whole = alone(model, path, text)[-1]
            torch.testing.assert_close(hidden[text, branch], whole, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_what_no_branch_sees_is_forgotten() -> None:
    """A hundred steps of eight branches that are all of one parent need room for one, not eight."""
    cache = Cache(1)
    cache.begin(Mask.of(torch.zeros(2, 4, dtype=torch.long)))
    for _ in range(100):
        cache.branch(torch.zeros(2, 8, dtype=torch.long))
    assert cache.longest == 104
    assert cache.room <= 104 + 2 * STEP


@torch.no_grad()
def test_texts_can_be_let_go() -> None:
    model = zoo.build("t5")
    cache, given = begun(model, "right")
    cache.keep(torch.tensor([1]))
    vectors, mask = given[0]
    kept = type(given[0])(vectors[1:], Mask(mask.real[1:], mask.padded))
    hidden = model.hidden(
        torch.tensor([[4]]), cache.branch(torch.zeros(1, 1, dtype=torch.long)), kept, cache=cache
    )
    whole = alone(model, [*PROMPTS[1], 4], 1)[-1]
    torch.testing.assert_close(hidden[0, 0], whole, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_the_source_is_looked_at_once_and_never_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    model = zoo.build("bart")
    cache, given = begun(model, "right")
    key = model.decoder.layers[0].cross.key
    monkeypatch.setattr(key, "forward", lambda x: pytest.fail("the keys were made again"))
    model.hidden(
        torch.tensor([[4, 5, 6]] * 2),
        cache.branch(torch.zeros(2, 3, dtype=torch.long)),
        *given,
        cache=cache,
    )
    keys, values = cache.pasts[0].memory
    assert keys.shape[0] == values.shape[0] == len(given[0].vectors)


@each_writer
@torch.no_grad()
def test_the_first_reading_is_the_plain_one_to_the_bit(name: str) -> None:
    model = zoo.build(name)
    given, (ids, real) = memory(model), padded(PROMPTS, "right")
    cache = Cache(len(model.decoder.layers))
    plain = model.hidden(ids, Mask.of(ids, real), *given)
    assert model.hidden(ids, cache.begin(Mask.of(ids, real)), *given, cache=cache).equal(plain)
