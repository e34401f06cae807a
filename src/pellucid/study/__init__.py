"""The questions one asks of a model: each a few lines over the trace, each with a clear answer."""
