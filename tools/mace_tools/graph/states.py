"""States: tensors that an engine keeps from run to run.

SPDX-License-Identifier: Apache-2.0

To passes they are the last inputs of a graph, and their next values its last outputs, in the same
order. Those who run a model see neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from mace_tools.graph.ir import Graph


@dataclass
class State:
    """What becomes of a tensor of Graph.states."""

    next: str  # the output that becomes its value for the next run
    initial: np.ndarray | None = None  # its first value; None: zeros


@dataclass(frozen=True)
class Pair:
    """What a deployment file says about a state: the output that becomes its value for the next
    run, and its shape where the model does not state it. None is an extent that grows from run to
    run, up to that of `most`; of None, to any."""

    next: str
    shape: tuple[int | None, ...] | None = None
    most: tuple[int, ...] | None = None


def own_inputs(graph: Graph) -> list[str]:
    """The inputs that a run is given."""
    return graph.inputs[: len(graph.inputs) - len(graph.states)]


def own_outputs(graph: Graph) -> list[str]:
    """The outputs that a run returns."""
    return graph.outputs[: len(graph.outputs) - len(graph.states)]


def first_values(graph: Graph) -> dict[str, np.ndarray]:
    """What the states hold before the first run."""
    import numpy as np

    from mace_tools.graph.ir import NUMPY

    found = {}
    for name, state in graph.states.items():
        tensor = graph.tensors[name]
        zeros = np.zeros(tensor.static_shape or (), NUMPY[tensor.dtype])
        found[name] = zeros if state.initial is None else state.initial
    return found
