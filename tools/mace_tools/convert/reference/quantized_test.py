"""Quantized nodes in NumPy, against what their definitions give.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.graph.ir import NUMPY, Graph, Quant


@pytest.mark.parametrize("dtype, zero", [("i8", -128), ("i8", 5), ("u8", 128), ("i16", -300)])
def test_ops_that_move_fill_with_quantized_values(dtype, zero):
    """0.25 is half a step, which is rounded up; 0 is the zero point."""
    graph = Graph()
    quant = Quant(np.array([0.5], np.float32), np.array([zero], np.int64))
    graph.add_input("x", dtype, (1, 2, 1, 1)).quant = quant
    pads = graph.add_const("pads", np.array([0, 0, 1, 1, 0, 0, 0, 0]))
    graph.add("Pad", ["x", pads], ["padded"], constant_value=0.25)
    graph.add("SpaceToBatchNd", ["x"], ["spread"], block_shape=[2], paddings=[1, 1])
    for name in ("padded", "spread"):
        graph.tensors[name].quant, graph.tensors[name].dtype = quant, dtype
        graph.outputs.append(name)
    found = reference.run(graph, {"x": np.array([7, 9], NUMPY[dtype]).reshape(1, 2, 1, 1)})
    assert found["padded"].ravel().tolist() == [zero + 1, 7, 9, zero + 1]
    assert found["spread"].ravel().tolist() == [zero, 9, 7, zero]
    assert found["padded"].dtype == found["spread"].dtype == NUMPY[dtype]
