"""`pellucid open`: a page in the browser that follows what is typed."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli.problems import notes, say
from pellucid.errors import UsageError

if TYPE_CHECKING:
    from pellucid.models.model import Model
    from pellucid.record.trace import Trace
    from pellucid.study.compare import Comparison
    from pellucid.views.live import Studio

LOOPBACK = "127.0.0.1"
EXAMPLES = {"tokens": "The seal slept on the ice.", "source": "The seal slept on the ice."}


@dataclass(frozen=True, kw_only=True)
class Open:
    """Open a model in the browser: type, and every number follows.

    Two texts show one word in both: where its vectors part, and what parted them.

    The page is served to this machine alone; --host lets others in. Ctrl-C ends it.

    [dim]Examples:[/]
    [cyan]pellucid open[/]
    [cyan]pellucid open mouse[/]
    [cyan]pellucid open --port 8000 --no-browser folder[/]
    """

    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A built-in model, a checkpoint's folder, or a name on a hub."
        ),
    ] = "minilm"
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 0
    host: Annotated[str, typer.Option(help="The address to listen on.")] = LOOPBACK
    longest: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many characters may be typed.")
    ] = 4000
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")
    ] = True

    def run(self) -> None:
        """Serve until somebody ends it."""
        import webbrowser

        from pellucid.models.load import load
        from pellucid.views.live import Server

        with notes():
            studio = self._studio(load(self.model))
        try:
            server = Server(studio, self.host, self.port)
        except OSError as error:
            raise UsageError(
                f"{self.host}:{self.port} cannot be listened on ({error.strerror}); "
                "choose another --port or --host."
            ) from error
        with server:
            say(server.address, who="open")
            if self.browser:
                webbrowser.open(server.address)
            with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
                server.serve_forever()

    def _studio(self, model: "Model") -> "Studio":
        from pellucid.models.mouse import MICE
        from pellucid.views.live import Studio

        def look(texts: Sequence[str]) -> "Trace":
            return model.see(*texts)

        def generate(text: str, tokens: int, beams: int) -> "Trace":
            from pellucid.decode.seen import see_generated

            choices = {"max_new_tokens": tokens, "beams": beams, "best": beams}
            return see_generated(model, text, {}, **choices)

        def follow(first: Sequence[str], second: Sequence[str], word: str) -> "Comparison":
            """Where a text has the word several times, its first is meant."""
            from pellucid.study.compare import compare

            return compare(model, tuple(first), tuple(second), word=word, occurrence=1)

        speaks = model.config.shape != "encoder" and model.config.head != "none"
        examples = [EXAMPLES.get(stream, "The") for stream in model.streams]
        return Studio(
            look,
            model.streams,
            model.name,
            self.longest,
            [MICE[self.model].sentence] if self.model in MICE else examples,
            generate if speaks else None,
            follow,
        )
