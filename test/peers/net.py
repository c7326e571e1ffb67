"""A network described once: layers on NHWC tensors, with seeded weights.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Layer:
    op: str  # conv, depthwise, pool, mean, fc, add, mul, concat, act, shuffle, split, softmax,
    #          reshape, pad_channels
    inputs: list[str]
    outputs: list[str]
    attrs: dict = field(default_factory=dict)
    weights: dict[str, np.ndarray] = field(default_factory=dict)  # w: OIHW, IHW or OK; b: O


class Net:
    """Layers in order; every method returns the name of its output.

    Convolutions pad as TensorFlow's SAME does, unless they are passed pads. Weights are drawn so
    that activations keep their scale (He et al. 2015); the same seed gives the same weights.
    """

    def __init__(self, name: str, size: int, channels: int = 3, seed: int = 1) -> None:
        self.name = name
        self.rng = np.random.default_rng(seed)
        self.layers: list[Layer] = []
        self.shapes: dict[str, tuple[int, ...]] = {"input": (1, size, size, channels)}
        self.outputs: list[str] = []
        self.macs = 0

    def _add(self, op: str, inputs: list[str], shape: tuple[int, ...], **attrs: object) -> str:
        name = f"{op}_{len(self.layers)}"
        self.layers.append(Layer(op, inputs, [name], dict(attrs)))
        self.shapes[name] = shape
        return name

    def _window(self, x: str, k: int | tuple[int, int], s: int, padding: str,
                ) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int, int, int]]:
        """The kernel, the output size and the pads (top, left, bottom, right)."""
        kernel = (k, k) if isinstance(k, int) else k
        size, pads = [], []
        for extent, taps in zip(self.shapes[x][1:3], kernel, strict=True):
            if padding == "SAME":
                out = -(-extent // s)
                total = max(0, (out - 1) * s + taps - extent)
            else:
                out, total = (extent - taps) // s + 1, 0
            size.append(out)
            pads.append((total // 2, total - total // 2))
        return kernel, (size[0], size[1]), (pads[0][0], pads[1][0], pads[0][1], pads[1][1])

    def conv(self, x: str, out: int, k: int | tuple[int, int] = 1, s: int = 1,
             act: str | None = "relu", padding: str = "SAME") -> str:
        kernel, (h, w), pads = self._window(x, k, s, padding)
        c = self.shapes[x][3]
        taps = kernel[0] * kernel[1] * c
        y = self._add("conv", [x], (1, h, w, out), stride=s, padding=padding, pads=pads,
                      kernel=kernel)
        gain = 2.0 if act in ("relu", "relu6") else 1.0
        self.layers[-1].weights = {
            "w": self._normal((out, c, *kernel), (gain / taps) ** 0.5), "b": self._bias(out)}
        self.macs += h * w * out * taps
        return self.act(y, act)

    def depthwise(self, x: str, k: int = 3, s: int = 1, act: str | None = "relu",
                  padding: str = "SAME") -> str:
        kernel, (h, w), pads = self._window(x, k, s, padding)
        c = self.shapes[x][3]
        y = self._add("depthwise", [x], (1, h, w, c), stride=s, padding=padding, pads=pads,
                      kernel=kernel)
        self.layers[-1].weights = {
            "w": self._normal((c, *kernel), (2.0 / (k * k)) ** 0.5), "b": self._bias(c)}
        self.macs += h * w * c * k * k
        return self.act(y, act)

    def fc(self, x: str, out: int, act: str | None = None) -> str:
        k = self.shapes[x][-1]
        y = self._add("fc", [x], (1, out))
        self.layers[-1].weights = {"w": self._normal((out, k), k ** -0.5), "b": self._bias(out)}
        self.macs += out * k
        return self.act(y, act)

    def act(self, x: str, kind: str | None) -> str:
        """relu, relu6, sigmoid, hard_swish, hard_sigmoid or swish."""
        if kind is None:
            return x
        if kind == "swish":
            return self.mul(x, self.act(x, "sigmoid"))
        return self._add("act", [x], self.shapes[x], kind=kind)

    def pool(self, x: str, kind: str, k: int, s: int, padding: str = "SAME") -> str:
        kernel, (h, w), pads = self._window(x, k, s, padding)
        return self._add("pool", [x], (1, h, w, self.shapes[x][3]), kind=kind, stride=s,
                         padding=padding, pads=pads, kernel=kernel)

    def mean(self, x: str, keep: bool = False) -> str:
        """The mean over height and width: [1, C], or [1, 1, 1, C] with `keep`."""
        c = self.shapes[x][3]
        return self._add("mean", [x], (1, 1, 1, c) if keep else (1, c), keep=keep)

    def add(self, a: str, b: str, act: str | None = None) -> str:
        return self.act(self._add("add", [a, b], self.shapes[a]), act)

    def mul(self, a: str, b: str) -> str:
        return self._add("mul", [a, b], self.shapes[a])

    def concat(self, parts: list[str]) -> str:
        first = self.shapes[parts[0]]
        channels = sum(self.shapes[p][3] for p in parts)
        return self._add("concat", parts, (*first[:3], channels))

    def split(self, x: str) -> tuple[str, str]:
        """The two halves of the channels."""
        n, h, w, c = self.shapes[x]
        name = self._add("split", [x], (n, h, w, c // 2))
        other = name + "_b"
        self.layers[-1].outputs.append(other)
        self.shapes[other] = (n, h, w, c // 2)
        return name, other

    def shuffle(self, x: str, groups: int) -> str:
        return self._add("shuffle", [x], self.shapes[x], groups=groups)

    def pad_channels(self, x: str, to: int) -> str:
        n, h, w, c = self.shapes[x]
        return self._add("pad_channels", [x], (n, h, w, to), extra=to - c)

    def reshape(self, x: str, shape: tuple[int, ...]) -> str:
        return self._add("reshape", [x], shape)

    def softmax(self, x: str) -> str:
        return self._add("softmax", [x], self.shapes[x])

    def finish(self, *outputs: str) -> Net:
        self.outputs = list(outputs)
        return self

    def _normal(self, shape: tuple[int, ...], deviation: float) -> np.ndarray:
        return (self.rng.standard_normal(shape) * deviation).astype(np.float32)

    def _bias(self, n: int) -> np.ndarray:
        return self.rng.uniform(-0.1, 0.1, n).astype(np.float32)
