"""What a run is given and returns: the inputs and outputs of a graph without its states.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.graph.ir import NUMPY, Graph


def own_inputs(graph: Graph) -> list[str]:
    """The inputs that a run is given."""
    return graph.inputs[: len(graph.inputs) - len(graph.states)]


def own_outputs(graph: Graph) -> list[str]:
    """The outputs that a run returns."""
    return graph.outputs[: len(graph.outputs) - len(graph.states)]


def first_values(graph: Graph) -> dict[str, np.ndarray]:
    """What the states hold before the first run."""
    found = {}
    for name, state in graph.states.items():
        tensor = graph.tensors[name]
        zeros = np.zeros(tensor.static_shape or (), NUMPY[tensor.dtype])
        found[name] = zeros if state.initial is None else state.initial
    return found
