"""Subgraphs: the outputs of branches and loop bodies.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Mapping

import numpy as np

from mace_tools.convert.ops.common.view import View
from mace_tools.graph.ir import Graph, Shape, Tensor

Run = Callable[[Graph, Mapping[str, np.ndarray]], dict[str, np.ndarray]]


def common(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape that two shapes have in common: None where they differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b))


def outputs_of(v: View, attr: str) -> list[Tensor]:
    graph = v.graph.subgraphs[str(v.attr(attr))]
    return [graph.tensors[name] for name in graph.outputs]
