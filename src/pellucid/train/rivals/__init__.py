"""Rivals: what a Transformer is compared with, on the same texts by the same loop."""
