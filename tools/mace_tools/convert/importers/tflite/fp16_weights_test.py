"""Weights that a TFLite file holds as float16, behind a DEQUANTIZE, stay 16 bits in the model file.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import emit, reference
from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support import protos
from mace_tools.testing.tflite_file import Maker

RNG = np.random.default_rng(3)
ONE = {"Padding": 1, "StrideH": 1, "StrideW": 1}


def uniform(*shape: int) -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


# Layers whose filters the importer permutes, splits or takes as they are.
LAYERS = {
    "CONV_2D": (uniform(1, 5, 6, 4), (8, 3, 3, 4), "Conv2DOptions", ONE),
    "CONV_2D in groups": (uniform(1, 5, 6, 4), (8, 3, 3, 2), "Conv2DOptions", ONE),
    "DEPTHWISE_CONV_2D": (uniform(1, 5, 6, 4), (1, 3, 3, 8), "DepthwiseConv2DOptions",
                          {**ONE, "DepthMultiplier": 2}),
    "FULLY_CONNECTED": (uniform(2, 12), (8, 12), "FullyConnectedOptions", {}),
    "BATCH_MATMUL": (uniform(2, 12), (12, 8), "BatchMatMulOptions", {}),
    "ADD": (uniform(8, 12), (8, 12), "AddOptions", {}),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_float16_weights_stay_16_bits(tmp_path, layer):
    x, shape, options, fields = LAYERS[layer]
    w = RNG.uniform(-1, 1, shape).astype(np.float16)
    m, op = Maker(), layer.split()[0]
    m.tensor("x", x.shape)
    m.op("DEQUANTIZE", [m.const("w16", w)], ["w"], "DequantizeOptions")
    m.op(op, ["x", "w"], ["y"], options, **fields)
    graph = load("tflite", m.save(tmp_path, ["x"], ["y"]), {"x": x.shape})
    want = reference.run(graph, {"x": x})["y"]
    graph = convert(graph)
    net, _ = emit.build(graph)
    entry, = (t for t in net.tensors if t.data_size == w.size)
    assert entry.stored_type == protos.mace().DT_HALF
    np.testing.assert_allclose(reference.run(graph, {"x": x})["y"].ravel(), want.ravel(),
                               rtol=1e-6)
