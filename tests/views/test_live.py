"""The live page: it follows what is typed, and lets itself be disturbed by nobody."""

import http.client
import json
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest
import zoo

import pellucid
from pellucid.cli import main
from pellucid.decode.seen import see_generated
from pellucid.models.model import Model
from pellucid.record.trace import Trace
from pellucid.study.compare import Comparison, compare
from pellucid.views import live
from pellucid.views.live import Server, Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SHOWN = """
([tokens, steps]) => document.querySelectorAll(".token").length === tokens
  && document.querySelectorAll(".step").length === steps
"""


@contextmanager
def serving(studio: Studio) -> Iterator[Server]:
    with Server(studio, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def studio(model: Model, **limits: Any) -> Studio:
    return Studio(lambda texts: model.see(*texts), model.streams, model.name, **limits)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(studio(pellucid.load("mouse"), longest=100)) as server:
        yield server


def ask(server: Server, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
    """What the server answers to a request for /see."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)) as to:
        to.request("POST", "/see", content, headers)
        answer = to.getresponse()
        return answer.status, json.loads(answer.read())


def test_the_page_follows_what_is_typed(server: Server, browser: "Browser") -> None:
    with browser.new_page() as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(server.address)
        page.fill("textarea", "cat and mouse")
        page.wait_for_function(SHOWN, arg=[3, 9])
        assert page.locator(".token").all_inner_texts() == ["cat", "and", "mouse"]
        page.fill("textarea", "mouse")
        page.wait_for_function(SHOWN, arg=[1, 9])
        assert all(url.startswith(server.address) for url in asked)


def test_a_problem_is_told_and_mended(server: Server, browser: "Browser") -> None:
    with browser.new_page() as page:
        page.goto(server.address)
        page.fill("textarea", "cat and zebra")
        page.wait_for_selector("#message:visible")
        assert "zebra" in page.inner_text("#message")
        page.fill("textarea", "cat and mouse")
        page.wait_for_selector("#message", state="hidden")
        assert page.locator(".token").count() == 3


def test_source_and_target(browser: "Browser") -> None:
    with serving(studio(zoo.build("both"))) as server, browser.new_page() as page:
        page.goto(server.address)
        for field, text in enumerate(("the seal slept", "a bank")):
            page.locator("textarea").nth(field).fill(text)
        page.wait_for_function(SHOWN, arg=[5, 9])
        assert page.locator(".heads").count() == 3


def test_the_model_goes_on(browser: "Browser") -> None:
    model = zoo.build("decoder", longest=40)

    def generate(text: str, tokens: int, beams: int) -> Trace:
        return see_generated(model, text, {}, max_new_tokens=tokens, beams=beams)

    with serving(studio(model, generate=generate)) as server, browser.new_page() as page:
        page.goto(server.address)
        page.fill("textarea", "the seal")
        page.wait_for_function(SHOWN, arg=[2, 9])
        page.fill("[type=number] >> nth=0", "3")
        page.wait_for_function(SHOWN, arg=[5, 9])
        page.fill("[type=number] >> nth=1", "2")
        page.click(".station >> text=Search")
        page.wait_for_selector(".tree text.leading")
        page.fill("[type=number] >> nth=0", "0")
        page.wait_for_selector(".station >> text=Search", state="detached")


def test_one_word_in_two_texts(browser: "Browser") -> None:
    model = zoo.build("post")

    def follow(first: Sequence[str], second: Sequence[str], word: str) -> Comparison:
        return compare(model, tuple(first), tuple(second), word=word, occurrence=1)

    with serving(studio(model, compare=follow)) as server, browser.new_page() as page:
        page.goto(server.address)
        page.locator("textarea").first.fill("a bank of the river")
        page.wait_for_function(SHOWN, arg=[5, 9])
        page.check("text=two texts")
        assert page.locator("textarea").nth(1).input_value() == "a bank of the river"
        page.locator("textarea").nth(1).fill("the mouse slept on a bank")
        page.locator(".text.second .word", has_text="bank").wait_for()
        page.locator(".side.second .step").first.wait_for()
        page.fill("[aria-label=word]", "mud")
        page.locator("#message", has_text="'mud' is not in").wait_for()
        page.fill("[aria-label=word]", "")
        page.wait_for_selector("#message", state="hidden")
        page.uncheck("text=two texts")
        page.locator(".side").first.wait_for(state="detached")
        page.wait_for_function(SHOWN, arg=[5, 9])
    wanted = {"texts": ["a bank"], "other": ["the bank"], "word": "bank"}
    with serving(studio(model, compare=follow)) as server:
        assert "comparison" in ask(server, wanted)[1]["parts"]
        for wrong in ({"word": 1}, {"word": ""}, {"other": "bank"}, {"other": []}):
            status, answer = ask(server, wanted | wrong)
            assert status == 400
            assert answer["problem"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{", 400, "not JSON"),
        (b"[" * 5_000, 400, "not JSON"),
        ([], 400, "request should be"),
        ({"texts": "cat"}, 400, "request should be"),
        ({"texts": [1]}, 400, "request should be"),
        ({"texts": ["cat"], "tokens": "5"}, 400, "tokens should be a whole number"),
        ({"texts": ["cat"], "beams": 99}, 400, "from 0 to 8"),
        ({"texts": []}, 400, "takes 1"),
        ({"texts": ["cat " * 50]}, 400, "200 characters; here at most 100"),
        ({"texts": [""]}, 400, "empty"),
        (b"x" * 200_000, 413, "too long"),
    ],
)
def test_a_wrong_request_is_told(server: Server, body: object, status: int, says: str) -> None:
    found, answer = ask(server, body)
    assert found == status
    assert says in answer["problem"]


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://elsewhere.example"}, {"Origin": "null"}, {"Host": "elsewhere.example"}],
)
def test_other_sites_get_nothing(server: Server, headers: dict[str, str]) -> None:
    status, answer = ask(server, {"texts": ["cat"]}, **headers)
    assert status == 403
    assert "parts" not in answer


def test_it_survives_clients_that_vanish(server: Server, capfd: pytest.CaptureFixture) -> None:
    for sent in (b"", b"GET / HT", b"POST /see HTTP/1.1\r\nContent-Length: 50\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", server.server_port)) as client:
            client.sendall(sent)
    status, answer = ask(server, {"texts": ["cat"]})
    assert status == 200
    assert "trace" in answer["parts"]
    assert capfd.readouterr().err == ""


def test_runs_stand_in_line_and_the_line_has_an_end() -> None:
    begun, over = Event(), Event()
    trace = pellucid.load("mouse").see("cat")

    def slow(_texts: Sequence[str]) -> Trace:
        begun.set()
        over.wait(30)
        return trace

    with serving(Studio(slow, ("tokens",), "slow")) as server, ThreadPoolExecutor() as pool:
        waiting = [pool.submit(ask, server, {"texts": ["cat"]})]
        begun.wait(30)
        waiting += [pool.submit(ask, server, {"texts": ["cat"]}) for _ in range(live.WAITING + 1)]
        sent_away = [each.result()[0] for each in first_done(waiting, 2)]
        over.set()
        statuses = sorted(each.result()[0] for each in waiting)
    assert sent_away == [503, 503]
    assert statuses == [200] * live.WAITING + [503] * 2


def first_done(waiting: list[Future], count: int) -> list[Future]:
    """Those that end while the first run is still at work."""
    ended = as_completed(waiting, timeout=30)
    return [next(ended) for _ in range(count)]


def test_a_run_that_takes_too_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PATIENCE", 0.05)
    over = Event()

    def slow(_texts: Sequence[str]) -> Trace:
        over.wait(30)
        raise pellucid.PellucidError("enough")

    with serving(Studio(slow, ("tokens",), "slow")) as server, ThreadPoolExecutor() as pool:
        both = [pool.submit(ask, server, {"texts": ["cat"]}) for _ in range(2)]
        (first,) = first_done(both, 1)
        assert first.result()[0] == 503
        over.set()


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture, server: Server) -> None:
    assert main(["open", "mouse", "--no-browser", "--port", str(server.server_port)]) == 2
    assert "choose another --port or --host" in capsys.readouterr().err


def test_an_address_may_be_of_the_newer_kind() -> None:
    try:
        server = Server(studio(pellucid.load("mouse")), "::1", 0)
    except OSError:
        pytest.skip("This machine has no such address.")
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        assert server.address == f"http://[::1]:{server.server_port}/"
        with urlopen(server.address) as answer:
            assert answer.status == 200
        server.shutdown()
