"""Messages about models for the DSP.

SPDX-License-Identifier: Apache-2.0
"""

from types import SimpleNamespace

import numpy as np
import pytest

from mace_tools.commands.dsp import float_note
from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph.ir import Graph, Quant

QUANTIZED = Quant(np.float32([0.1]), np.array([3]))


def network() -> Graph:
    """Numbers are quantized, clipped, and dequantized, whose root is taken."""
    graph = Graph("net")
    graph.add_input("x", "f32", (2, 3))
    for op, inputs, output, attrs in (
            ("Quantize", ["x"], "quantized", {}),
            ("Activation", ["quantized"], "clipped", {"type": "RELU"}),
            ("Dequantize", ["clipped"], "floats", {}),
            ("Unary", ["floats"], "y", {"type": "SQRT"})):
        graph.add(op, inputs, [output], output, **attrs)
    for name in ("quantized", "clipped"):
        graph.tensors[name].dtype, graph.tensors[name].quant = "u8", QUANTIZED
    graph.outputs = ["y"]
    infer_graph(graph)
    return graph


@pytest.mark.parametrize("devices, notes", [
    (("cpu",), []), (("cpu", "dsp"), 1), (("dsp",), 1)])
def test_nodes_in_floats_are_named_for_the_dsp(devices, notes):
    found = float_note(SimpleNamespace(devices=devices), network())
    assert found == ([] if not notes else [
        "1 of 2 nodes compute in float32 and run on the CPU, since DSPs compute with quantized "
        "values only: 'y'"])
