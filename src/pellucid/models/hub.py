"""Checkpoints from a model hub, by name and revision: `huggingface_hub` does the work.

Its cache and its environment variables (HF_HOME, HF_HUB_OFFLINE, HF_ENDPOINT, HF_TOKEN) hold.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from logging import ERROR
from pathlib import Path
from typing import Any

from pellucid.errors import PellucidError

NAME = re.compile(r"(?P<name>[\w.-]+/[\w.-]+?)(?:@(?P<revision>[\w./-]+))?")
TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "target_vocab.json",
    "merges.txt",
    "*.model",
    "*.spm",
)
SAFE = ("model.safetensors", "model-*.safetensors", "model.safetensors.index.json")
SAID = ("config.json", "generation_config.json")
REST = ("pytorch_model*.bin*", "chat_template.*")  # for other tools


def belongs(name: str) -> bool:
    """Whether a file of this name is part of a checkpoint."""
    patterns = (*SAID, *TOKENIZER, *SAFE, *REST)
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def is_name(name: str) -> bool:
    """Whether this can be a name on a hub: `owner/model`, `owner/model@revision`."""
    return NAME.fullmatch(name) is not None


def fetch(name: str) -> Path:
    """The folder of a checkpoint, from the cache or the network."""
    from huggingface_hub import errors

    found = NAME.fullmatch(name)
    assert found is not None
    repository, revision = found["name"], found["revision"]
    try:
        return download(repository, revision)
    except errors.HFValidationError:
        reason = f"{repository} cannot be the name of a model on a hub; check it"
    except errors.RevisionNotFoundError:
        reason = f"{repository} has no revision {revision!r}; choose another"
    except errors.GatedRepoError:
        reason = f"{repository} is for those who accepted its terms; log in with hf auth login"
    except errors.RepositoryNotFoundError:
        reason = f"The hub has no model {repository}, or it is not public; check the name"
    except errors.LocalEntryNotFoundError:
        where = repository if revision is None else f"{repository}@{revision}"
        reason = f"{where} is not in the cache, and the hub is out of reach; go online once"
    except Exception as error:  # the client lets through whatever its transport raises
        reason = f"{repository} could not be fetched ({error}); try again"
    raise PellucidError(f"{reason}, or give a local folder.")


def download(repository: str, revision: str | None) -> Path:
    """The files that make a checkpoint: safe weights if there are any, else pickled ones."""
    from huggingface_hub import snapshot_download

    with quietly() as bar:
        fetch = partial(snapshot_download, repository, revision=revision, tqdm_class=bar)
        folder = Path(fetch(allow_patterns=[*SAID, *TOKENIZER, *SAFE]))
        if not any(folder.glob("*.safetensors")):
            fetch(allow_patterns=[*SAID, *TOKENIZER, "pytorch_model.bin"])
        return folder


@contextmanager
def quietly() -> Iterator[type]:
    """Within, the hub's client does not say what goes wrong: we do, once.

    Gives its progress bar, for terminals only.
    """
    from huggingface_hub.utils import logging
    from huggingface_hub.utils.tqdm import tqdm

    class Bar(tqdm):
        def __init__(self, *given: Any, **told: Any) -> None:
            super().__init__(*given, **told | {"disable": None})  # type: ignore[no-untyped-call]

    verbosity = logging.get_verbosity()
    logging.set_verbosity(ERROR)
    try:
        yield Bar
    finally:
        logging.set_verbosity(verbosity)
