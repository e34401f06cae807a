"""The sheet that ends in real words: the likeliest next words after the last position."""

from xlsxwriter.worksheet import Worksheet

from pellucid.formula.sheet import Range, address
from pellucid.views.workbook.layout import PROBABILITIES
from pellucid.views.workbook.sheets import Sheets

TOP, MOST = 4, 20  # the row of the likeliest; how many are shown
COLUMNS = ("rank", "word", "probability")


def write(sheets: Sheets, sheet: Worksheet) -> None:
    """A rank, a word and its probability a row; words of the same share in their own order."""
    cells = sheets.layout.blocks[PROBABILITIES][0].cells
    words = sheets.words.columns(PROBABILITIES, 0)
    (shares,) = sheets.matrices(PROBABILITIES)[0].tolist()
    best = sorted(range(len(shares)), key=lambda at: (-shares[at], at))[:MOST]
    for column, heading in enumerate(COLUMNS):
        sheet.write_string(TOP - 1, column, heading, sheets.styles["column"])
    sheet.set_column(1, 1, max(len(words[at]) for at in best) + 4)
    sheet.set_column(2, 2, 12)
    number = sheets.styles.number("result", shares, exact=False)
    for rank, at in enumerate(best):
        row = TOP + rank
        sheet.write_number(row, 0, rank + 1, sheets.styles["text"])
        score = f"=LARGE({cells},{address(row, 0)})"
        sheet.write_formula(row, 2, score, number, shares[at])
        word, style = f"={word_of(cells, row)}", sheets.styles["text"]
        sheet.write_array_formula(row, 1, row, 1, word, style, words[at])


def word_of(cells: Range, row: int) -> str:
    """The word above the first cell that has this row's score, or above the next of that score."""
    heading = Range(cells.sheet, cells.top - 1, cells.left, 1, cells.width)
    score, above = address(row, 2), f"{address(TOP, 2)}:{address(row, 2)}"
    numbered = f"COLUMN({cells})-MIN(COLUMN({cells}))+1"
    return f"INDEX({heading},SMALL(IF({cells}={score},{numbered}),SUM(({above}={score})*1)))"
