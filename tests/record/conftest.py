"""Two loaded models, one trace of each."""

from pathlib import Path

import pytest

import pellucid
from pellucid import Model, Trace

TEXT = "The bank of the river was muddy, unbelievably so 🙂."


@pytest.fixture(scope="session")
def encoder(minilm: Path) -> Model:
    return pellucid.load(minilm)


@pytest.fixture(scope="session")
def decoder(gpt2: Path) -> Model:
    return pellucid.load(gpt2)


@pytest.fixture(scope="session")
def encoded(encoder: Model) -> Trace:
    return encoder.see(TEXT)


@pytest.fixture(scope="session")
def decoded(decoder: Model) -> Trace:
    return decoder.see(TEXT)
