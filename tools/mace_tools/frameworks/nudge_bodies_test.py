"""Changing constants of ONNX that are within bodies, functions and attributes.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.frameworks.nudge_test import W, change


class Bodies:
    """The nodes of y = x w, where w is within a branch, a loop, one in the other and so on."""

    def __init__(self, onnx):
        self.helper, self.array = onnx.helper, onnx.numpy_helper.from_array
        self.w = self.array(W[:3, :3].astype(np.float32), "w")
        self.functions = []
        self.plain = self.graph([self.node("Identity", ["x"], ["r"])], [], ["r"])

    def node(self, *parts, **attributes):
        return self.helper.make_node(*parts, **attributes)

    def value(self, name, kind=1, shape=(1, 3)):
        return self.helper.make_tensor_value_info(name, kind, shape)

    def graph(self, nodes, inputs, outputs, tensors=()):
        inputs, outputs = ([self.value(v) if isinstance(v, str) else v for v in values]
                           for values in (inputs, outputs))
        return self.helper.make_graph(nodes, "g", inputs, outputs, list(tensors))

    def constant(self, name, array):
        return self.node("Constant", [], [name], value=self.array(np.asarray(array)))

    def product(self, out="p"):
        return self.node("MatMul", ["x", "w"], [out])

    def when(self, body, out="y"):
        return [self.constant("yes", True), self.node("If", ["yes"], [out], then_branch=body,
                                                      else_branch=self.plain)]

    def twice(self, nodes, tensors=()):
        ends = [self.value("k", 7, ()), self.value("more", 9, ()), self.value("last")]
        body = self.graph([*nodes, self.node("Identity", ["more"], ["on"])], ends,
                          [self.value("on", 9, ()), "p"], tensors)
        return [self.constant("n", 2), self.node("Loop", ["n", "", "x"], ["y"], body=body)]

    def branch(self):
        return self.when(self.graph([self.product()], [], ["p"], [self.w]))

    def constant_in_a_branch(self):
        own = self.node("Constant", [], ["w"], value=self.w)
        return self.when(self.graph([own, self.product()], [], ["p"]))

    def sparse_in_a_branch(self):
        make = self.helper.make_tensor
        own = self.helper.make_sparse_tensor(
            make("v", 1, [2], [0.3, 0.7]), make("i", 7, [2], [0, 4]), [3, 3])
        own = self.node("Constant", [], ["w"], sparse_value=own)
        return self.when(self.graph([own, self.product()], [], ["p"]))

    def loop(self):
        return self.twice([self.product()], [self.w])

    def branch_in_a_loop(self):
        return self.twice(self.when(self.graph([self.product("q")], [], ["q"], [self.w]), "p"))

    def scan(self):
        row, out = self.value("row", shape=(3,)), self.value("p", shape=(3,))
        body = self.graph([self.node("Mul", ["row", "f"], ["p"])], [row], [out],
                          [self.array(np.float32(1.7), "f")])
        return [self.node("Scan", ["x"], ["y"], body=body, num_scan_inputs=1)]

    def floats(self):
        return [self.node("Constant", [], ["w"], value_floats=[0.3, 0.6, 0.9]),
                self.node("Mul", ["x", "w"], ["y"])]

    def one_float(self):
        return [self.node("Constant", [], ["w"], value_float=1.7),
                self.node("Mul", ["x", "w"], ["y"])]

    def function(self):
        own = self.node("Constant", [], ["w"], value=self.w)
        self.functions.append(self.helper.make_function(
            "own", "f", ["x"], ["p"], [own, self.product()], [self.helper.make_opsetid("", 17)]))
        return [self.node("f", ["x"], ["y"], domain="own")]


@pytest.mark.parametrize("kind", [
    pytest.param(name, marks=() if name == "loop" else pytest.mark.full) for name in vars(Bodies)
    if name not in ("node", "value", "graph", "constant", "product", "when", "twice")
    and name[0] != "_"])
def test_constants_of_onnx_in_bodies_and_attributes(tmp_path, kind):
    onnx = pytest.importorskip("onnx")
    made = Bodies(onnx)
    graph = made.graph(getattr(made, kind)(), ["x"], ["y"])
    sets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("own", 1)]
    onnx.save(onnx.helper.make_model(graph, ir_version=8, functions=made.functions,
                                     opset_imports=sets), tmp_path / "m.onnx")
    assert 1e-9 < change("onnx", tmp_path / "m.onnx", {"x": np.float32([[1, 2, 3]])}, "y") < 1e-6
