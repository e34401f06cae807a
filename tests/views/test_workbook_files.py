"""The workbook as a file: its formulas, its words, its size, and what is refused."""

import re
import zipfile
from pathlib import Path

import openpyxl
import pytest
import zoo
from openpyxl.worksheet.formula import ArrayFormula

import pellucid
from pellucid import Trace
from pellucid.decode.seen import see_generated
from pellucid.errors import PellucidError, UsageError
from pellucid.views.workbook import book, part
from pellucid.views.workbook.names import short_names
from pellucid.views.workbook.plan import Plan
from pellucid.views.workbook.text import shown, told

# what Excel 2010, LibreOffice and Google Sheets share, of what is used
FUNCTIONS = set(
    "ABS COLUMN COLUMNS COS EXP IF INDEX LARGE LN MATCH MAX MIN MMULT NORMSDIST PI ROW ROWS SIN"
    " SMALL SQRT SUM TANH TRANSPOSE".split()
)
TRAPS = "=1+1 +2 -3 @SUM \x07\x00 \\x07 _x0007_ 'a' 🙂 שלום"
WORDS = (
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@x",
    "\x07",
    "a\\b",
    "\ud83d",
    "_x0007_",
    "'",
    "🙂",
    "\ufffe",
)


def animal(name: str, **changes: int) -> Trace:
    model = zoo.build(name, layers=1, **changes)
    return model.see(*(texts[0] for texts in zoo.texts(model)))


@pytest.fixture(scope="module")
def mouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trace = pellucid.load("mouse").see("cat and mouse are friends")
    return trace.save(tmp_path_factory.mktemp("mouse") / "mouse.xlsx")


def formulas(path: Path) -> dict[str, str]:
    """All formulas by sheet and cell."""
    return {
        f"{sheet.title}!{cell.coordinate}": getattr(cell.value, "text", cell.value)
        for sheet in openpyxl.load_workbook(path)
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, ArrayFormula) or cell.data_type == "f"
    }


@pytest.mark.parametrize("name", ["relative decoder", "albert", "t5"])
def test_formulas_are_what_all_spreadsheets_understand(name: str, tmp_path: Path) -> None:
    path = animal(name).save(tmp_path / "book.xlsx")
    names = {each.lower() for each in openpyxl.load_workbook(path).defined_names}
    for where, text in formulas(path).items():
        bare = re.sub(r"'(?:[^']|'')+'!\$[A-Z]+\$\d+(?::\$[A-Z]+\$\d+)?", "", text)
        bare = re.sub(r"\$[A-Z]+\$\d+", "", bare)
        called = set(re.findall(r"[A-Z]+(?=\()", bare))
        assert called <= FUNCTIONS, where
        words = set(re.findall(r"(?<![\d.])[A-Za-z_]\w*(?!\w*\()", bare))
        assert {word.lower() for word in words} <= names, where
        assert len(text) <= 8192, where


def test_the_paper_can_be_read_in_it(mouse: Path) -> None:
    found = formulas(mouse)
    assert found["scores!B7"] == "=MMULT(Q,TRANSPOSE(K))"
    assert found["mixed!B7"] == "=MMULT(weights,V)"
    assert found["scaled!B7"] == "=scores/SQRT(2)"


def test_there_is_nothing_in_the_file_but_sheets(mouse: Path) -> None:
    names = zipfile.ZipFile(mouse).namelist()
    assert not [name for name in names if re.search("vba|external|connection|query", name)]
    assert mouse.stat().st_size <= 60_000


def test_one_head_of_a_real_model_is_small(minilm: Path, tmp_path: Path) -> None:
    trace = pellucid.load(minilm).see("The bank of the river was muddy, so the seal slept.")
    assert trace.save(tmp_path / "head.xlsx", layer=3, head=5).stat().st_size <= 2_000_000


def test_texts_stay_texts(gpt2: Path, tmp_path: Path) -> None:
    trace = pellucid.load(gpt2).see(TRAPS)
    path = trace.save(tmp_path / "traps.xlsx", layer=0, head=0)
    sheets = openpyxl.load_workbook(path)
    tokens = trace.texts["tokens"][0]
    rows = [row[0] for row in sheets["weights"].iter_rows(min_row=7, max_row=6 + len(tokens))]
    assert [told(cell.value) for cell in rows] == tokens.labels()
    assert {cell.data_type for cell in rows} == {"s"}
    assert told(sheets["contents"]["B2"].value) == TRAPS


@pytest.mark.parametrize("word", WORDS)
def test_words_are_escaped_losslessly(word: str) -> None:
    assert told(shown(word)) == word
    shown(word).encode()
    assert not re.search(r"[\x00-\x1f\x7f]", shown(word))


def test_too_many_cells_are_counted_and_a_way_out_named(minilm: Path, tmp_path: Path) -> None:
    trace = pellucid.load(minilm).see("a bank")
    with pytest.raises(
        PellucidError, match=r"^Of the whole model .*1[01],\d{3},\d{3} cells.*--layer 5 \(1,"
    ):
        trace.save(tmp_path / "book.xlsx")
    assert not list(tmp_path.iterdir())


def test_where_a_layer_is_too_large_a_head_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = animal("llama")
    whole = Plan(trace, part.Part(0)).size
    monkeypatch.setattr(book, "CELLS", whole - 1)
    with pytest.raises(PellucidError, match="write less with --layer 0 --head 0"):
        trace.save(tmp_path / "book.xlsx", layer=0)
    monkeypatch.setattr(book, "CELLS", 10)
    with pytest.raises(PellucidError, match="shorten the text"):
        trace.save(tmp_path / "book.xlsx")


def test_a_matrix_wider_than_a_sheet_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "COLUMNS", 16)
    with pytest.raises(PellucidError, match="a sheet holds 1,048,576 and 16"):
        animal("decoder").save(tmp_path / "book.xlsx")


def test_a_loaded_trace_needs_its_weights(tmp_path: Path) -> None:
    trace = zoo.build("encoder", width=264, heads=2, layers=1).see("a bank")
    trace.save(tmp_path / "trace.safetensors")
    loaded = Trace.load(tmp_path / "trace.safetensors")
    with pytest.raises(PellucidError, match=r'needs the weight .*weight.*weights="all"'):
        loaded.save(tmp_path / "book.xlsx", layer=0)
    with pytest.raises(UsageError, match=r"load the trace with its model's weights"):
        loaded.save(tmp_path / "book.xlsx")
    whole = Trace.load(tmp_path / "trace.safetensors", trace.weights)
    assert whole.save(tmp_path / "book.xlsx", layer=0, head=0).is_file()


def test_a_sentence_that_is_not_there_is_refused(tmp_path: Path) -> None:
    trace = zoo.build("encoder").see(["a bank", "a river"])
    with pytest.raises(UsageError, match="2 sentences; there is no sentence 2"):
        trace.save(tmp_path / "book.xlsx", sentence=2)
    path = trace.save(tmp_path / "book.xlsx", layer=1, sentence=1)
    assert openpyxl.load_workbook(path)["contents"]["B2"].value == "a river"


@pytest.mark.parametrize("name", zoo.ZOO)
def test_names_of_ranges_are_each_others_own(name: str) -> None:
    trace = animal(name)
    names = short_names([*trace, *trace.weights])
    assert len({short.lower() for short in names.values()}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z_]\w*", short) for short in names.values())
    assert not [s for s in names.values() if re.fullmatch(r"[A-Za-z]{1,3}\d+|[RrCc]\d*", s)]


def test_the_sums_of_a_search_add_up(tmp_path: Path) -> None:
    model = zoo.build("decoder", layers=1, dropout=0.0, attention_dropout=0.0)
    trace = see_generated(model, "the seal", {}, beams=2, best=2, max_new_tokens=3)
    path = trace.save(tmp_path / "book.xlsx")
    rows = list(openpyxl.load_workbook(path, data_only=True)["search"].values)
    sums, found = formulas(path), trace.about["generation"]
    for at, answer in enumerate(found["answers"], start=4):
        assert rows[at][0] == answer["text"]
        assert rows[at][1] / rows[at][2] == pytest.approx(answer["score"])
        assert sums[f"search!D{at + 1}"] == f"=$B${at + 1}/$C${at + 1}"
    first = 4 + len(found["answers"]) + 2
    for at, candidate in enumerate(found["tree"]["candidates"], start=first):
        before = candidate["parent"]
        start = f"$G${first + before + 1}+" if before >= 0 else ""
        assert sums[f"search!G{at + 1}"] == f"={start}$F${at + 1}"
        total = rows[at][5] + (rows[first + before][6] if before >= 0 else 0)
        assert total == pytest.approx(candidate["total"])
        assert rows[at][3] == candidate["piece"]


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("xlsxwriter.workbook.Workbook._store_workbook", full)
    with pytest.raises(PellucidError, match=r"book.xlsx could not be written: No space left"):
        animal("bare").save(tmp_path / "book.xlsx")
    assert not list(tmp_path.iterdir())
