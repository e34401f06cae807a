"""All cases at once: one visit to the browser, one recalculation of one workbook."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import formula_browser
import formula_sheet
import pytest
from formula_cases import everything
from formula_sheet import Values
from torch import Tensor

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def answer(browser: "Browser") -> dict[str, Any]:
    with browser.new_page() as page:
        jobs = [formula_browser.job(case) for case in everything()]
        return page.evaluate(formula_browser.SCRIPT, [formula_browser.ALGEBRA, jobs])


@pytest.fixture(scope="session")
def browsed(answer: dict[str, Any]) -> dict[str, list[Tensor]]:
    """What the browser makes of each case."""
    results = map(formula_browser.as_tensors, answer["results"])
    return {case.name: result for case, result in zip(everything(), results, strict=True)}


@pytest.fixture(scope="session")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> formula_sheet.Book:
    """All cases as formulas, not yet calculated."""
    return formula_sheet.write(tmp_path_factory.mktemp("sheet") / "cases.xlsx", everything())


@pytest.fixture(scope="session")
def calculated(
    workbook: formula_sheet.Book, recalculate: Callable[..., list[Path]]
) -> dict[str, list[Values]]:
    """What LibreOffice makes of each case."""
    (found,) = recalculate(workbook.path)
    return formula_sheet.read(found, workbook.places)
