"""Net: small graphs for tests of passes, and a check that a pass does not change their outputs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mace_tools.convert import reference
from mace_tools.convert.passes.pipeline import Pass, run_pass
from mace_tools.convert.shape_inference import infer_node
from mace_tools.graph.ir import Graph


class Net:
    """Builds a graph call by call. Its tensors are random, but equal in each run."""

    def __init__(self, **inputs: tuple[int, ...]) -> None:
        self.graph = Graph("net")
        self.random = np.random.default_rng(1)
        for name, shape in inputs.items():
            self.graph.add_input(name, "f32", shape)

    def const(self, *shape: int, low: float = -1.0) -> str:
        array = self.random.uniform(low, 1, shape).astype(np.float32)
        return self.graph.add_const("c", array)

    def value(self, array: Any, kind: Any = np.float32) -> str:
        return self.graph.add_const("v", np.array(array, kind))

    def op(self, op: str, *inputs: str, outputs: int = 1, **attrs: Any) -> Any:
        names = [self.graph.fresh(f"t{len(self.graph.nodes)}_{k}") for k in range(outputs)]
        infer_node(self.graph, self.graph.add(op, inputs, names, **attrs))
        return names[0] if outputs == 1 else names

    def nchw(self, x: str) -> str:
        return self.op("Transpose", x, dims=[0, 3, 1, 2])

    def nhwc(self, x: str) -> str:
        return self.op("Transpose", x, dims=[0, 2, 3, 1])

    def conv(self, x: str, out: int = 4, kernel: int = 1, **attrs: Any) -> str:
        """A convolution of the NCHW tensor x, as importers write it."""
        w = self.const(out, self.graph.shape(x)[1], kernel, kernel)
        return self.nchw(self.op("Conv2d", self.nhwc(x), w, **attrs))

    def out(self, *names: str) -> Net:
        self.graph.outputs.extend(names)
        return self

    def check(self, *passes: Pass, tolerance: float = 1e-5) -> Counter:
        """Runs passes and checks that the outputs do not change. Returns how often each op
        occurs."""
        graph = self.graph
        inputs = {n: self.random.normal(size=graph.shape(n)).astype(np.float32)
                  for n in graph.inputs}
        before = reference.run(graph, inputs)
        for one in passes:
            run_pass(one, graph)
        after = reference.run(graph, inputs)
        for name, value in before.items():
            assert after[name].shape == value.shape, name
            np.testing.assert_allclose(after[name], value, rtol=tolerance, atol=tolerance)
            assert graph.tensors[name].static_shape == value.shape, name
        return Counter(node.op for node in graph.nodes)
