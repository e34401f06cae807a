"""The live page: a server on this machine, and a page that follows what is typed.

It listens on the loopback address unless told otherwise, answers only a page of its own (by Host
and Origin, so that no other site can ask through a visitor's browser), and limits how much it
reads, how long it waits and how many runs stand in line.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from threading import BoundedSemaphore, Lock
from typing import Any, TypeVar

from pellucid.errors import PellucidError, UsageError
from pellucid.record.trace import Trace
from pellucid.study.compare import Comparison
from pellucid.views.compared import together
from pellucid.views.packing import Packed
from pellucid.views.page import document, parts
from pellucid.views.payload import payload

LONGEST = 20_000  # characters of all texts together
LARGEST = 4 * LONGEST + 10_000  # bytes of a request: a character takes up to four
WAITING = 4  # runs at once, the one at work among them
PATIENCE = 20.0  # seconds for a client to say what it wants, and for a run to wait its turn

MOST = {"tokens": 60, "beams": 8}  # of a generation

Data = Mapping[str, Any]
Look = Callable[[Sequence[str]], Trace]
Generate = Callable[[str, int, int], Trace]  # a text, tokens to say, beams
Compare = Callable[[Sequence[str], Sequence[str], str], Comparison]  # and the word in both
Found = TypeVar("Found")


class Refused(PellucidError):
    """A request that is not answered, and the status that says so."""

    def __init__(self, http: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.http = http


NOT_OURS = Refused(HTTPStatus.FORBIDDEN, "This page is not for other sites.")
TOO_LONG = Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too long.")
CROWDED = Refused(HTTPStatus.SERVICE_UNAVAILABLE, "Too many runs at once; try again in a moment.")
SLOW = Refused(HTTPStatus.SERVICE_UNAVAILABLE, "The run before takes too long; try again.")


@dataclass(frozen=True)
class Studio:
    """A model to look into: `look` takes as many texts as there are `streams`.

    `generate` goes on from the first text, where the model can; `compare` follows one word in two
    texts. `examples` stand there before anything is typed.
    """

    look: Look
    streams: Sequence[str]
    name: str
    longest: int = LONGEST
    examples: Sequence[str] = ()
    generate: Generate | None = None
    compare: Compare | None = None
    places: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(WAITING))
    turn: Lock = field(default_factory=Lock)

    def see(self, asked: object) -> dict[str, Any]:
        """The parts of a page about what was asked, as plain data; whatever came is checked."""
        if not isinstance(asked, dict):
            raise UsageError('The request should be {"texts": ["…"]}.')
        texts = self._checked(asked.get("texts"))
        if "other" in asked and self.compare:
            made = self._compared(self.compare, texts, asked)
        else:
            made = self._seen(texts, asked)
        return {"parts": {name: [packed.text, packed.bytes] for name, packed in made.items()}}

    def _seen(self, texts: Sequence[str], asked: Data) -> dict[str, Packed]:
        tokens, beams = (_setting(asked, name) for name in MOST)
        if tokens and self.generate:
            run = partial(self.generate, texts[0], tokens, max(1, beams))
        else:
            run = partial(self.look, texts)
        return parts(payload(self._looked(run)))

    def _compared(self, compare: Compare, texts: Sequence[str], asked: Data) -> dict[str, Packed]:
        other, word = self._checked(asked["other"]), asked.get("word")
        if not isinstance(word, str) or not 0 < len(word) <= self.longest:
            raise UsageError('A word is missing; the request should have {"word": "…"}.')
        return together(self._looked(partial(compare, texts, other, word)))

    def _checked(self, texts: object) -> Sequence[str]:
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UsageError('The request should be {"texts": ["…"]}.')
        if len(texts) != len(self.streams):
            raise UsageError(f"This model takes {len(self.streams)} texts; {len(texts)} came.")
        if (length := sum(map(len, texts))) > self.longest:
            raise UsageError(
                f"The text has {length:,} characters; here at most {self.longest:,} are read."
            )
        return texts

    def _looked(self, run: Callable[[], Found]) -> Found:
        """One run at a time; a few may wait, others are sent away."""
        if not self.places.acquire(blocking=False):
            raise CROWDED
        try:
            if not self.turn.acquire(timeout=PATIENCE):
                raise SLOW
            try:
                return run()
            finally:
                self.turn.release()
        finally:
            self.places.release()


def _setting(asked: Data, name: str) -> int:
    """A whole number within its limits; none is zero."""
    value = asked.get(name, 0)
    if type(value) is not int or not 0 <= value <= MOST[name]:
        raise UsageError(f"{name} should be a whole number from 0 to {MOST[name]}.")
    return value


class Server(ThreadingHTTPServer):
    """Serves one studio; a client that vanishes is nobody's problem."""

    daemon_threads = True

    def __init__(self, studio: Studio, host: str, port: int) -> None:
        self.studio, self.page = studio, _page(studio)
        self.host = f"[{host}]" if ":" in host else host  # as addresses have it
        self.address_family = AF_INET6 if ":" in host else AF_INET
        super().__init__((host, port), Handler)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.host}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections break; that is no news."""


class Handler(BaseHTTPRequestHandler):
    """`GET /` is the page, `POST /see` looks at texts."""

    server: Server
    timeout = PATIENCE
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pellucid", ""

    def do_GET(self) -> None:
        if not self._is_own():
            self._tell(*told(NOT_OURS))
        elif self.path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        else:
            self._tell(HTTPStatus.NOT_FOUND, {"problem": "There is only / and /see."})

    def do_POST(self) -> None:
        try:
            self._tell(HTTPStatus.OK, self.server.studio.see(self._asked()))
        except ConnectionError:
            raise
        except Exception as problem:  # the server goes on, whatever a run stumbles over
            self._tell(*told(problem))

    def _asked(self) -> object:
        """What was asked; of what is not for us nothing is read."""
        length = self.headers.get("Content-Length", "")
        self.close_connection = True
        if not self._is_own() or self.path != "/see":
            raise NOT_OURS
        if not length.isdecimal() or int(length) > LARGEST:
            raise TOO_LONG
        self.close_connection = False
        return json.loads(self.rfile.read(int(length)))

    def _is_own(self) -> bool:
        """Whether our own page asks, and not another site by way of a visitor's browser."""
        host, port = self.server.host, self.server.server_port
        names = {f"{name}:{port}" for name in (host, "localhost", "127.0.0.1", "[::1]")}
        origin = self.headers.get("Origin")
        asked = self.headers.get("Host", "")
        everywhere = host in ("0.0.0.0", "[::]")  # whoever opens it to all knows what they do
        return (everywhere or asked in names) and origin in (None, f"http://{asked}")

    def _tell(self, status: HTTPStatus, answer: Mapping[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(answer).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what somebody types is theirs."""


def told(problem: Exception) -> tuple[HTTPStatus, Mapping[str, str]]:
    """A problem as a status and a sentence."""
    match problem:
        case Refused():
            return problem.http, {"problem": str(problem)}
        case PellucidError():
            return HTTPStatus.BAD_REQUEST, {"problem": str(problem)}
        case json.JSONDecodeError() | UnicodeDecodeError() | RecursionError():
            return HTTPStatus.BAD_REQUEST, {"problem": "The request is not JSON."}
    what = f"This is a bug in Pellucid: {type(problem).__name__}: {problem}."
    return HTTPStatus.INTERNAL_SERVER_ERROR, {"problem": what}


def _page(studio: Studio) -> bytes:
    about = {
        "streams": list(studio.streams),
        "examples": list(studio.examples),
        "longest": studio.longest,
        "most": MOST if studio.generate else None,
        "compares": studio.compare is not None,
    }
    described = escape(json.dumps(about), quote=True)
    return document(
        "live.js",
        connect="'self'",
        title=escape(studio.name),
        tables="",
        parts=f'<script type="application/json" id="studio" data-about="{described}"></script>',
    ).encode()
