"""Small ONNX networks of many kinds of layers, with random weights, for tests of whole models.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.testing.onnx_file import model, node


class _Net:
    """Collects nodes and constants."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: dict[str, np.ndarray] = {}

    def weight(self, name: str, *shape: int) -> str:
        fan = max(1, int(np.prod(shape[1:])))
        values = self.random.normal(0, 1 / np.sqrt(fan), shape)
        self.constants[name] = values.astype(np.float32)
        return name

    def vector(self, name: str, size: int, low: float, high: float) -> str:
        self.constants[name] = self.random.uniform(low, high, size).astype(np.float32)
        return name

    def ints(self, name: str, *values: int) -> str:
        self.constants[name] = np.array(values, np.int64)
        return name

    def op(self, op: str, inputs: str, output: str, **attrs: Any) -> str:
        self.nodes.append(node(op, inputs, output, output, **attrs))
        return output

    def conv(self, x: str, y: str, channels: tuple[int, int], kernel: int = 3, **attrs: Any) -> str:
        w = self.weight(f"{y}_w", channels[1], channels[0], kernel, kernel)
        b = self.vector(f"{y}_b", channels[1], -0.5, 0.5)
        return self.op("Conv", f"{x} {w} {b}", y, **attrs)

    def norm(self, x: str, y: str, channels: int, epsilon: float) -> str:
        parts = [self.vector(f"{y}_gamma", channels, 0.5, 1.5),
                 self.vector(f"{y}_beta", channels, -0.5, 0.5),
                 self.vector(f"{y}_mean", channels, -0.2, 0.2),
                 self.vector(f"{y}_var", channels, 0.02, 0.5)]
        return self.op("BatchNormalization", " ".join([x, *parts]), y, epsilon=epsilon)


def convolutions(path: Path) -> dict[str, np.ndarray]:
    """A classifier: batch norm, uneven paddings, average pooling with padding, two dense layers.
    Returns its constants."""
    net = _Net(1)
    net.conv("x", "c1", (3, 8), pads=[1, 1, 1, 1])
    net.norm("c1", "n1", 8, 1e-5)
    net.op("Relu", "n1", "r1")
    net.conv("r1", "c2", (8, 12), pads=[0, 0, 1, 1], strides=[2, 2])
    net.op("LeakyRelu", "c2", "r2", alpha=0.1)
    net.op("AveragePool", "r2", "p2", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])
    net.conv("p2", "c3", (12, 8), 1)
    net.op("Relu", "c3", "r3")
    net.op("MaxPool", "r3", "p3", kernel_shape=[2, 2], strides=[2, 2])
    net.op("Flatten", "p3", "flat", axis=1)
    net.op("Gemm", f"flat {net.weight('d1_w', 16, 128)} {net.vector('d1_b', 16, -1, 1)}", "d1",
           transB=1)
    net.op("Relu", "d1", "r4")
    net.op("MatMul", f"r4 {net.weight('d2_w', 16, 16)}", "d2")
    net.op("Softmax", "d2", "y", axis=1)
    model(path, net.nodes, {"x": (1, 3, 16, 16)}, ["y"], net.constants)
    return net.constants


def segments(path: Path) -> dict[str, np.ndarray]:
    """An encoder and a decoder: instance norm, resizing, concatenation, a transposed
    convolution."""
    net = _Net(2)
    net.conv("x", "c1", (3, 6), pads=[1, 1, 0, 0], strides=[2, 2])
    net.op("InstanceNormalization", f"c1 {net.vector('g', 6, 0.5, 1.5)} "
           f"{net.vector('b', 6, -1, 1)}", "n1", epsilon=1e-2)
    net.op("Relu", "n1", "r1")
    net.conv("r1", "c2", (6, 6), pads=[1, 1, 1, 1], strides=[2, 2])
    net.op("Sigmoid", "c2", "r2")
    net.constants["scales"] = np.array([1, 1, 2, 2], np.float32)
    net.op("Resize", "r2 - scales", "up", mode="linear",
           coordinate_transformation_mode="half_pixel")
    net.op("Concat", "up r1", "both", axis=1)
    net.op("Sub", "up r1", "less")
    net.conv("both", "c3", (12, 6), pads=[1, 1, 1, 1])
    net.op("Mul", "c3 less", "product")
    w = net.weight("t_w", 6, 4, 3, 3)
    net.op("ConvTranspose", f"product {w}", "t", strides=[2, 2], pads=[1, 1, 0, 0])
    net.op("Tanh", "t", "y")
    model(path, net.nodes, {"x": (1, 3, 16, 12)}, ["y"], net.constants)
    return net.constants


def attention(path: Path) -> dict[str, np.ndarray]:
    """One block of a transformer with a head of 12 features on 6 tokens."""
    net = _Net(3)
    net.op("LayerNormalization", f"x {net.vector('g', 12, 0.5, 1.5)} {net.vector('b', 12, -1, 1)}",
           "n", axis=-1, epsilon=1e-2)
    for part in "qkv":
        net.op("MatMul", f"n {net.weight(f'{part}_w', 12, 12)}", part)
    net.op("Transpose", "k", "kt", perm=[0, 2, 1])
    net.op("MatMul", "q kt", "scores")
    net.constants["root"] = np.array([12**0.5], np.float32)
    net.op("Div", "scores root", "scaled")
    net.op("Softmax", "scaled", "p", axis=-1)
    net.op("MatMul", "p v", "heads")
    net.op("Add", "heads x", "sum")
    net.op("MatMul", f"sum {net.weight('up_w', 12, 24)}", "up")
    net.op("Add", f"up {net.vector('up_b', 24, -1, 1)}", "biased")
    net.op("Tanh", "biased", "act")
    net.op("MatMul", f"act {net.weight('down_w', 24, 12)}", "down")
    net.op("Sub", "down sum", "y")
    model(path, net.nodes, {"x": (1, 6, 12)}, ["y"], net.constants, opset=17)
    return net.constants
