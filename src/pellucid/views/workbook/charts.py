"""Charts beside the waves: the wave, its slope, and the wave moved on and turned."""

from xlsxwriter.worksheet import Worksheet

from pellucid.views.workbook.places import TOP
from pellucid.views.workbook.sheets import Sheets
from pellucid.views.workbook.styles import NEGATIVE, POSITIVE
from pellucid.views.workbook.waves import PLACE

COLUMN, HIGH, SIZE = 11, 16, {"width": 560, "height": 300}  # where charts stand, rows of each
CHARTS = {
    "sine and cosine": (("wave", 0), ("wave", 1)),
    "the slope of the sine is the cosine": (("slope", 0), ("wave", 1)),
    "a shift is a rotation": (("moved_wave", 0), ("turned_wave", 0)),
}
NAMES = ("sine", "cosine")
DASHES = ("solid", "round_dot")  # two lines that lie on each other can both be seen


def write(sheets: Sheets, sheet: Worksheet) -> None:
    """The charts below each other; lines that should agree lie on each other."""
    for number, (title, lines) in enumerate(CHARTS.items()):
        chart = sheets.book.add_chart({"type": "line"})
        for line, colour, dash in zip(lines, (NEGATIVE, POSITIVE), DASHES, strict=True):
            chart.add_series(_series(sheets, *line, colour, dash))
        chart.set_title({"name": title, "name_font": {"size": 11, "bold": False}})
        chart.set_x_axis({"name": "position", "interval_unit": 4, "label_position": "low"})
        chart.set_legend({"position": "bottom"})
        chart.set_size(SIZE)
        sheet.insert_chart(TOP + number * HIGH, COLUMN, chart)


def _series(sheets: Sheets, name: str, column: int, colour: str, dash: str) -> dict[str, object]:
    place, values = (sheets.layout.blocks[f"{PLACE}{each}"][0].cells for each in ("place", name))
    along = values.left + column
    last = values.top + values.height - 1
    return {
        "name": f"{name}, {NAMES[column]}",
        "categories": [
            place.sheet,
            place.top,
            place.left,
            last - values.top + place.top,
            place.left,
        ],
        "values": [values.sheet, values.top, along, last, along],
        "line": {"color": colour, "width": 2.25, "dash_type": dash},
    }
