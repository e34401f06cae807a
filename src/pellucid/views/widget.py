"""The page within a notebook: Jupyter, VS Code, Colab, marimo.

The widget is a frame around the same page as in a file; nothing in it can reach the notebook.
"""

import anywidget
import traitlets

from pellucid.record.trace import Trace
from pellucid.study.compare import Comparison
from pellucid.views.notebook import HEIGHT, page_of
from pellucid.views.page import WEB


class Widget(anywidget.AnyWidget):
    """A trace to look at, or a comparison. Given another, it shows that one at the same place."""

    _esm = (WEB / "widget.js").read_text(encoding="utf-8")
    html = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)

    def __init__(self, shown: Trace | Comparison, height: int = HEIGHT) -> None:
        super().__init__(html=page_of(shown), height=height)

    def show(self, shown: Trace | Comparison) -> None:
        """Show another trace, or another comparison."""
        self.html = page_of(shown)
