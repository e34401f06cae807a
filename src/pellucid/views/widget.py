"""The page within a notebook: Jupyter, VS Code, Colab, marimo.

The widget is a frame around the same page as in a file; nothing in it can reach the notebook.
"""

import anywidget
import traitlets

from pellucid.record.trace import Trace
from pellucid.views.page import WEB, page

HEIGHT = 760  # pixels


class Widget(anywidget.AnyWidget):
    """A trace to look at. Give it another trace, and it shows that one at the same place."""

    _esm = (WEB / "widget.js").read_text(encoding="utf-8")
    html = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)

    def __init__(self, trace: Trace, height: int = HEIGHT) -> None:
        super().__init__(html=page(trace), height=height)

    def show(self, trace: Trace) -> None:
        """Show another trace."""
        self.html = page(trace)
