"""What flows through a graph: a histogram of each tensor over all samples, and means and largest
values of channels.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from mace_tools.analyze.quantize.histogram import Histogram
from mace_tools.analyze.quantize.input_statistics import Moments
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.graph.extract import Arrays
from mace_tools.graph.ir import Graph
from mace_tools.support.errors import MaceError


@dataclass
class Observed:
    """A tensor over all samples; channels are its last axis."""

    histogram: Histogram = field(default_factory=Histogram)
    channel_sums: np.ndarray | None = None
    channel_largest: np.ndarray | None = None  # magnitude
    rows: int = 0
    is_steady: bool = True  # all samples have the same number of channels

    def add(self, array: np.ndarray) -> None:
        self.histogram.add(array)
        if not array.ndim or not array.size:
            self.is_steady = False
            return
        flat = array.reshape(-1, array.shape[-1])
        sums, largest = flat.sum(0, dtype=np.float64), np.abs(flat).max(0)
        if self.channel_sums is None:
            self.channel_sums, self.channel_largest = sums, largest
        elif self.channel_sums.shape == sums.shape:
            self.channel_sums += sums
            self.channel_largest = np.maximum(self.channel_largest, largest)
        else:
            self.is_steady = False
        self.rows += len(flat)

    def mean(self) -> np.ndarray | None:
        """Of each channel."""
        if self.channel_sums is None or not self.is_steady:
            return None
        return self.channel_sums / self.rows


def floats(graph: Graph) -> list[str]:
    """The tensors of a graph that are not constant and have float32 elements."""
    used = {n for node in graph.nodes for n in (*node.inputs, *node.outputs) if n}
    return [n for n, t in graph.tensors.items()
            if n in used and not t.is_const and t.dtype == "f32"]


def observe(graph: Graph, runs: Runs, samples: Sequence[Arrays], tensors: Sequence[str],
            step: Callable[[], None] = lambda: None,
            moments: Mapping[str, Sequence[Moments]] = MappingProxyType({}),
            ) -> dict[str, Observed]:
    """`moments`, by the tensor that they are of, are added to. Errors: MaceError for a tensor with
    values that are not finite; RunFailedError."""
    found = {name: Observed() for name in tensors}
    for k, values in enumerate(runs.each(graph, samples, tensors)):
        for name in tensors:
            _check(graph, name, values[name], k)
            found[name].add(values[name])
            for one in moments.get(name, ()):
                one.add(values[name])
        step()
    return found


def _check(graph: Graph, name: str, array: np.ndarray, sample: int) -> None:
    if np.isfinite(array).all():
        return
    node = graph.producer(name)
    odd = int(array.size - np.isfinite(array).sum())
    maker = f"{node}: its result '{name}'" if node is not None else f"input '{name}'"
    raise MaceError(f"{maker} has {odd} NaN or infinite elements of {array.size} with sample "
                    f"{sample + 1}, so it has no range; leave the node in float32 (float_nodes), "
                    f"or remove the sample")
