"""Models from a hub: the client is the real one, the hub a server on this machine."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import zoo
from models_hub import Hub, open_hub
from safetensors.torch import load_file

Run = Callable[..., subprocess.CompletedProcess[str]]

SEE = ("-m", "pellucid", "see", "a bank", "--json", "--keep", "embed.output", "--model")
LOAD = """
import json, sys, pellucid
model = pellucid.load(sys.argv[1])
print(json.dumps([model.name, model.config.inner]))
"""
SEE_EACH = """
import sys
from pellucid.cli import main
for name in sys.argv[1:]:
    print(main(["see", "a bank", "--model", name]))
"""
OFFLINE = {"HF_HUB_OFFLINE": "1"}
NOBODY = {"HF_ENDPOINT": "http://127.0.0.1:9"}  # where no server listens
ELSEWHERE = ", or give a local folder."
OUT_OF_REACH = " is not in the cache, and the hub is out of reach; go online once" + ELSEWHERE


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Hub:
    """A model in two revisions, one with pickled weights, and what cannot be had."""
    home = tmp_path_factory.mktemp("hub")
    main = zoo.build("encoder").save(home / "main")
    second = zoo.build("encoder", inner=28).save(home / "second")
    pickled = zoo.build("encoder").save(home / "pickled")
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    (main / "README.md").write_text("What nobody needs in order to run it.")
    return Hub(
        {"someone/tiny": {"main": main, "v2/beta": second}, "someone/old": {"main": pickled}},
        moved={"before/tiny": "someone/tiny"},
        gated=frozenset({"someone/secret"}),
    )


@pytest.fixture
def hub(models: Hub) -> Iterator[Hub]:
    with open_hub(replace(models, asked=[])) as hub:
        yield hub


@pytest.fixture
def run(hub: Hub, tmp_path: Path) -> Run:
    """A process of its own, since the client reads its settings when it is imported."""
    inherited = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
    settings = {"HF_HOME": str(tmp_path / "cache"), "HF_ENDPOINT": hub.address}

    def runs(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            env=inherited | settings | env,
            capture_output=True,
            text=True,
            check=False,
        )

    return runs


def loaded(ran: subprocess.CompletedProcess[str]) -> str:
    """What was printed, and nothing beside it."""
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def sentences(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """What was said of each model: one line, with status 1."""
    said = ran.stderr.splitlines()
    assert ran.stdout.split() == ["1"] * len(said)
    return [line.removeprefix("pellucid: ") for line in said]


def test_by_name_and_revision(run: Run, hub: Hub) -> None:
    assert loaded(run("-c", LOAD, "someone/tiny")) == '["someone/tiny", 24]\n'
    assert loaded(run("-c", LOAD, "someone/tiny@v2/beta")) == '["someone/tiny@v2/beta", 28]\n'
    fetched = [asked.rsplit("/", 1)[-1] for asked in hub.asked if asked.startswith("GET")]
    assert fetched.count("model.safetensors") == 2
    assert "README.md" not in fetched


def test_by_the_name_it_had_before(run: Run) -> None:
    assert loaded(run("-c", LOAD, "before/tiny")) == '["before/tiny", 24]\n'


def test_pickled_weights_where_there_are_no_others(run: Run, hub: Hub) -> None:
    assert loaded(run("-c", LOAD, "someone/old")) == '["someone/old", 24]\n'
    assert any(asked.endswith("/pytorch_model.bin") for asked in hub.asked)
    assert loaded(run("-c", LOAD, "someone/old", **OFFLINE)) == '["someone/old", 24]\n'


def test_the_second_time_it_comes_from_the_cache(run: Run, hub: Hub) -> None:
    first = loaded(run(*SEE, "someone/tiny@v2/beta"))
    hub.asked.clear()
    assert loaded(run(*SEE, "someone/tiny@v2/beta", **OFFLINE)) == first
    assert not hub.asked
    assert loaded(run(*SEE, "someone/tiny@v2/beta", **NOBODY)) == first


def test_what_cannot_be_had_is_one_sentence(run: Run) -> None:
    said = {
        "someone/tiny@v3": "someone/tiny has no revision 'v3'; choose another",
        "someone/none": "The hub has no model someone/none, or it is not public; check the name",
        "someone/secret": "someone/secret is for those who accepted its terms; "
        "log in with hf auth login",
        "some--one/..x": "some--one/..x cannot be the name of a model on a hub; check it",
    }
    found = sentences(run("-c", SEE_EACH, *said))
    assert found == [f"{sentence}{ELSEWHERE}" for sentence in said.values()]


@pytest.mark.parametrize("env", [OFFLINE, NOBODY], ids=["offline", "nobody there"])
def test_not_in_the_cache_and_out_of_reach(env: dict[str, str], run: Run, hub: Hub) -> None:
    names = ["someone/tiny", "someone/tiny@v2/beta"]
    found = sentences(run("-c", SEE_EACH, *names, **env))
    assert found == [f"{name}{OUT_OF_REACH}" for name in names]
    assert not hub.asked


def test_a_download_that_breaks_off_is_said_and_taken_up_again(run: Run, hub: Hub) -> None:
    hub.broken = frozenset({"model.safetensors"})
    (said,) = sentences(run("-c", SEE_EACH, "someone/tiny"))
    assert said.startswith("someone/tiny could not be fetched (")
    assert said.endswith("); try again, or give a local folder.")
    hub.broken = frozenset()
    loaded(run(*SEE, "someone/tiny"))
