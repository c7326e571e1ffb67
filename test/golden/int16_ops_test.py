"""Operators on int16 activations with int8 weights: equal to LiteRT's reference kernels in every
value.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from golden import Run, run_all, try_import

from mace_tools.testing.by_litert import REFERENCE, litert
from mace_tools.testing.tflite_file import Maker

D = np.random.default_rng(16)


def scale(low=-14, high=-9):
    return float(np.float32(2 ** D.uniform(low, high)))


def quantized(*shape):
    """All of the range, with both ends."""
    found = D.integers(-32768, 32768, shape).astype(np.int16)
    found.flat[0], found.flat[-1] = -32768, 32767
    return found


class Case:
    """A model of one operator on int16."""

    def __init__(self, op, shapes, out_shape, y_scale, options="", x_scales=None, **fields):
        self.name, self.m, self.feeds = op, Maker(), {}
        for k, shape in enumerate(shapes):
            self.feeds[f"x{k}"] = quantized(*shape)
            self.m.tensor(f"x{k}", shape, "int16", None, (x_scales or {}).get(k, scale()), 0)
        self.op, self.out, self.options, self.fields = op, (out_shape, y_scale), options, fields
        self.more, self.order = [], []

    def const(self, name, data, scales, axis=0):
        zero = np.zeros(np.size(scales), np.int64)
        self.m.tensor(name, data.shape, data.dtype.name, data, scales, zero, axis)
        self.more.append(name)
        return self

    def save(self, folder):
        self.m.tensor("y", self.out[0], "int16", None, self.out[1], 0)
        operands = self.order or [*self.feeds, *self.more]
        self.m.op(self.op, operands, ["y"], self.options, **self.fields)
        return self.m.save(folder, list(self.feeds), ["y"])


def filtered(op, x, w, y, axis, per_channel, wide_bias, **fields):
    """A layer with a filter; its bias has 64 or 32 bits."""
    outputs = w[axis]
    of_x, of_w = scale(-13, -11), np.float32(2 ** D.uniform(-9, -6, outputs if per_channel else 1))
    reach = np.sqrt(np.prod(w) / outputs)
    if not wide_bias:
        fields["QuantizedBiasType"] = 2  # INT32; LiteRT takes a bias for one of 64 bits otherwise
    case = Case(op, [x], y, float(of_x * of_w.mean() * 80 * reach), {
        "FULLY_CONNECTED": "FullyConnectedOptions", "CONV_2D": "Conv2DOptions",
        "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions"}[op], {0: of_x}, **fields)
    case.const("w", D.integers(-127, 128, w).astype(np.int8), of_w, axis)
    bias = D.integers(-1 << 22, 1 << 22, outputs).astype(np.int64 if wide_bias else np.int32)
    return case.const("b", bias, np.float32(of_x) * of_w)


def transposed(x, w, y, per_channel, bias, **fields):
    """A TRANSPOSE_CONV, with a bias of 64 or 32 bits or none."""
    of_x, of_w = scale(-13, -11), np.float32(2 ** D.uniform(-9, -6, w[0] if per_channel else 1))
    if bias == "int32":
        fields["QuantizedBiasType"] = 2
    reach = np.sqrt(np.prod(w[1:]))
    case = Case("TRANSPOSE_CONV", [x], y, float(of_x * of_w.mean() * 80 * reach),
                "TransposeConvOptions", {0: of_x}, **fields)
    case.const("w", D.integers(-127, 128, w).astype(np.int8), of_w)
    size = case.m.const("size", np.array(y, np.int32))
    case.order = [size, "w", "x0"]
    if bias:
        case.const("b", D.integers(-1 << 22, 1 << 22, w[0]).astype(bias), np.float32(of_x) * of_w)
        case.order.append("b")
    return case


def cases():
    for per_channel in (False, True):
        for bias in ("int64", "int32", ""):
            yield transposed((2, 4, 5, 3), (4, 3, 3, 3), (2, 8, 10, 4), per_channel, bias,
                             StrideH=2, StrideW=2, Padding=0)
            yield transposed((1, 5, 4, 6), (2, 3, 2, 6), (1, 7, 9, 2), per_channel, bias,
                             StrideH=1, StrideW=2, Padding=1)
    window = {"StrideH": 1, "StrideW": 2, "DilationHFactor": 1, "DilationWFactor": 1}
    for per_channel in (False, True):
        for wide in (False, True):
            for activation in (0, 1, 3):
                fused = {"FusedActivationFunction": activation}
                yield filtered("CONV_2D", (2, 6, 7, 5), (4, 3, 3, 5), (2, 6, 4, 4), 0, per_channel,
                               wide, **window, **fused)
            yield filtered("FULLY_CONNECTED", (3, 70), (9, 70), (3, 9), 0, per_channel, wide)
        yield filtered("DEPTHWISE_CONV_2D", (1, 6, 6, 4), (1, 3, 3, 4), (1, 4, 4, 4), 3,
                       per_channel, True, StrideH=1, StrideW=1, DilationHFactor=1,
                       DilationWFactor=1, Padding=1, DepthMultiplier=1)
    for a, b in (((2, 3, 40), (2, 3, 40)), ((1, 4, 5, 6), (6,)), ((8, 1), (1, 9))):
        y = np.broadcast_shapes(a, b)
        for op in ("ADD", "SUB"):
            yield Case(op, [a, b], y, scale(-9, -7), f"{op.title()}Options", PotScaleInt16=False)
        yield Case("MUL", [a, b], y, scale(-6, -3), "MulOptions")
    for of_x in (2**-12, scale(-13, -12), scale(-12, -11), 5e-4):
        yield Case("LOGISTIC", [(2, 500)], (2, 500), 2**-15, x_scales={0: of_x})
        yield Case("TANH", [(2, 500)], (2, 500), 2**-15, x_scales={0: of_x})
        yield Case("RELU", [(2, 50)], (2, 50), scale(), x_scales={0: of_x})
        yield Case("LEAKY_RELU", [(2, 50)], (2, 50), scale(), "LeakyReluOptions", {0: of_x},
                   Alpha=0.3)
        for n in (1, 7, 300):
            yield Case("SOFTMAX", [(4, n)], (4, n), 2**-15, "SoftmaxOptions", {0: of_x}, Beta=1.0)
    yield Case("TANH", [(2, 500)], (2, 500), 2**-15, x_scales={0: 2**-11})
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        of_x = scale()
        yield Case(op, [(1, 7, 6, 3)], (1, 4, 3, 3), of_x, "Pool2DOptions", {0: of_x},
                   StrideH=2, StrideW=2, FilterHeight=3, FilterWidth=2)


CASES = list(cases())


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """For each case our run and LiteRT's result."""
    folder = tmp_path_factory.mktemp("grid")
    runs, wants = [], []
    for k, case in enumerate(CASES):
        (folder / f"in{k}").mkdir()
        path = case.save(folder / f"in{k}")
        graph = try_import("tflite", path, case.feeds, ["y"])
        assert not isinstance(graph, str), graph
        assert not any(n.op == "Dequantize" for n in graph.nodes), case.name
        runs.append(Run(f"case{k}", graph, case.feeds))
        wants.append(litert(path.read_bytes(), case.feeds, REFERENCE)[0])
    run_all(runs, folder, ["--guard", "--num_threads=2"])
    return list(zip(runs, wants))


@pytest.mark.parametrize("k", range(len(CASES)), ids=lambda k: f"{CASES[k].name}{k}")
def test_every_value_is_the_one_of_the_reference(k, grid):
    run, want = grid[k]
    assert not run.error, run.error
    got = run.outputs["y"]
    assert len(np.unique(want)) > 5 or want.size < 12, "nearly all quantized values saturate"
    np.testing.assert_array_equal(got, want)
