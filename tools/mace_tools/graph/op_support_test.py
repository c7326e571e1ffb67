"""What the engine would refuse, the converter refuses: by node, with the reason and the cure.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import Graph
from mace_tools.graph.op_schema import all_ops
from mace_tools.graph.op_support import refusals, waiting
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.onnx_file import info, node, onnx, tensor

I64 = np.int64
INTS = {"one": np.array([1]), "zeros": np.zeros(2, I64), "two": np.array(2),
        "values": np.array([0, 1], np.float32)}
# What a node does with an operand `n` that decides shapes: the node, what a message calls the
# operand and how many elements it has.
OPERANDS = {
    "Slice starts": (node("Slice", "x n ends", "y", "bad"), "starts", 2),
    "Slice ends": (node("Slice", "x zeros n", "y", "bad"), "ends", 2),
    "Slice steps": (node("Slice", "x zeros ends axes n", "y", "bad"), "steps", 2),
    "Pad": (node("Pad", "x n", "y", "bad"), "pads", 4),
    "Reshape": (node("Reshape", "x n", "y", "bad"), "shape", 2),
    "Tile": (node("Tile", "x n", "y", "bad"), "repeats", 2),
    "Expand": (node("Expand", "x n", "y", "bad"), "shape", 2),
    "TopK": (node("TopK", "x n", "y i", "bad"), "k", 1),
    "Split": (node("Split", "x n", "y z", "bad"), "sizes", 2),
    "ReduceSum": (node("ReduceSum", "x n", "y", "bad"), "axes", 1),
    "ConstantOfShape": (node("ConstantOfShape", "n", "y", "bad"), "shape", 2),
    "Range": (node("Range", "n two two", "y", "bad"), "start", 0),
    "Range limit": (node("Range", "two n two", "y", "bad"), "limit", 0),
}
REFUSED_BY_IMPORTERS = {
    "Unsqueeze": (node("Unsqueeze", "x n", "y", "bad"), "the axes are computed", 1),
    "Squeeze": (node("Squeeze", "x n", "y", "bad"), "the axes are computed", 1),
    "OneHot": (node("OneHot", "x n values", "y", "bad"), "depth or values are computed", 0),
    "Resize scales": (node("Resize", "x - f", "y", "bad"), "the scales are computed", 4),
    "CumSum": (node("CumSum", "x n", "y", "bad"), "axis", 0),
}


def load(path: Path, nodes: list[Any], size: int, kind: Any = np.float32) -> Graph:
    """A model with the float input x [2, 2], the integers n and the floats f."""
    proto = onnx().ModelProto(ir_version=8)
    proto.opset_import.add(version=13)
    shape = (size,) if size else ()
    proto.graph.node.extend(nodes)
    proto.graph.input.extend([info("x", (2, 2), kind), info("n", shape, I64),
                              info("f", shape, np.float32)])
    proto.graph.output.append(info("y", None))
    constants = {**INTS, "ends": np.array([1, 2]), "axes": np.array([0, 1])}
    proto.graph.initializer.extend(tensor(k, v) for k, v in constants.items())
    (path / "m.onnx").write_bytes(proto.SerializeToString())
    return convert(importers.load("onnx", path / "m.onnx"))


@pytest.mark.parametrize("kind", OPERANDS)
def test_the_plan_waits_for_operands_computed_at_run_time(kind, tmp_path):
    bad, name, size = OPERANDS[kind]
    graph = load(tmp_path, [bad], size)
    (where,) = waiting(graph)
    assert where.endswith(f" for its {name}")
    (note,) = [n for n in graph.notes if n.startswith("the plan waits for data")]
    assert note.endswith(where)


@pytest.mark.parametrize("kind", OPERANDS)
def test_the_same_operands_of_shapes_convert(kind, tmp_path):
    """n is what a Shape gives: (2, 2), and parts of it."""
    bad, _, size = OPERANDS[kind]
    used = type(bad).FromString(bad.SerializeToString())
    used.input[:] = ["m" if i == "n" else i for i in used.input]
    index = {0: np.array(0), 1: np.array([0]), 2: np.array([0, 1]), 4: np.array([0, 1, 0, 1])}
    less = 1 if kind in ("ReduceSum", "Split") else 0
    nodes = [node("Shape", "x", "s"), node("Gather", "s at", "g"), node("Sub", "g less", "m"),
             node("Constant", "", "at", value=index[size]),
             node("Constant", "", "less", value=np.array(less))]
    assert load(tmp_path, [*nodes[3:], *nodes[:3], used], size or 1).outputs == ["y"]


@pytest.mark.parametrize("kind", REFUSED_BY_IMPORTERS)
def test_importers_refuse_the_others(kind, tmp_path):
    bad, message, size = REFUSED_BY_IMPORTERS[kind]
    with pytest.raises(UnsupportedOps, match=message) as e:
        load(tmp_path, [bad], size)
    assert e.value.ops[0].nodes == ["bad"]


@pytest.mark.parametrize(("nodes", "reason"), [
    ([node("GlobalAveragePool", "p", "y"), node("Reshape", "x s", "p"),
      node("Constant", "", "s", value=np.array([1, 1, 2, 2]))], "not in u8"),
    ([node("Softmax", "x", "y")], "not in u8"),
])
def test_types_without_a_kernel_are_refused(nodes, reason, tmp_path):
    with pytest.raises(UnsupportedOps) as e:
        load(tmp_path, nodes, 1, np.uint8)
    assert e.value.ops[0].reason.endswith(reason)
    assert e.value.ops[0].help.startswith("cast its operands to one of these types")


def test_sums_and_largest_of_narrow_integers_are_those_of_wider_ones(tmp_path):
    nodes = [node("Add", "x x", "s"), node("Constant", "", "p", value=np.array([1, 1, 2, 2])),
             node("Reshape", "s p", "r"), node("MaxPool", "r", "y", kernel_shape=[2, 2])]
    graph = load(tmp_path, nodes, 1, np.uint8)
    assert graph.tensors["y"].dtype == "u8"
    x = np.uint8([[1, 200], [3, 127]])
    assert reference.run(graph, {"x": x})["y"].ravel().tolist() == [254]  # 2 * 200 wraps to 144


@pytest.mark.parametrize("bias", ["f32", "i32"])
def test_the_bias_of_a_float_layer_has_its_type(bias):
    graph = Graph("g")
    for name, kind, shape in (("x", "f32", (2, 3)), ("w", "f32", (4, 3)), ("b", bias, (4,))):
        graph.add_input(name, kind, shape)
    graph.outputs = [graph.add("FullyConnected", ["x", "w", "b"], ["y"], "node").outputs[0]]
    want = [] if bias == "f32" else ["the engine computes input 2 in f32, not in i32"]
    assert refusals(graph) == want


def test_resizing_integers_smoothly_is_refused(tmp_path):
    nodes = [node("Constant", "", "s", value=np.array([1, 1, 2, 2])), node("Reshape", "x s", "p"),
             node("Resize", "p - t", "y", mode="cubic"),
             node("Constant", "", "t", value=np.array([1, 1, 2, 2], np.float32))]
    with pytest.raises(UnsupportedOps, match="the engine computes mode CUBIC in f32, not in u8"):
        load(tmp_path, nodes, 1, np.uint8)


def test_every_operand_that_the_engine_must_know_is_tried_here():
    """But for two that only other frameworks give as tensors, Resize's, tested with TensorFlow
    models, and If's (test/golden/flow_test.py)."""
    tried = {"Fill": {0}, "Expand": {1}, "Pad": {1}, "Range": {0, 1, 2}, "Reduce": {1},
             "Reshape": {1}, "Slice": {1, 2, 3, 4}, "Split": {1}, "Tile": {1}, "TopK": {1}}
    known = {name: set(op.known) for name, op in all_ops().items() if op.known}
    assert known == {**tried, "Deconv2d": {3}, "If": {0}, "OneHot": {1}, "Resize": {1},
                     "StridedSlice": {1, 2, 3}}
