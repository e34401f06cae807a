"""What Python prints of a result, and what a notebook shows of it at the end of a cell."""

from pkgutil import resolve_name

VIEWS = "pellucid.views.notebook"  # views stand further down the house, so they are named


class Framed:
    """Shows its page in a notebook."""

    def _repr_html_(self) -> str:
        return str(resolve_name(f"{VIEWS}:html")(self))


class Shown(Framed):
    """Prints as its terminal view; in a notebook that has colours, or is a page."""

    def __repr__(self) -> str:
        return str(resolve_name(f"{VIEWS}:plain")(self))
