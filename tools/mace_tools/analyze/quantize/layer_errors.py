"""How far the tensors of a quantized graph are from those of the graph of floats.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mace_tools.analyze.quantize.column_order import Columns
from mace_tools.analyze.quantize.quantize_graph import Assigned
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.graph.extract import Arrays
from mace_tools.graph.ir import Graph
from mace_tools.graph.quantization import dequantized


@dataclass
class Error:
    """Sums over all samples."""

    signal: float = 0.0
    noise: float = 0.0
    size: float = 0.0  # of what is measured, squared
    product: float = 0.0
    largest: float = 0.0  # difference
    columns: Columns = field(default_factory=Columns)

    def add(self, found: np.ndarray, reference: np.ndarray) -> None:
        a, r = (x.astype(np.float64).ravel() for x in (found, reference))
        self.signal += float(r @ r)
        self.size += float(a @ a)
        self.product += float(a @ r)
        difference = a - r
        self.noise += float(difference @ difference)
        self.largest = max(self.largest, float(np.abs(difference).max(initial=0.0)))

    @property
    def sqnr_db(self) -> float:
        """Infinite where both are the same."""
        if self.noise == 0:
            return math.inf
        return 10 * math.log10(self.signal / self.noise) if self.signal > 0 else -math.inf

    @property
    def similarity(self) -> float:
        """The cosine; 1 where both are zero."""
        if self.signal == self.size == 0:
            return 1.0
        return self.product / math.sqrt(self.signal * self.size) if self.signal * self.size else 0.0

    def report(self) -> dict[str, float]:
        return {"sqnr_db": self.sqnr_db, "similarity": self.similarity,
                "max_abs_error": self.largest}


def reference(graph: Graph, runs: Runs, samples: Sequence[Arrays], tensors: Sequence[str]
              ) -> list[Arrays]:
    """These tensors of the graph of floats, for each sample."""
    return list(runs.each(graph, samples, tensors))


def outputs(graph: Graph, runs: Runs, samples: Sequence[Arrays],
            right: Sequence[Mapping[str, np.ndarray]]) -> dict[str, Error]:
    """The errors of the outputs of a quantized graph, of those that have floats."""
    errors = {o: Error() for o in graph.outputs if graph.tensors[o].dtype == "f32"}
    for values, expected in zip(runs.each(graph, samples, list(errors)), right):
        for name, error in errors.items():
            error.add(values[name], expected[name])
            error.columns.add(values[name], expected[name])
    return errors


def layers(graph: Graph, made: Assigned, runs: Runs, samples: Sequence[Arrays]
           ) -> dict[str, Error]:
    """The errors of all tensors that both graphs have, in the order in which `graph` computes
    them."""
    places = {}
    for node in graph.nodes:
        for out in node.outputs:
            place = made.quantized.get(out, out)
            if graph.tensors[out].dtype == "f32" and place in made.graph.tensors:
                places[out] = place
    errors = {name: Error() for name in places}
    wanted = list(dict.fromkeys(places.values()))
    pairs = zip(runs.each(graph, samples, list(places)), runs.each(made.graph, samples, wanted))
    for expected, values in pairs:
        for name, place in places.items():
            quant = made.graph.tensors[place].quant
            found = values[place] if quant is None else dequantized(values[place], quant)
            errors[name].add(found, expected[name])
            errors[name].columns.add(found, expected[name])
    return errors


def worst(errors: Mapping[str, Error]) -> float:
    """The least similarity; 1 if there are none."""
    return min((e.similarity for e in errors.values()), default=1.0)
