"""`pellucid classify`: files of texts, and texts that the model cannot read."""

from pathlib import Path


def test_an_empty_text_of_a_file_is_told_with_its_line(run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,y\nI lost my card,1\n,2\n")
    assert (
        "a.csv line 3 has \"\" for a text in 'text'" in run("classify", "--files", "a.csv").sentence
    )
    ran = run("classify", "--files", "a.csv", "--broken", "skip")
    assert ran.out.split("\t")[1:] == ["lost_or_stolen_card", "I lost my card\n"]
    assert ran.err.startswith("note: 1 broken line was left out")


def test_how_files_are_read_means_nothing_to_a_text(run) -> None:
    said = run("classify", "I lost my card", "--unit", "line").sentence
    assert (
        said == "--unit says how a file is read, and there is none; leave it out, or give a file."
    )


def test_a_text_that_is_too_long_may_be_cut(run) -> None:
    text = "I lost my card " * 1000
    assert run("classify", text).sentence.endswith("; cut such texts (--too-long cut).")
    ran = run("classify", text, "--too-long", "cut")
    assert ran.out.startswith("lost_or_stolen_card")
    assert ran.err.startswith("note: 1 text was cut to ")
