"""Random graphs keep their meaning through all passes.

SPDX-License-Identifier: Apache-2.0

MACE_RANDOM_GRAPHS says how many are tried (default 60).
"""

import os
import random

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.convert.shape_inference import infer_graph
from mace_tools.testing.net import Net

COUNT = int(os.environ.get("MACE_RANDOM_GRAPHS", "60"))
MAX_ELEMENTS = 4000


class Maker:
    """Adds random nodes to a net, of NCHW tensors as importers write them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.net = Net(x=(self.random.choice([1, 2]), self.random.choice([1, 4, 6]), 6, 4),
                       y=(2, 6))
        self.names = ["x", "y"]

    def make(self, count: int) -> Net:
        steps = [getattr(Maker, name) for name in dir(Maker) if name.startswith("add_")]
        while count:
            x = self.random.choice(self.names[-4:])
            made = self.random.choice(steps)(self, x, self.net.graph.shape(x))
            if made and np.prod(self.net.graph.shape(made)) <= MAX_ELEMENTS:
                self.names.append(made)
                count -= 1
        made = self.names[2:]
        self.net.out(*dict.fromkeys([made[-1], *self.random.sample(made, min(2, len(made)))]))
        return self.net

    def pick(self, *choices):
        return self.random.choice(choices)

    def add_layer(self, x, shape):
        if len(shape) != 4:
            return None
        net, kind = self.net, self.pick("Conv2d", "DepthwiseConv2d", "Deconv2d", "Pooling")
        kernel = self.random.randint(1, min(3, *shape[2:]))
        attrs = {"padding": 4, "padding_values": [self.random.randint(0, kernel - 1)
                                                  for _ in range(4)],
                 "strides": [self.pick(1, 2)] * 2}
        if kind == "Pooling":
            attrs.update(kernels=[kernel] * 2, pooling_type=self.pick(1, 2))
            return net.nchw(net.op(kind, net.nhwc(x), **attrs))
        w = ([self.pick(1, 2), shape[1]] if kind == "DepthwiseConv2d"
             else [self.pick(2, 4, 6), shape[1]])
        return net.nchw(net.op(kind, net.nhwc(x), net.const(*w, kernel, kernel), **attrs))

    def add_batch_norm(self, x, shape):
        if len(shape) != 4:
            return None
        params = [self.net.const(shape[1], low=0.3) for _ in range(4)]
        return self.net.nchw(self.net.op("BatchNorm", self.net.nhwc(x), *params, epsilon=1e-3))

    def add_activation(self, x, shape):
        kind = self.pick("RELU", "SIGMOID", "TANH", "clip", "leaky")
        if kind == "clip":
            return self.net.op("Clip", x, min=0.0, max=6.0)
        if kind == "leaky":
            return self.net.op("Activation", x, activation="LEAKYRELU",
                               activation_coefficient=0.1)
        return self.net.op("Activation", x, activation=kind)

    def add_constant_operand(self, x, shape):
        keep = self.random.randint(0, len(shape))
        dims = [self.pick(1, d) for d in shape[keep:]]
        operands = [x, self.net.const(*dims, low=0.5)]
        if self.random.random() < 0.3:
            operands.reverse()
        kind = self.pick("SUM", "SUB", "PROD", "MAX")
        return self.net.op("Eltwise", *operands, type=kind)

    def add_sum(self, x, shape):
        same = [n for n in self.names if self.net.graph.shape(n) == shape]
        return self.net.op("Eltwise", x, self.random.choice(same), type=self.pick("SUM", "PROD"))

    def add_concat(self, x, shape):
        same = [n for n in self.names if self.net.graph.shape(n) == shape]
        axis = self.random.randrange(len(shape)) if shape else None
        return None if axis is None else self.net.op("Concat", x, self.random.choice(same),
                                                     axis=axis)

    def add_transpose(self, x, shape):
        return self.net.op("Transpose", x, dims=self.random.sample(range(len(shape)), len(shape)))

    def add_reshape(self, x, shape):
        if len(shape) < 2:
            return None
        kind = self.pick("join", "flatten", "split", "ones")
        k = self.random.randrange(len(shape) - 1)
        if kind == "join":
            return self.net.op("Reshape", x, dim=[*shape[:k], -1, *shape[k + 2 :]])
        if kind == "flatten":
            return self.net.op("Flatten", x, axis=k)
        if kind == "split" and shape[k + 1] % 2 == 0 and len(shape) < 5:
            return self.net.op("Reshape", x, dim=[*shape[: k + 1], 2, -1, *shape[k + 2 :]])
        if len(shape) < 5:
            return self.net.op("ExpandDims", x, axis=[k])
        return None

    def add_reduce(self, x, shape):
        if not shape:
            return None
        axes = self.random.sample(range(len(shape)), self.random.randint(1, len(shape)))
        return self.net.op("Reduce", x, reduce_type=self.pick("MEAN", "MAX"), axis=axes,
                           keepdims=self.pick(0, 1))

    def add_along_axis(self, x, shape):
        if not shape:
            return None
        axis = self.random.randrange(len(shape))
        kind = self.pick("Softmax", "Cumsum", "Slice", "Pad", "Reverse")
        if kind == "Slice":
            return self.net.op("Slice", x, starts=[shape[axis] // 2], ends=[2**40], axes=[axis])
        if kind == "Pad":
            pads = [self.random.randint(0, 1) for _ in range(2 * len(shape))]
            return self.net.op("Pad", x, paddings=pads)
        return self.net.op(kind, x, axis=[axis] if kind == "Reverse" else axis)

    def add_product(self, x, shape):
        if len(shape) < 2:
            return None
        return self.net.op("MatMul", x, self.net.const(shape[-1], self.pick(2, 5)))

    def add_shape_chain(self, x, shape):
        sizes = self.net.op("Shape", x, output_type="i64")
        return self.net.op("Reshape", self.net.op("Flatten", x, axis=0), sizes)


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_graph(seed):
    graph = Maker(seed).make(random.Random(seed).randint(3, 14)).graph
    rng = np.random.default_rng(seed)
    feeds = {n: rng.normal(size=graph.shape(n)).astype(np.float32) for n in graph.inputs}
    graph.prune()
    want = reference.run(graph, feeds)
    convert(graph)
    got = reference.run(graph, feeds)
    for name, value in want.items():
        scale = max(np.abs(value).max(initial=0), 1)
        np.testing.assert_allclose(got[name], value, rtol=1e-4, atol=1e-4 * scale)
    first = [str(n) for n in graph.nodes]
    infer_graph(graph)
    assert [str(n) for n in convert(graph).nodes] == first, "a second conversion changed it"
