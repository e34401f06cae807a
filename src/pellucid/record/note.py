"""Noting: how a layer tells whoever looks what it has just computed.

A note keeps a reference; it copies and computes nothing. When nobody looks it does nothing at all.
Layers note causes only; what follows from them by formula is derived when somebody asks.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from pellucid.formula import Formula
from pellucid.record.node import Node

Steps = Mapping[str, Formula]


@runtime_checkable
class Noted(Protocol):
    """A layer: it has a path in the trace, and a table of what it makes."""

    path: str

    def graph(self) -> tuple[Mapping[str, Node], Mapping[str, str]]:
        """Nodes by name; and the layer's own tensors among their parents, name to attribute."""
        ...

    def tensors(self) -> Mapping[str, Tensor]:
        """Those of its own tensors by their full names."""
        ...


@runtime_checkable
class Listener(Protocol):
    """Who hears the notes."""

    def hear(self, layer: Noted, values: Mapping[str, Tensor], *, hold: bool) -> None: ...


# one listener a thread: people may look in several threads at once
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def _current() -> Listener | None:
    """Who listens; to a layer that is compiled by itself nobody can."""
    return None if torch.compiler.is_compiling() else _listener.get()


def note(layer: Noted, **values: Tensor) -> None:
    """Keep these values of the layer, under their names."""
    if (listener := _current()) is not None:
        listener.hear(layer, values, hold=True)


def link(layer: Noted, **values: Tensor) -> None:
    """Say what these tensors are called here, without keeping them.

    A tensor that was named before is the same value under another name; that is how
    the trace knows where a layer's input came from.
    """
    if (listener := _current()) is not None:
        listener.hear(layer, values, hold=False)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within, this thread's notes go to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
