"""Sequences of tensors, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from mace_tools.convert import importers
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.grid import computed
from mace_tools.testing.onnx_cases import OF_SEQUENCES, uniform

FLOAT, INT64, BOOL = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.BOOL
X, Y = uniform(2, 3), uniform(2, 3)
Feeds = dict[str, np.ndarray]


def n(op: str, inputs: str, outputs: str, **attrs: object) -> onnx.NodeProto:
    return helper.make_node(op, ["" if i == "-" else i for i in inputs.split()], outputs.split(),
                            **attrs)


def info(name: str, kind: int = FLOAT, shape: tuple[int, ...] | None = None) -> object:
    return helper.make_tensor_value_info(name, kind, shape)


def constants(**values: object) -> list[onnx.NodeProto]:
    return [helper.make_node("Constant", [], [k], value=numpy_helper.from_array(np.array(v)))
            for k, v in values.items()]


def save(path: Path, nodes: list[onnx.NodeProto], feeds: Feeds, outputs: str = "y") -> Path:
    graph = helper.make_graph(
        nodes, "g", [info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
                     for k, v in feeds.items()],
        [onnx.ValueInfoProto(name=o) for o in outputs.split()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.write_bytes(model.SerializeToString())
    return path


def check(path: Path, feeds: Feeds) -> None:
    """The outputs are those of ONNX Runtime."""
    wanted = Session(path.read_bytes()).run(None, feeds)
    graph = convert(importers.load("onnx", path))
    got = computed(graph, feeds)
    for name, want in zip(graph.outputs, wanted):
        assert got[name].dtype == want.dtype and got[name].shape == want.shape
        np.testing.assert_allclose(got[name], want, 1e-6)


XY = n("SequenceConstruct", "x y", "s")
KNOWN = {
    "concat": [XY, n("ConcatFromSequence", "s", "out", axis=0)],
    "concat, last axis": [XY, n("ConcatFromSequence", "s", "out", axis=-1)],
    "stack": [XY, n("ConcatFromSequence", "s", "out", axis=1, new_axis=1)],
    "one": [n("SequenceConstruct", "x", "s"), n("ConcatFromSequence", "s", "out", axis=1)],
    "length": [XY, n("SequenceLength", "s", "out")],
    "at": [XY, *constants(k=np.int64(-1)), n("SequenceAt", "s k", "out")],
    "insert": [XY, *constants(k=np.int64(0), j=np.int64(-1)), n("Add", "x y", "z"),
               n("SequenceInsert", "s z k", "t"), n("SequenceInsert", "t z j", "u"),
               n("SequenceInsert", "u x", "v"), n("ConcatFromSequence", "v", "out", axis=0)],
    "insert at the end": [XY, *constants(k=np.int64(2)), n("Add", "x y", "z"),
                          n("SequenceInsert", "s z k", "t"),
                          n("ConcatFromSequence", "t", "out", axis=0)],
    "erase": [XY, *constants(k=np.int64(0)), n("SequenceErase", "s k", "t"),
              n("SequenceErase", "s -", "u"), n("ConcatFromSequence", "t", "a", axis=0),
              n("ConcatFromSequence", "u", "b", axis=0), n("Sub", "a b", "out")],
    "empty": [n("SequenceEmpty", "", "e"), n("SequenceInsert", "e x", "s"),
              n("Identity", "s", "t"), n("ConcatFromSequence", "t", "out", axis=0)],
    "split": [n("SplitToSequence", "x", "s", axis=1), n("ConcatFromSequence", "s", "out", axis=0)],
    "split without the axis": [n("SplitToSequence", "x", "s", axis=-1, keepdims=0),
                               n("ConcatFromSequence", "s", "out", axis=0, new_axis=1)],
    "split by a size": [*constants(k=np.int64(2)), n("SplitToSequence", "x k", "s", axis=1),
                        *constants(i=np.int64(1)), n("SequenceAt", "s i", "out")],
    "split by sizes": [*constants(k=np.int64([1, 2])), n("SplitToSequence", "x k", "s", axis=1),
                       *constants(i=np.int64(1)), n("SequenceAt", "s i", "out")],
    "map": [XY, n("SequenceMap", "s x", "t u", body=helper.make_graph(
        [n("Mul", "a b", "c"), n("Sub", "a b", "d")], "body", [info("a"), info("b")],
        [info("c"), info("d")])),
        n("ConcatFromSequence", "t", "p", axis=0), n("ConcatFromSequence", "u", "q", axis=0),
        n("Add", "p q", "out")],
}


@pytest.mark.parametrize("name", KNOWN)
def test_of_known_length(tmp_path, name):
    feeds = {"x": X, "y": Y}
    check(save(tmp_path / "m.onnx", KNOWN[name], feeds, "out"), feeds)


def test_all_operators_are_tried():
    assert OF_SEQUENCES == {m.op_type for nodes in KNOWN.values() for m in nodes
                            if "Sequence" in m.op_type}


def loop(*more: onnx.NodeProto, start: str = "e") -> list[onnx.NodeProto]:
    """As torch.onnx writes an EmbeddingBag: the sums of the rows x[ends[i]:ends[i + 1]]."""
    body = helper.make_graph(
        [*constants(one=np.int64([1]), flat=np.int64([-1])), n("Reshape", "i flat", "j"),
         n("Add", "j one", "k"), n("Add", "k one", "l"), n("Slice", "ends j k", "begin"),
         n("Slice", "ends k l", "end"), n("Slice", "x begin end", "rows"),
         *constants(axis=np.int64([0])), n("ReduceSum", "rows axis", "row"),
         n("Identity", "given", "same"), n("SequenceInsert", "same row", "longer"),
         n("Identity", "on", "still"), n("Identity", "longer", "result"), *more], "body",
        [info("i", INT64, ()), info("on", BOOL, ()),
         helper.make_tensor_sequence_value_info("given", FLOAT, None)],
        [info("still", BOOL, ()), helper.make_tensor_sequence_value_info("result", FLOAT, None)])
    return [n("SequenceEmpty", "", "e"), n("SequenceConstruct", "x", "full"),
            *constants(back=np.int64(-1)), n("Size", "ends", "count"), n("Add", "count back", "m"),
            n("Loop", f"m - {start}", "s", body=body)]


@pytest.mark.parametrize("ends", [[0, 2, 2, 5], [0, 5]])
@pytest.mark.parametrize("last", [
    n("ConcatFromSequence", "s", "y", axis=0), n("ConcatFromSequence", "s", "y", axis=-1),
    n("ConcatFromSequence", "s", "y", axis=1, new_axis=1), n("SequenceLength", "s", "y"),
    n("SequenceAt", "s at", "y")], ids=str)
def test_that_a_loop_fills(tmp_path, ends, last):
    feeds = {"x": uniform(5, 3), "ends": np.int64(ends), "at": np.array(-1)}
    nodes = [*loop(), n("Identity", "at", "unused"), last]
    check(save(tmp_path / "m.onnx", nodes, feeds, "y unused"), feeds)


def test_seen_from_a_branch(tmp_path):
    then = helper.make_graph([n("SequenceAt", "s at", "a")], "then", [], [info("a")])
    other = helper.make_graph([n("ConcatFromSequence", "s", "b", axis=0)], "other", [],
                              [info("b")])
    nodes = [XY, n("If", "c", "z", then_branch=then, else_branch=other)]
    for choice in (True, False):
        feeds = {"x": X, "y": Y, "at": np.array(1), "c": np.array(choice)}
        check(save(tmp_path / "m.onnx", nodes, feeds, "z"), feeds)


BRANCH = [helper.make_graph([n("SequenceConstruct", names, "t")], "branch", [], [
    helper.make_tensor_sequence_value_info("t", FLOAT, None)]) for names in ("x", "y")]


@pytest.mark.parametrize("nodes, reason", [
    ([XY, n("Relu", "s", "out")], "its operand is a sequence of tensors"),
    ([*loop(n("SequenceLength", "longer", "length")), n("SequenceLength", "s", "out")],
     "a loop that does more with a sequence"),
    ([*loop(start="full"), n("SequenceLength", "s", "out")],
     "a loop that does more with a sequence"),
    ([n("If", "c", "s", then_branch=BRANCH[0], else_branch=BRANCH[1]),
      n("SequenceLength", "s", "out")], "leaves its branch or loop"),
    ([n("SequenceEmpty", "", "s"), n("ConcatFromSequence", "s", "out", axis=0)],
     "a sequence without tensors"),
    ([XY, n("SequenceInsert", "s x at", "t"), n("SequenceLength", "t", "out")],
     "its place in the sequence is computed"),
])
def test_a_refusal(tmp_path, nodes, reason):
    feeds = {"x": uniform(5, 3), "y": Y, "ends": np.int64([0, 5]), "at": np.array(1),
             "c": np.array(True)}
    with pytest.raises(UnsupportedOps, match=reason):
        importers.load("onnx", save(tmp_path / "m.onnx", nodes, feeds, "out"))


@pytest.mark.parametrize("nodes, reason", [
    ([XY], "output 's' is a sequence of tensors"),
    ([n("SequenceLength", "x", "s")], "its operand 'x' is no sequence"),
    ([XY, *constants(k=np.int64(2)), n("SequenceAt", "s k", "t"), n("Relu", "t", "s2")],
     "the place 2 in a sequence of 2 tensors"),
])
def test_a_damaged_use(tmp_path, nodes, reason):
    with pytest.raises(MaceError, match=reason):
        importers.load("onnx", save(tmp_path / "m.onnx", nodes, {"x": X, "y": Y},
                                    nodes[-1].output[0]))
