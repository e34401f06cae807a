"""A server on this machine that plays the hub: repositories, revisions, files, redirects."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

LARGE = (".safetensors", ".bin")  # such files lie elsewhere, and the hub sends people there


def commit(revision: str) -> str:
    return hashlib.sha1(revision.encode()).hexdigest()


@dataclass
class Hub:
    """Repositories by name, their revisions by name, and each one's folder."""

    repositories: Mapping[str, Mapping[str, Path]]
    moved: Mapping[str, str] = field(default_factory=dict)  # old names
    gated: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()  # files of which only the half arrives
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def folder(self, name: str, revision: str) -> Path | None:
        """By the name of the revision or by its commit."""
        revisions = self.repositories[name]
        by_commit = {commit(each): path for each, path in revisions.items()}
        return revisions.get(revision) or by_commit.get(revision)

    def sha(self, name: str, revision: str) -> str:
        return commit(revision) if revision in self.repositories[name] else revision


class Asking(BaseHTTPRequestHandler):
    """One request."""

    hub: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path}")
        match path.strip("/").split("/"):
            case ["cdn", owner, model, sha, *file]:
                self.send_file(f"{owner}/{model}", sha, "/".join(file))
            case ["api", "models", owner, model, "revision", *revision]:
                self.about(f"{owner}/{model}", "/".join(revision))
            case ["api", "models", owner, model, "tree", *revision]:
                self.tree(f"{owner}/{model}", "/".join(revision))
            case [owner, model, "resolve", revision, *file]:
                self.resolve(f"{owner}/{model}", revision, "/".join(file))
            case _:
                self.send(404, {"X-Error-Code": "EntryNotFound"})

    def found(self, name: str, revision: str) -> Path | None:
        """The folder; where there is none, the answer says why."""
        if name in self.hub.moved:
            where = self.path.replace(name, self.hub.moved[name])
            self.send(307, {"Location": where})
        elif name in self.hub.gated:
            self.send(403, {"X-Error-Code": "GatedRepo"})
        elif name not in self.hub.repositories:
            self.send(401, {"X-Error-Code": "RepoNotFound"})
        elif folder := self.hub.folder(name, revision):
            return folder
        else:
            self.send(404, {"X-Error-Code": "RevisionNotFound"})
        return None

    def about(self, name: str, revision: str) -> None:
        if folder := self.found(name, revision):
            files = [{"rfilename": file.name} for file in sorted(folder.iterdir())]
            sha = self.hub.sha(name, revision)
            self.send_json({"id": name, "modelId": name, "sha": sha, "siblings": files})

    def tree(self, name: str, revision: str) -> None:
        if folder := self.found(name, revision):
            self.send_json([entry(file) for file in sorted(folder.iterdir())])

    def resolve(self, name: str, revision: str, file: str) -> None:
        if not (folder := self.found(name, revision)):
            return
        if not (folder / file).is_file():
            self.send(404, {"X-Error-Code": "EntryNotFound"})
            return
        sha = self.hub.sha(name, revision)
        if file.endswith(LARGE):
            headers = {
                "X-Repo-Commit": sha,
                "X-Linked-ETag": f'"{digest(folder / file)}"',
                "X-Linked-Size": str((folder / file).stat().st_size),
                "Location": f"{self.hub.address}/cdn/{name}/{sha}/{file}",
            }
            self.send(302, headers)
        else:
            self.send_file(name, sha, file)

    def send_file(self, name: str, sha: str, file: str) -> None:
        folder = self.hub.folder(name, sha)
        assert folder is not None
        content = (folder / file).read_bytes()
        tag = {"ETag": f'"{digest(folder / file)}"', "X-Repo-Commit": sha}
        self.send(200, tag, content)

    def send_json(self, what: Any) -> None:
        self.send(200, {"Content-Type": "application/json"}, json.dumps(what).encode())

    def send(self, status: int, headers: Mapping[str, str], content: bytes = b"") -> None:
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.path.endswith(tuple(self.hub.broken)):
            content, self.close_connection = content[: len(content) // 2], True
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def digest(file: Path) -> str:
    """As git does for small files, and git-lfs for large ones."""
    content = file.read_bytes()
    if file.name.endswith(LARGE):
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def entry(file: Path) -> dict[str, Any]:
    size = file.stat().st_size
    about = {"type": "file", "path": file.name, "size": size, "oid": digest(file)}
    if file.suffix in LARGE:
        about["lfs"] = {"oid": digest(file), "size": size, "pointerSize": 134}
    return about


@contextmanager
def open_hub(hub: Hub) -> Iterator[Hub]:
    """The hub at its address, as long as the block runs."""
    handler = type("Handler", (Asking,), {"hub": hub})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        hub.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
