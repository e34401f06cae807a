"""Decoding: from logits to an answer, by search; every candidate on the way is on record."""
