"""Small networks that between them call the fast paths of a CPU, made with numpy alone.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mace_tools.graph.ir import Attr, Graph, Quant


class _Net:
    def __init__(self, name: str, size: int, channels: int) -> None:
        self.graph = Graph(name)
        self.rng = np.random.default_rng(1)
        self.shape: tuple[int, ...] = (1, size, size, channels)
        self.last = "x"
        self.graph.add_input("x", "f32", self.shape, "NHWC")

    def op(self, op: str, shape: tuple[int, ...], *weights: tuple[int, ...], **attrs: Attr,
           ) -> _Net:
        name = f"{op}_{len(self.graph.nodes)}"
        constants = [self.graph.add_const(name + "_w", self.rng.uniform(-0.1, 0.1, w), "f32")
                     for w in weights]
        self.graph.add(op, [self.last, *constants], [name], **attrs)
        self.graph.tensors[name].shape = shape
        self.last, self.shape = name, shape
        return self

    def conv(self, out: int, k: int, s: int = 1) -> _Net:
        n, h, w, c = self.shape
        return self.op("Conv2d", (n, -(-h // s), -(-w // s), out), (out, c, k, k), (out,),
                       padding=1, strides=[s, s], activation="RELU")

    def depthwise(self, k: int, s: int = 1) -> _Net:
        n, h, w, c = self.shape
        return self.op("DepthwiseConv2d", (n, -(-h // s), -(-w // s), c), (1, c, k, k), (c,),
                       padding=1, strides=[s, s], activation="RELU")

    def done(self) -> Graph:
        self.graph.outputs = [self.last]
        return self.graph


class _QuantizedNet(_Net):
    """The same layers in int8, with a scale for each output channel."""

    def __init__(self, name: str, size: int, channels: int) -> None:
        super().__init__(name, size, channels)
        self._quantize("x", 0.02)

    def _quantize(self, tensor: str, scale: float) -> None:
        found = self.graph.tensors[tensor]
        found.dtype, found.quant = "i8", Quant(np.float32([scale]), np.int64([3]))

    def op(self, op: str, shape: tuple[int, ...], *weights: tuple[int, ...], **attrs: Attr,
           ) -> _Net:
        super().op(op, shape, *weights, **attrs)
        node = self.graph.nodes[-1]
        self._quantize(self.last, 0.02)
        for tensor in (self.graph.tensors[name] for name in node.inputs[1:]):
            axis = 1 if op == "DepthwiseConv2d" and len(tensor.shape) == 4 else 0
            n = tensor.shape[axis]
            tensor.data = np.round(tensor.data * 1270).astype(np.int8)
            tensor.dtype = "i8"
            tensor.quant = Quant(np.full(n, 1e-3, np.float32), np.zeros(n, np.int64), axis)
            if len(tensor.shape) == 1:  # a bias
                tensor.dtype, tensor.data = "i32", tensor.data.astype(np.int32)
                tensor.quant = Quant(np.full(n, 2e-5, np.float32), np.zeros(n, np.int64), 0)
        return self


def mobile() -> Graph:
    """First layer, depthwise, 1x1, fully connected."""
    net = _Net("mobile", 32, 3).conv(16, 3, 2).depthwise(3).conv(32, 1).depthwise(3, 2)
    net.conv(64, 1).depthwise(5).conv(96, 1)
    net.op("Reduce", (1, 96), reduce_type="MEAN", axis=[1, 2], keepdims=0)
    return net.op("FullyConnected", (1, 100), (100, 96), (100,)).done()


def residual() -> Graph:
    """3x3 convolutions of stride 1, which are Winograd's, and pooling."""
    net = _Net("residual", 24, 32).conv(64, 3).conv(64, 3)
    return net.op("Pooling", (1, 12, 12, 64), pooling_type=2, kernels=[2, 2], strides=[2, 2],
                  padding=0).done()


def quantized() -> Graph:
    """Quantized: first layer, depthwise, 1x1, and a 3x3 convolution of stride 1."""
    net = _QuantizedNet("quantized", 32, 3).conv(16, 3, 2).depthwise(3).conv(64, 1).conv(64, 3)
    return net.depthwise(5, 2).conv(96, 1).done()


def dispatch() -> Graph:
    """Tiny nodes, for what it takes to call a kernel."""
    net = _Net("dispatch", 1, 16)
    for _ in range(DISPATCHED):
        net.op("Activation", net.shape, activation="LEAKYRELU", activation_coefficient=0.5)
    return net.done()


DISPATCHED = 200
NETWORKS: dict[str, Callable[[], Graph]] = {
    "mobile": mobile, "residual": residual, "quantized": quantized, "dispatch": dispatch}
