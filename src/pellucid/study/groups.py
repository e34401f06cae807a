"""Without labels: into which groups a word's sentences fall by themselves, layer by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from torch import Tensor
from torch.nn import functional

from pellucid.errors import UsageError
from pellucid.models.model import Model
from pellucid.record.shown import Shown
from pellucid.study.clouds import Clouds, cloud
from pellucid.study.rounding import ROUNDING
from pellucid.study.vectors import Done, Use, layers_of, nothing, use, vectors

TYPICAL = 3  # sentences shown of each group


@dataclass(frozen=True, repr=False)
class Groups(Shown):
    """Groups of sentences that lie together after each of the `layers`.

    `apart` is the mean silhouette: 1 where groups are tight and far from each other, 0 where there
    are none. `best` is the layer where it is largest, `groups` the number of each sentence's group
    there, and `typical` of each group the sentences nearest to its middle. `clouds` [L N 2] is a
    picture as in `Senses`.
    """

    word: str
    layers: tuple[str, ...]
    apart: tuple[float, ...]
    groups: tuple[int, ...]
    typical: tuple[tuple[str, ...], ...]
    clouds: Tensor

    @property
    def best(self) -> int:
        """The layer where the groups are furthest apart, the embedding aside."""
        return best_of(self.apart)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups have none but their numbers."""
        return tuple(f"group {group + 1}" for group in range(len(self.typical)))

    @property
    def picture(self) -> Clouds:
        """The sentences as points, each of its group after the best layer."""
        pairs = zip(self.layers, self.apart, strict=True)
        captions = tuple(f"{name}  {score:.3f}" for name, score in pairs)
        of = tuple(self.names[group] for group in self.groups)
        return Clouds(self.word, captions, self.names, of, self.clouds)

    def to_json(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return vars(self) | {"clouds": self.clouds.tolist(), "best": self.best}


def groups(
    model: Model,
    word: str,
    sentences: Sequence[str | Use],
    *,
    count: int = 2,
    done: Done = nothing,
) -> Groups:
    """So many groups, by k-means on the word's vectors, each of length one (Rousseeuw 1987).

    There are fewer where there are fewer different vectors.

    What it does not show: senses. Sentences may fall apart by topic, length or grammar; read the
    typical ones.
    """
    uses = [each if isinstance(each, Use) else use(each, word) for each in sentences]
    if not 1 < count < len(uses):
        raise UsageError(f"{len(uses)} sentences cannot fall into {count} groups.")
    x = functional.normalize(vectors(model, uses, done), dim=-1)
    found = [fall(x[:, at], count) for at in range(x.shape[1])]
    apart = tuple(score for _, score in found)
    numbers = [numbers for numbers, _ in found]
    best = best_of(apart)
    return Groups(
        word=word,
        layers=tuple(layers_of(model)),
        apart=apart,
        groups=tuple(numbers[best].tolist()),
        typical=tuple(
            _typical(x[:, best], numbers[best], uses, group)
            for group in range(int(numbers[best].max()) + 1)
        ),
        clouds=torch.stack([cloud(x[:, at], numbers[best], x[:, at]) for at in range(x.shape[1])]),
    )


def best_of(apart: Sequence[float]) -> int:
    """The layer with the largest score, the embedding aside: it knows no neighbours."""
    return max(range(min(1, len(apart) - 1), len(apart)), key=apart.__getitem__)


def fall(x: Float[Tensor, "N D"], count: int) -> tuple[Int[Tensor, "N"], float]:
    """Each vector's group, and how far apart the groups are; of a single point, not at all."""
    if (x - x.mean(0)).norm(dim=1).max() <= ROUNDING["float32"]:
        return torch.zeros(len(x), dtype=torch.long), 0.0
    known = min(count, len(x.unique(dim=0)))  # equal vectors make no more groups
    numbers = KMeans(known, n_init=10, random_state=0).fit_predict(x.numpy())
    return torch.tensor(numbers, dtype=torch.long), float(silhouette_score(x.numpy(), numbers))


def _typical(x: Tensor, numbers: Tensor, uses: Sequence[Use], group: int) -> tuple[str, ...]:
    own = (numbers == group).nonzero()[:, 0]
    middle = functional.normalize(x[own].mean(0), dim=0)
    nearest = own[(x[own] @ middle).argsort(descending=True)][:TYPICAL]
    return tuple(uses[at].text for at in nearest.tolist())
