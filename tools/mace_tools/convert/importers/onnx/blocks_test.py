"""Building blocks of published networks, as PyTorch exports them, become few nodes.

SPDX-License-Identifier: Apache-2.0

Each is checked against the NumPy twin before any pass, and holds no transpose but those of its
NCHW input and output.
"""

from collections import Counter

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.onnx_file import model, node

RNG = np.random.default_rng(5)


class Block:
    """Nodes and constants, made call by call."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def const(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def ints(self, *values):
        return self.const(np.array(values, np.int64))

    def op(self, op, *inputs, outputs=1, **attrs):
        names = [f"t{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(node(op, " ".join(inputs), " ".join(names), names[0], **attrs))
        return names[0] if outputs == 1 else names

    def conv(self, x, inputs, out, kernel=1, **attrs):
        w = RNG.normal(size=(out, inputs // attrs.get("group", 1), kernel, kernel))
        b = self.const(RNG.normal(size=out).astype("f"))
        return self.op("Conv", x, self.const(w.astype("f")), b,
                       pads=[kernel // 2] * 4, **attrs)

    def bn(self, x, channels):
        params = [self.const(RNG.uniform(0.5, 1.5, channels).astype("f")) for _ in range(4)]
        return self.op("BatchNormalization", x, *params)


def squeeze_excite(b, x):
    x = b.op("Relu", b.conv(x, 3, 8))
    gate = b.op("GlobalAveragePool", x)
    gate = b.op("Relu", b.conv(gate, 8, 4))
    gate = b.op("HardSigmoid", b.conv(gate, 4, 8), alpha=1 / 6, beta=0.5)
    return b.conv(b.op("Mul", x, gate), 8, 4)


def squeeze_excite_linear(b, x):
    x = b.conv(x, 3, 8)
    gate = b.op("Flatten", b.op("GlobalAveragePool", x))
    gate = b.op("Gemm", gate, b.const(RNG.normal(size=(4, 8)).astype("f")),
                b.const(np.ones(4, "f")), transB=1)
    gate = b.op("Gemm", b.op("Relu", gate), b.const(RNG.normal(size=(8, 4)).astype("f")), transB=1)
    gate = b.op("Reshape", b.op("Sigmoid", gate), b.ints(-1, 8, 1, 1))
    return b.conv(b.op("Mul", x, gate), 8, 4)


def hard_swish(b, x):
    x = b.bn(b.conv(x, 3, 8, 3), 8)
    y = b.op("Add", x, b.const(np.float32(3)))
    y = b.op("Clip", y, b.const(np.float32(0)), b.const(np.float32(6)))
    return b.conv(b.op("Div", b.op("Mul", x, y), b.const(np.float32(6))), 8, 4)


def shuffle_unit(b, x):
    x = b.conv(x, 3, 8)
    left, right = b.op("Split", x, b.ints(4, 4), axis=1, outputs=2)
    right = b.op("Relu", b.bn(b.conv(right, 4, 4), 4))
    x = b.op("Concat", left, right, axis=1)
    x = b.op("Reshape", x, b.ints(2, 2, 4, 8, 6))
    x = b.op("Transpose", x, perm=[0, 2, 1, 3, 4])
    return b.conv(b.op("Reshape", x, b.ints(2, 8, 8, 6)), 8, 4)


def dense_block(b, x):
    x = b.conv(x, 3, 8, 3)
    for k in range(3):
        y = b.op("Relu", b.bn(x, 8 + 4 * k))
        y = b.conv(b.op("Relu", b.bn(b.conv(y, 8 + 4 * k, 6), 6)), 6, 4, 3)
        x = b.op("Concat", x, y, axis=1)
    return x


def u_net(b, x):
    skip = b.op("Relu", b.conv(x, 3, 4, 3))
    low = b.op("MaxPool", skip, kernel_shape=[2, 2], strides=[2, 2])
    low = b.op("Relu", b.conv(low, 4, 8, 3))
    w = b.const(RNG.normal(size=(8, 4, 2, 2)).astype("f"))
    up = b.op("ConvTranspose", low, w, strides=[2, 2])
    return b.op("Sigmoid", b.conv(b.op("Concat", up, skip, axis=1), 8, 2))


def feature_pyramid(b, x):
    high = b.conv(x, 3, 8, 3)
    low = b.conv(high, 8, 8, 3, strides=[2, 2])
    scales = b.const(np.array([1, 1, 2, 2], "f"))
    up = b.op("Resize", low, "-", scales, mode="nearest", nearest_mode="floor",
              coordinate_transformation_mode="asymmetric")
    return b.conv(b.op("Add", up, high), 8, 4, 3)


def focus(b, x):
    parts = []
    for row, column in ((0, 0), (1, 0), (0, 1), (1, 1)):
        y = b.op("Slice", x, b.ints(row), b.ints(2**63 - 1), b.ints(2), b.ints(2))
        parts.append(b.op("Slice", y, b.ints(column), b.ints(2**63 - 1), b.ints(3), b.ints(2)))
    return b.conv(b.op("Concat", *parts, axis=1), 12, 4)


def pixel_shuffle(b, x):
    x = b.op("DepthToSpace", b.conv(x, 3, 16), blocksize=2, mode="CRD")
    return b.op("PRelu", x, b.const(RNG.normal(size=(4, 1, 1)).astype("f")))


def yolo_head(b, x):
    """[N, anchors * (5 + classes), H, W] as [N, anchors, H, W, 5 + classes], then decoded."""
    x = b.op("Reshape", b.conv(x, 3, 14), b.ints(2, 2, 7, 8, 6))
    x = b.op("Sigmoid", b.op("Transpose", x, perm=[0, 1, 3, 4, 2]))
    return b.op("Reshape", x, b.ints(2, -1, 7))


def ssd_head(b, x):
    heads = []
    for out in (2, 4):
        y = b.op("Transpose", b.conv(x, 3, 3 * out), perm=[0, 2, 3, 1])
        heads.append(b.op("Reshape", y, b.ints(2, -1, out)))
    scores = b.op("Softmax", heads[0], axis=-1)
    return b.op("Concat", scores, heads[1], axis=2)


def classifier(b, x):
    x = b.op("MaxPool", b.op("Relu", b.conv(x, 3, 4, 3)), kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("Reshape", x, b.ints(2, -1))
    x = b.op("Gemm", x, b.const(RNG.normal(size=(5, 48)).astype("f")), b.const(np.ones(5, "f")),
             transB=1)
    return b.op("Softmax", x, axis=1)


def normalised_input(b, x):
    x = b.op("Div", b.op("Sub", x, b.const(np.ones((1, 3, 1, 1), "f"))),
             b.const(np.full((1, 3, 1, 1), 2, "f")))
    return b.conv(x, 3, 4)


def attention_over_space(b, x):
    """x as [N, HW, C] tokens: a product with a constant, and back."""
    x = b.conv(x, 3, 8)
    t = b.op("Transpose", b.op("Reshape", x, b.ints(2, 8, -1)), perm=[0, 2, 1])
    t = b.op("MatMul", t, b.const(RNG.normal(size=(8, 8)).astype("f")))
    t = b.op("Reshape", b.op("Transpose", t, perm=[0, 2, 1]), b.ints(2, 8, 8, 6))
    return b.conv(b.op("Add", x, t), 8, 4)


# Block: how often each op is to occur; Transpose only where it is not 1 (input) + 1 (output).
BLOCKS = {
    squeeze_excite: {"Conv2d": 4, "Pooling": 1, "Eltwise": 1},
    squeeze_excite_linear: {"Conv2d": 2, "Pooling": 1, "Flatten": 1, "Reshape": 1,
                            "FullyConnected": 2, "Eltwise": 1},
    hard_swish: {"Conv2d": 2},
    shuffle_unit: {"Conv2d": 3, "Split": 1, "Concat": 1, "ChannelShuffle": 1},
    dense_block: {"Conv2d": 7, "BatchNorm": 3, "Concat": 3},
    u_net: {"Conv2d": 3, "Pooling": 1, "Deconv2d": 1, "Concat": 1},
    feature_pyramid: {"Conv2d": 3, "Resize": 1, "Eltwise": 1},
    focus: {"Slice": 6, "Concat": 1, "Conv2d": 1},
    pixel_shuffle: {"Conv2d": 1, "DepthToSpace": 1, "PRelu": 1},
    yolo_head: {"Conv2d": 1, "Reshape": 2},
    ssd_head: {"Conv2d": 2, "Reshape": 2, "Softmax": 1, "Concat": 1, "Transpose": 1},
    classifier: {"Conv2d": 1, "Pooling": 1, "Reshape": 1, "FullyConnected": 1, "Softmax": 1,
                 "Transpose": 1},
    normalised_input: {"Eltwise": 2, "Conv2d": 1},
    attention_over_space: {"Conv2d": 2, "Reshape": 2, "FullyConnected": 1, "Eltwise": 1},
}  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS, ids=lambda f: f.__name__)
def test_block(tmp_path, block):
    b = Block()
    out = block(b, "x")
    path = model(tmp_path / "m.onnx", b.nodes, {"x": (2, 3, 8, 6)}, [out], b.constants)
    x = {"x": RNG.normal(size=(2, 3, 8, 6)).astype(np.float32)}
    want = reference.run(importers.load("onnx", path), x)[out]
    graph = convert(importers.load("onnx", path))
    np.testing.assert_allclose(reference.run(graph, x)[out], want, rtol=1e-4,
                               atol=1e-5 * np.abs(want).max())
    assert Counter(n.op for n in graph.nodes) == {"Transpose": 2, **BLOCKS[block]}


@pytest.mark.parametrize("block", [
    squeeze_excite, squeeze_excite_linear, hard_swish, dense_block, u_net, feature_pyramid, focus,
    pixel_shuffle, normalised_input,
], ids=lambda f: f.__name__)  # fmt: skip
def test_a_converted_block_takes_inputs_of_another_size(tmp_path, block):
    """No extent of the shape at conversion is left in the model."""
    b = Block()
    out = block(b, "x")
    path = model(tmp_path / "m.onnx", b.nodes, {"x": (2, 3, 8, 6)}, [out], b.constants)
    x = {"x": RNG.normal(size=(3, 3, 12, 10)).astype(np.float32)}
    want = reference.run(importers.load("onnx", path, {"x": (3, 3, 12, 10)}), x)[out]
    got = reference.run(convert(importers.load("onnx", path)), x)[out]
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * np.abs(want).max())
