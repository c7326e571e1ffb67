"""What becomes of pieces of published networks: few nodes, same values.

SPDX-License-Identifier: Apache-2.0
"""

from collections import Counter

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker
from mace_tools.convert.passes.pipeline import convert

RNG = np.random.default_rng(5)


def weights(*shape):
    return RNG.uniform(-0.5, 0.5, shape).astype(np.float32)


class Network(Maker):
    """A frozen graph in the style of TensorFlow-Slim."""

    def __init__(self, data_format):
        super().__init__()
        self.format = data_format
        self.nchw = data_format == "NCHW"

    def variable(self, name, value):
        self.const(name, value)
        return self.node(f"{name}/read", "Identity", name)

    def hw(self, h, w):
        return [1, 1, h, w] if self.nchw else [1, h, w, 1]

    def batch_norm(self, name, x, channels):
        parts = [self.variable(f"{name}/{p}", weights(channels) + s)
                 for p, s in (("gamma", 1), ("beta", 0), ("mean", 0), ("var", 1))]
        y = self.node(f"{name}/bn", "FusedBatchNormV3", x, *parts, is_training=False,
                      epsilon=0.001, data_format=self.format)
        return self.node(f"{name}/relu", "Relu6", y)

    def conv(self, name, x, kernel, stride=1, op="Conv2D"):
        w = self.variable(f"{name}/w", weights(*kernel))
        y = self.node(f"{name}/conv", op, x, w, strides=self.hw(stride, stride), padding="SAME",
                      data_format=self.format)
        channels = kernel[3] if op == "Conv2D" else kernel[2] * kernel[3]
        return self.batch_norm(name, y, channels)

    def classifier(self, x, channels):
        axes = self.const("axes", np.array([2, 3] if self.nchw else [1, 2], np.int32))
        pooled = self.node("pool", "Mean", x, axes, keep_dims=True)
        w = self.variable("logits/w", weights(1, 1, channels, 5))
        y = self.node("logits", "Conv2D", pooled, w, strides=[1, 1, 1, 1], padding="SAME",
                      data_format=self.format)
        y = self.node("biased", "BiasAdd", y, self.variable("logits/b", weights(5)),
                      data_format=self.format)
        y = self.node("squeezed", "Squeeze", y, squeeze_dims=[2, 3] if self.nchw else [1, 2])
        return self.node("y", "Softmax", y)


def converted(maker, folder, shape):
    """The source graph and the canonical one, and whether they agree."""
    path = maker.save(folder)
    source = load("tensorflow", path, {"x": shape}, ["y"])
    canonical = convert(load("tensorflow", path, {"x": shape}, ["y"]))
    feeds = {"x": RNG.uniform(-1, 1, shape).astype(np.float32)}
    np.testing.assert_allclose(reference.run(canonical, feeds)["y"],
                               reference.run(source, feeds)["y"], rtol=1e-4, atol=1e-6)
    return Counter(n.op for n in canonical.nodes)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_mobilenet_v2_block_and_classifier(tmp_path, data_format):
    m = Network(data_format)
    m.placeholder("x")
    stem = m.conv("stem", "x", (3, 3, 3, 8), stride=2)
    wide = m.conv("expand", stem, (1, 1, 8, 16))
    deep = m.conv("deep", wide, (3, 3, 16, 1), op="DepthwiseConv2dNative")
    narrow = m.conv("project", deep, (1, 1, 16, 8))
    m.classifier(m.node("add", "AddV2", stem, narrow), 8)
    ops = converted(m, tmp_path, (1, 3, 12, 12) if m.nchw else (1, 12, 12, 3))
    transposes = ops.pop("Transpose", 0)
    assert transposes <= m.nchw  # one at the input
    assert ops.pop("Squeeze", 0) + ops.pop("Reshape", 0) == 1
    assert ops.pop("Pooling", 0) + ops.pop("Reduce", 0) == 1
    assert ops == {"Conv2d": 4, "DepthwiseConv2d": 1, "Eltwise": 1, "Softmax": 1}


def test_atrous_convolution_of_deeplab(tmp_path):
    m = Network("NHWC")
    m.placeholder("x")
    block = m.const("block", np.array([2, 2], np.int32))
    # 9 rows: SAME pads by 2 for the dilated 3x3 kernel, and 1 more makes it even.
    x = m.node("to_batch", "SpaceToBatchND", "x", block,
               m.const("pads", np.array([[2, 3], [2, 3]], np.int32)))
    y = m.node("conv", "DepthwiseConv2dNative", x, m.variable("w", weights(3, 3, 4, 1)),
               strides=[1, 1, 1, 1], padding="VALID")
    m.node("back", "BatchToSpaceND", y, block,
           m.const("crops", np.array([[0, 1], [0, 1]], np.int32)))
    y = m.batch_norm("bn", "back", 4)
    m.node("y", "ResizeBilinear", y, m.const("size", np.array([17, 17], np.int32)),
           align_corners=True)
    ops = converted(m, tmp_path, (1, 9, 9, 4))
    assert ops == {"DepthwiseConv2d": 1, "Resize": 1}


def test_fully_connected_layers(tmp_path):
    m = Network("NHWC")
    m.placeholder("x")
    m.node("flat", "Reshape", "x", m.const("dims", np.array([-1, 48], np.int32)))
    m.node("fc", "MatMul", "flat", m.variable("w", weights(48, 10)))
    m.node("sum", "Add", "fc", m.variable("b", weights(10)))
    m.node("y", "Relu", "sum")
    assert converted(m, tmp_path, (2, 4, 4, 3)) == {"Reshape": 1, "FullyConnected": 1}
