"""compare, senses, heads, lens and why, as a person runs them."""

import json
from pathlib import Path

import pytest
import zoo
from rich.cells import cell_len

from pellucid.errors import UsageError

MOUSE = ("compare", "--model", "mouse", "--word", "mouse")
BANK = ("--word", "bank")
FRIENDS, HELPFUL = "cat and mouse are friends", "keyboard and mouse are helpful"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("models") / "decoder"
    zoo.build("llama", longest=64).save(folder)
    return str(folder)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("models") / "encoder"
    zoo.build("post").save(folder)
    return str(folder)


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    lines = ["text\tsense", "the river bank\twater", "a muddy bank\twater"]
    lines += ["the seal slept on the bank\tanimal", "a bank and a seal\tanimal"]
    path = tmp_path / "sentences.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


def fits(out: str, width: int = 80) -> bool:
    return all(cell_len(line) <= width for line in out.splitlines())


def test_compare_shows_what_parted_the_mouse(run) -> None:
    ran = run(*MOUSE, FRIENDS, HELPFUL)
    assert ran.status == 0
    assert fits(ran.out)
    told = [" ".join(line.split()[:4]) for line in ran.out.splitlines()]
    assert any(line.startswith("0 cat +47.6 %") for line in told)
    assert any(line.startswith("0 keyboard +47.6 %") for line in told)


@pytest.mark.parametrize("width", [40, 61, 200])
def test_compare_fits_every_terminal(run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert fits(run(*MOUSE, FRIENDS, HELPFUL).out, width)


def test_compare_as_json_and_as_files(run, tmp_path: Path) -> None:
    ran = run(*MOUSE, FRIENDS, HELPFUL, "--json", "--save", "a.json", "--save", "a.html")
    data = json.loads(ran.out)
    assert data == json.loads((tmp_path / "a.json").read_text())
    assert data["layers"][0]["distance"] == 0
    page = (tmp_path / "a.html").read_text()
    assert "keyboard" in page
    assert "default-src 'none'" in page
    kinds = {"a.png": b"\x89PNG", "a.xlsx": b"PK"}
    assert run(*MOUSE, FRIENDS, HELPFUL, *(f"--save={name}" for name in kinds)).status == 0
    assert all((tmp_path / name).read_bytes().startswith(of) for name, of in kinds.items())
    again = run(*MOUSE, FRIENDS, HELPFUL, "--save", "a.json")
    assert again.status == 2
    assert "exists already" in again.sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((FRIENDS,), "1 texts came; this model compares 2."),
        ((FRIENDS, "cat and keyboard"), "The word 'mouse' is not in 'cat and keyboard'"),
        ((FRIENDS, "mouse and mouse"), "'mouse' stands 2 times in 'mouse and mouse'; say which"),
        ((FRIENDS, HELPFUL, "--save", "a.xyz"), "a.xyz has the ending '.xyz'"),
        ((FRIENDS, HELPFUL, "--word", "a", "--word", "b"), "--word was given 3 times"),
        ((FRIENDS, HELPFUL, "--layers", "0-3"), "--layers '0-3' makes no sense; this model has"),
        ((FRIENDS, HELPFUL, "--layers", "0"), "--layers is heeded in files that end in .html;"),
        ((FRIENDS, HELPFUL, "--occurrence", "2"), f"'mouse' stands once in {FRIENDS!r}; there is"),
    ],
)
def test_compare_says_what_is_wrong(run, arguments: tuple[str, ...], sentence: str) -> None:
    ran = run(*MOUSE, *arguments)
    assert ran.status == UsageError("").status
    assert ran.sentence.startswith(sentence)


def test_compare_takes_the_second_occurrence(run) -> None:
    ran = run(*MOUSE, FRIENDS, "mouse and mouse", "--occurrence", "2", "--json")
    assert json.loads(ran.out)["places"][1]["characters"] == [10, 15]


def test_compare_two_checkpoints(run, encoder: str, decoder: str) -> None:
    ran = run("compare", "--model", encoder, "--other", decoder, "--word", "seal", "the seal slept")
    assert ran.status == 0
    assert "What parted them cannot be said" in ran.out


def test_senses(run, encoder: str, sentences: Path, tmp_path: Path) -> None:
    options = ("--model", encoder, "--word", "bank", "--label", "sense")
    ran = run("senses", str(sentences), *options, "--save", "a.png", "--save", "a.json")
    assert ran.status == 0
    assert fits(ran.out)
    assert "animal" in ran.out
    assert "itself left out" in ran.out
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "a.json").read_text())["senses"] == ["animal", "water"]
    unlabelled = run("senses", str(sentences), "--model", encoder, "--word", "bank")
    assert fits(unlabelled.out)
    assert "4 sentences without labels" in unlabelled.out
    assert (
        "these have their senses"
        in run("senses", str(sentences), *options, "--groups", "3").sentence
    )
    bare = run("senses", str(sentences), *options[:4], "--distance", "angle")
    assert "these have no labels" in bare.sentence
    sentences.write_text("text\tsense\nthe bank\twater\na bank\t\n")
    assert "line 3" in run("senses", str(sentences), *options).sentence


def test_a_label_of_half_a_character_is_a_broken_line(run, encoder: str, tmp_path: Path) -> None:
    rows = [{"text": f"{a} bank", "s": s} for a, s in (("the", "\ud83e"), ("a", "b"))]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows * 2)))
    ran = run("senses", "s.jsonl", "--label", "s", "--model", encoder, *BANK, "--save", "s.json")
    assert "s.jsonl line 1 has half a character" in ran.sentence
    assert not (tmp_path / "s.json").exists()


def test_lens(run, decoder: str, encoder: str) -> None:
    ran = run("lens", "--model", decoder, "the seal slept on")
    assert fits(ran.out)
    assert "decoder.1.output" in ran.out
    assert "How likely each layer finds" in ran.out
    assert run("lens", "--model", encoder, "the seal", "--at", "1").status == 0
    last = ("lens", "--model", decoder, "the seal", "--json", "--at")
    assert run(*last, "-1").out == run(*last, "1").out
    assert "there is no 7" in run("lens", "--model", decoder, "the seal", "--at", "7").sentence


def test_why(run, decoder: str, encoder: str) -> None:
    ran = run("why", "--model", decoder, "the seal slept on", "--target", "ice")
    assert fits(ran.out)
    assert "Why ice at token 3" in ran.out
    assert "no head for words" in run("why", "--model", encoder, "the seal").sentence


def test_heads(run, decoder: str, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("the seal slept on the ice\nthe seal sat by the bank\n")
    ran = run("heads", decoder, "corpus.txt", "--silence", "--parts", "parts")
    assert ran.status == 0
    assert fits(ran.out)
    assert "Most is lost without it" in ran.out
    assert len(list((tmp_path / "parts").iterdir())) == 1
    again = run("heads", decoder, "corpus.txt", "--silence", "--parts", "parts", "--json")
    assert json.loads(again.out)["texts"] == 2
    (tmp_path / "words.txt").write_text("seal\nice\n")
    words = run("heads", decoder, "words.txt")
    told = words.out.splitlines()
    before = next(at for at, line in enumerate(told) if "At the token before" in line)
    assert told[before + 1].strip() == "No token of these texts says it."
    other = run("heads", decoder, "corpus.txt", "--parts", "parts")
    assert "of another run" in other.sentence


def test_pairs_on_the_command_line(run, tmp_path: Path) -> None:
    zoo.build("bart").save(tmp_path / "bart")
    (tmp_path / "target.txt").write_text("a seal sat\n\nthe bank\n")
    (tmp_path / "source.txt").write_text("the seal slept\n\na bank\n")
    arguments = ("heads", "bart", "target.txt", "--sources", "source.txt")
    ran = run(*arguments, "--silence", "--save", "heads.parquet")
    assert ran.status == 0
    assert "cross 1 head" in ran.out
    assert (tmp_path / "heads.parquet").read_bytes().startswith(b"PAR1")
    (tmp_path / "source.txt").write_text("the seal slept\na bank\n")
    assert "The source of line 2 has no text in the same line" in run(*arguments).sentence


@pytest.mark.parametrize("command", ["compare", "senses", "heads", "lens", "why"])
def test_each_says_what_it_does_not_show(run, command: str) -> None:
    assert "What it does not show" in " ".join(run(command, "--help").out.split())
