"""The layers: one idea a file."""
