"""Vectors of words, as rivals begin with them."""

from torch import nn

from pellucid.train.rivals.sizes import Sizes

SPREAD = 0.1  # torch's own 1 would outweigh what is learned in the first epochs (as in Kim 2014)


def words(sizes: Sizes) -> nn.Embedding:
    """A table of vectors, drawn near zero."""
    table = nn.Embedding(sizes.vocabulary, sizes.width)
    nn.init.normal_(table.weight, std=SPREAD)
    return table
