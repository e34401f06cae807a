"""The streams of texts: which one an axis of a value runs along."""

from collections.abc import Collection, Mapping, Sized

from pellucid.errors import UsageError

OF_SOURCE = {"memory", "real", "key", "value"}  # what cross-attention has from the encoder


def stream_of(name: str, axis: str, streams: Collection[str]) -> str:
    """Which of the streams the axis "T" or "S" of a value runs along."""
    place, _, last = name.rpartition(".")
    crossing = place.endswith(".cross") and (axis == "S" or last in OF_SOURCE)
    stream = "source" if crossing or name.startswith(("source.", "encoder.")) else "target"
    return stream if stream in streams else "tokens"


def check_alone(texts: Mapping[str, Sized]) -> None:
    """Refuse many texts where one is asked about."""
    for stream in texts.values():
        if len(stream) > 1:
            raise UsageError(f"One text is asked about, and {len(stream)} came; ask of each alone.")
