"""A graph for tests that are about files, not about operators.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.graph.ir import Graph


def small_graph() -> Graph:
    """x -> FullyConnected -> h -> Activation -> y."""
    g = Graph("small")
    g.add_input("x", "f32", (1, 3))
    w = g.add_const("w", np.arange(6, dtype=np.float32).reshape(2, 3))
    b = g.add_const("b", np.array([1, 2], np.float32))
    g.add("FullyConnected", ["x", w, b], ["h"])
    g.add("Activation", ["h"], ["y"], activation="LEAKYRELU", activation_coefficient=0.5)
    g.tensors["h"].shape = g.tensors["y"].shape = (1, 2)
    g.outputs = ["y"]
    return g
