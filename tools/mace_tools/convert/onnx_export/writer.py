"""The ONNX graph while it is written: names, constants, and the two orders of axes of images.

SPDX-License-Identifier: Apache-2.0

Tensors of the engine with four axes are [N, H, W, C]; ONNX's spatial operators take [N, C, H, W].
Each has its Transpose where somebody reads it in the order in which it was not computed.
"""

from typing import Any

import numpy as np

from mace_tools.convert.onnx_export import messages
from mace_tools.graph.ir import NUMPY, Graph, Quant

TO_CHANNELS_FIRST, TO_CHANNELS_LAST = [0, 3, 1, 2], [0, 2, 3, 1]


class Refused(Exception):
    """A node that ONNX cannot express, or not yet; the text says why."""


class Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: list[Any] = []
        self.constants: dict[str, np.ndarray] = {}
        # Of a tensor of the engine, the names in both orders, as far as they are there.
        self._plain: dict[str, str] = {name: name for name in graph.inputs}
        self._first: dict[str, str] = {}
        self._taken = {*graph.inputs, *graph.outputs}

    def fresh(self, base: str) -> str:
        name, n = base, 0
        while name in self._taken:
            n += 1
            name = f"{base}_{n}"
        self._taken.add(name)
        return name

    def op(self, kind: str, inputs: list[str], base: str, **attrs: Any) -> str:
        """Adds a node and returns the name of its result."""
        out = self.fresh(base)
        while inputs and not inputs[-1]:
            inputs.pop()
        node = messages.node(kind, "", "", out, **attrs)
        node.input.extend(inputs)
        node.output.append(out)
        self.nodes.append(node)
        return out

    def const(self, base: str, value: Any) -> str:
        name = self.fresh(base)
        self.constants[name] = np.ascontiguousarray(value)
        return name

    # --- tensors of the engine, as floats ---

    def shape(self, name: str) -> tuple[int, ...]:
        found = self.graph.tensors[name].static_shape
        if found is None:
            raise Refused(f"the shape of '{name}' is not known")
        return found

    def plain(self, name: str) -> str:
        """In the engine's order of axes."""
        if name not in self._plain:
            tensor = self.graph.tensors[name]
            if tensor.is_const:
                self._plain[name] = self._constant(name, tensor.data, tensor.quant)
            else:
                self._plain[name] = self.op("Transpose", [self._first[name]], f"{name}/nhwc",
                                            perm=TO_CHANNELS_LAST)
        return self._plain[name]

    def first(self, name: str) -> str:
        """Of four axes, with the channels before the pixels."""
        if name not in self._first:
            self._first[name] = self.op("Transpose", [self.plain(name)], f"{name}/nchw",
                                        perm=TO_CHANNELS_FIRST)
        return self._first[name]

    def is_first(self, name: str) -> bool:
        return name in self._first

    def put(self, name: str, made: str, first: bool = False) -> None:
        """`made` has the floats of the tensor `name`, which are rounded if it is quantized."""
        tensor = self.graph.tensors[name]
        if tensor.quant is not None:
            made = self.rounded(made, tensor.quant, tensor.dtype, name)
        (self._first if first else self._plain)[name] = made

    def rounded(self, made: str, quant: Quant, dtype: str, base: str) -> str:
        scale, zero = self._scale(quant, dtype, base)
        quantized = self.op("QuantizeLinear", [made, scale, zero], f"{base}/quantized")
        return self.op("DequantizeLinear", [quantized, scale, zero], f"{base}/float")

    def _scale(self, quant: Quant, dtype: str, base: str) -> tuple[str, str]:
        scale, zero = quant.scale.astype(np.float32), quant.zero_point.astype(NUMPY[dtype])
        if quant.axis is None:
            scale, zero = scale.reshape(()), zero.reshape(())
        return self.const(f"{base}/scale", scale), self.const(f"{base}/zero_point", zero)

    def quantized(self, base: str, data: np.ndarray, quant: Quant, axis: int | None = None) -> str:
        """Constant quantized values as floats; `axis`: where the scales lie, if there are
        several."""
        scale, zero = self._scale(quant, {v: k for k, v in NUMPY.items()}[data.dtype], base)
        attrs = {"axis": axis} if quant.axis is not None and axis is not None else {}
        return self.op("DequantizeLinear", [self.const(f"{base}/quantized", data), scale, zero],
                       f"{base}/float", **attrs)

    def _constant(self, name: str, data: np.ndarray, quant: Quant | None) -> str:
        if quant is None:
            return self.const(name, data)
        return self.quantized(name, data, quant, quant.axis)

    def bias(self, name: str, x: str, w: str) -> str:
        """The bias of a layer, whose quantized values have the scale of the products."""
        tensor = self.graph.tensors[name]
        if tensor.dtype != "i32" or tensor.data is None:
            return self.plain(name)
        product = (self.graph.tensors[x].quant.scale.astype(np.float64)
                   * self.graph.tensors[w].quant.scale).astype(np.float32)
        several = product.size > 1
        quant = Quant(product, np.zeros(product.size, np.int64), 0 if several else None)
        return self.quantized(name, tensor.data, quant, 0)
