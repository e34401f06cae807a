"""Which networks there are, each made by its sizes and a seed."""

from collections.abc import Mapping

import torch

from pellucid.train.rivals.cnn import Convolutional
from pellucid.train.rivals.recurrent import Recurrent
from pellucid.train.rivals.sizes import Sizes

Network = Convolutional | Recurrent

NETWORKS: Mapping[str, type[Network]] = {
    "cnn": Convolutional,
    "lstm": Recurrent,
    "gru": Recurrent,
}


def network(sizes: Sizes, seed: int) -> Network:
    """A network whose weights are drawn by the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return NETWORKS[sizes.kind](sizes)
