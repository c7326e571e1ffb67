"""Branches, loops and shapes computed from data, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
import pytest
from golden import Run, run_all
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

from mace_tools.convert import importers
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.by_onnxruntime import Session

FLOAT, INT, BOOL = T.FLOAT, T.INT64, T.BOOL
info = h.make_tensor_value_info


def const(name, value, dtype=np.int64):
    return h.make_node("Constant", [], [name],
                       value=numpy_helper.from_array(np.array(value, dtype), name))


def graph(nodes, outputs, inputs=(), name="inner"):
    """A graph that is an attribute. Types are (name, type, shape)."""
    return h.make_graph(nodes, name, [info(*i) for i in inputs], [info(*o) for o in outputs])


def model(nodes, inputs, outputs, opset=17):
    made = h.make_model(graph(nodes, outputs, inputs, "model"),
                        opset_imports=[h.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def if_on_data():
    """Both branches capture a tensor; one is taken by the sign of a sum."""
    then = graph([h.make_node("Mul", ["h", "x"], ["t"])], [("t", FLOAT, None)])
    other = graph([const("two", 2, np.float32), h.make_node("Add", ["x", "two"], ["e"])],
                  [("e", FLOAT, None)], name="other")
    nodes = [h.make_node("Relu", ["x"], ["h"]), const("zero", 0, np.float32),
             h.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
             h.make_node("Greater", ["sum", "zero"], ["c"]),
             h.make_node("If", ["c"], ["r"], then_branch=then, else_branch=other),
             h.make_node("Relu", ["r"], ["y"])]
    return model(nodes, [("x", FLOAT, ["n", 3])], [("y", FLOAT, ["n", 3])])


def if_of_ranks():
    """The branches make tensors of several ranks, one of them a captured one."""
    then = graph([h.make_node("Identity", ["x"], ["t"])], [("t", FLOAT, None)])
    other = graph([const("shape", [-1]), h.make_node("Reshape", ["x", "shape"], ["e"])],
                  [("e", FLOAT, None)], name="other")
    nodes = [h.make_node("If", ["c"], ["r"], then_branch=then, else_branch=other),
             h.make_node("Abs", ["r"], ["y"])]
    return model(nodes, [("x", FLOAT, [2, 3]), ("c", BOOL, [])], [("y", FLOAT, None)])


def nested_ifs():
    inner = graph([h.make_node("Neg", ["x"], ["ii"])], [("ii", FLOAT, None)])
    same = graph([h.make_node("Identity", ["x"], ["jj"])], [("jj", FLOAT, None)], name="same")
    outer = graph([h.make_node("If", ["d"], ["oo"], then_branch=inner, else_branch=same)],
                  [("oo", FLOAT, None)], name="outer")
    other = graph([h.make_node("Exp", ["x"], ["pp"])], [("pp", FLOAT, None)], name="other")
    nodes = [h.make_node("If", ["c"], ["y"], then_branch=outer, else_branch=other)]
    return model(nodes, [("x", FLOAT, [2, 3]), ("c", BOOL, [1]), ("d", BOOL, [])],
                 [("y", FLOAT, [2, 3])])


def loop_until(count=True):
    """Doubles until the sum passes a limit, and stacks what it has on the way."""
    body = graph([h.make_node("Add", ["v", "v"], ["w"]), const("limit", 50, np.float32),
                  h.make_node("ReduceSum", ["w"], ["s"], keepdims=0),
                  h.make_node("Less", ["s", "limit"], ["go"]),
                  h.make_node("Mul", ["w", "x"], ["scan"])],
                 [("go", BOOL, []), ("w", FLOAT, [3]), ("scan", FLOAT, [3])],
                 [("i", INT, []), ("g", BOOL, []), ("v", FLOAT, [3])])
    nodes = [h.make_node("Loop", ["n" if count else "", "c", "x"], ["last", "all"], body=body)]
    given = [("x", FLOAT, [3]), ("c", BOOL, [])] + ([("n", INT, [])] if count else [])
    return model(nodes, given, [("last", FLOAT, [3]), ("all", FLOAT, None)])


def growing_loop():
    """A carried value that grows by one element in each iteration."""
    body = graph([h.make_node("Cast", ["i"], ["f"], to=FLOAT), const("one", [1]),
                  h.make_node("Reshape", ["f", "one"], ["f1"]),
                  h.make_node("Concat", ["v", "f1"], ["w"], axis=0),
                  h.make_node("Identity", ["g"], ["go"])],
                 [("go", BOOL, []), ("w", FLOAT, None)],
                 [("i", INT, []), ("g", BOOL, []), ("v", FLOAT, None)])
    nodes = [const("true", True, np.bool_),
             h.make_node("Loop", ["n", "true", "x"], ["y"], body=body)]
    return model(nodes, [("x", FLOAT, ["k"]), ("n", INT, [])], [("y", FLOAT, None)])


def counted_loop():
    """Short and constant: it is unrolled."""
    body = graph([h.make_node("Mul", ["v", "x"], ["w"]), h.make_node("Identity", ["g"], ["go"]),
                  h.make_node("Neg", ["w"], ["s"])],
                 [("go", BOOL, []), ("w", FLOAT, [3]), ("s", FLOAT, [3])],
                 [("i", INT, []), ("g", BOOL, []), ("v", FLOAT, [3])])
    nodes = [const("n", 4), const("true", True, np.bool_),
             h.make_node("Loop", ["n", "true", "x"], ["last", "all"], body=body)]
    return model(nodes, [("x", FLOAT, [3])], [("last", FLOAT, [3]), ("all", FLOAT, [4, 3])])


def loop_with_if():
    """An If within a loop, whose condition is the number of the iteration."""
    then = graph([h.make_node("Add", ["v", "x"], ["t"])], [("t", FLOAT, None)])
    other = graph([h.make_node("Mul", ["v", "x"], ["e"])], [("e", FLOAT, None)], name="other")
    body = graph([const("two", 2), h.make_node("Mod", ["i", "two"], ["m"]),
                  h.make_node("Cast", ["m"], ["odd"], to=BOOL),
                  h.make_node("If", ["odd"], ["w"], then_branch=then, else_branch=other),
                  h.make_node("Identity", ["g"], ["go"])],
                 [("go", BOOL, []), ("w", FLOAT, [3])],
                 [("i", INT, []), ("g", BOOL, []), ("v", FLOAT, [3])])
    nodes = [const("true", True, np.bool_),
             h.make_node("Loop", ["n", "true", "x"], ["y"], body=body)]
    return model(nodes, [("x", FLOAT, [3]), ("n", INT, [])], [("y", FLOAT, [3])])


def scan(direction, axis):
    body = graph([h.make_node("Add", ["s", "e"], ["t"]), h.make_node("Mul", ["t", "e"], ["o"])],
                 [("t", FLOAT, [2]), ("o", FLOAT, [2])], [("s", FLOAT, [2]), ("e", FLOAT, [2])])
    nodes = [h.make_node("Scan", ["s0", "x"], ["last", "all"], body=body, num_scan_inputs=1,
                         scan_input_axes=[axis], scan_input_directions=[direction],
                         scan_output_axes=[axis], scan_output_directions=[direction])]
    x = [2, "n"] if axis else ["n", 2]
    return model(nodes, [("s0", FLOAT, [2]), ("x", FLOAT, x)],
                 [("last", FLOAT, [2]), ("all", FLOAT, None)])


def non_zero():
    nodes = [const("half", 0.5, np.float32), h.make_node("Greater", ["x", "half"], ["m"]),
             h.make_node("NonZero", ["m"], ["at"]), h.make_node("Transpose", ["at"], ["rows"]),
             h.make_node("GatherND", ["x", "rows"], ["chosen"]),
             h.make_node("Exp", ["chosen"], ["y"])]
    return model(nodes, [("x", FLOAT, [4, 5])], [("rows", INT, None), ("y", FLOAT, None)])


def compress():
    nodes = [h.make_node("Compress", ["x", "c"], ["p"], axis=1), h.make_node("Neg", ["p"], ["y"])]
    return model(nodes, [("x", FLOAT, [2, 4]), ("c", BOOL, [4])], [("y", FLOAT, None)])


def top_k():
    """k is the number of positive elements."""
    nodes = [h.make_node("Sign", ["x"], ["s"]), h.make_node("Relu", ["s"], ["p"]),
             h.make_node("ReduceSum", ["p"], ["f"]), const("one", [1]),
             h.make_node("Reshape", ["f", "one"], ["f1"]),
             h.make_node("Cast", ["f1"], ["k"], to=INT),
             h.make_node("TopK", ["x", "k"], ["v", "i"]), h.make_node("Neg", ["v"], ["y"])]
    return model(nodes, [("x", FLOAT, [9])], [("y", FLOAT, None), ("i", INT, None)])


def unique(axis=None, is_sorted=1):
    nodes = [h.make_node("Unique", ["x"], ["u", "first", "inverse", "counts"], sorted=is_sorted,
                         **({} if axis is None else {"axis": axis})),
             h.make_node("Neg", ["u"], ["y"])]
    return model(nodes, [("x", FLOAT, [4, 3])], [("y", FLOAT, None), *(
        (name, INT, None) for name in ("first", "inverse", "counts"))])


def best_boxes(center=0, most=2, score=0.1):
    """Boxes of two images and three classes, then the chosen ones."""
    nodes = [const("most", [most]), const("overlap", [0.3], np.float32),
             const("score", [score], np.float32),
             h.make_node("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "score"],
                         ["chosen"], center_point_box=center),
             const("columns", [0, 2]), h.make_node("Gather", ["chosen", "columns"], ["at"], axis=1),
             h.make_node("GatherND", ["boxes", "at"], ["found"])]
    return model(nodes, [("boxes", FLOAT, [2, 8, 4]), ("scores", FLOAT, [2, 3, 8])],
                 [("chosen", INT, None), ("found", FLOAT, None)])


def bounds(op):
    """An op with bounds that are an input of the model."""
    nodes = {
        "Slice": [const("zero", [0]), h.make_node("Slice", ["x", "zero", "n"], ["y"])],
        "Tile": [const("one", [1]), h.make_node("Concat", ["n", "one"], ["r"], axis=0),
                 h.make_node("Tile", ["x", "r"], ["y"])],
        "Expand": [const("tail", [4, 3]), h.make_node("Concat", ["n", "tail"], ["r"], axis=0),
                   h.make_node("Expand", ["x", "r"], ["y"])],
        "Pad": [const("pads", [0, 1, 0]), h.make_node("Concat", ["n", "pads"], ["r"], axis=0),
                h.make_node("Pad", ["x", "r"], ["y"])],
        "Range": [const("a", 0), const("d", 1), const("none", [0]),
                  h.make_node("Squeeze", ["n", "none"], ["s"]),
                  h.make_node("Range", ["a", "s", "d"], ["y"])],
        "ConstantOfShape": [h.make_node("ConstantOfShape", ["n"], ["f"]),
                            const("none", [1]), h.make_node("Unsqueeze", ["f", "none"], ["g"]),
                            const("tail", [0], np.float32),
                            h.make_node("Add", ["g", "tail"], ["y"])],
        "Reshape": [const("rest", [-1]), h.make_node("Concat", ["n", "rest"], ["r"], axis=0),
                    h.make_node("Reshape", ["x", "r"], ["y"])],
    }[op]
    kind = INT if op == "Range" else FLOAT
    return model(nodes, [("x", FLOAT, [4, 3]), ("n", INT, [1])], [("y", kind, None)])


def silero_like():
    """A convolution, a recurrent step with its state as inputs, and an If on the sample rate."""
    dice = np.random.default_rng(0)

    def weight(name, *shape):
        return h.make_node("Constant", [], [name], value=numpy_helper.from_array(
            dice.normal(size=shape).astype(np.float32), name))

    def branch(tag, width):
        nodes = [weight(f"{tag}w", 8, 1, width), const(f"{tag}ax", [1]),
                 h.make_node("Unsqueeze", ["x", f"{tag}ax"], [f"{tag}u"]),
                 h.make_node("Conv", [f"{tag}u", f"{tag}w"], [f"{tag}c"], strides=[width]),
                 h.make_node("Relu", [f"{tag}c"], [f"{tag}r"]),
                 h.make_node("ReduceMean", [f"{tag}r"], [f"{tag}m"], axes=[2], keepdims=0),
                 weight(f"{tag}k", 8, 8), weight(f"{tag}z", 8, 8),
                 h.make_node("MatMul", [f"{tag}m", f"{tag}k"], [f"{tag}a"]),
                 h.make_node("MatMul", ["state", f"{tag}z"], [f"{tag}b"]),
                 h.make_node("Add", [f"{tag}a", f"{tag}b"], [f"{tag}s"]),
                 h.make_node("Tanh", [f"{tag}s"], [f"{tag}h"]),
                 h.make_node("ReduceMean", [f"{tag}h"], [f"{tag}p"], axes=[1])]
        return graph(nodes, [(f"{tag}p", FLOAT, None), (f"{tag}h", FLOAT, None)], name=tag)

    nodes = [const("rate", 16000), h.make_node("Equal", ["sr", "rate"], ["c"]),
             h.make_node("If", ["c"], ["p", "next"], then_branch=branch("a", 16),
                         else_branch=branch("b", 8)),
             h.make_node("Sigmoid", ["p"], ["speech"])]
    return model(nodes, [("x", FLOAT, [1, "samples"]), ("state", FLOAT, [1, 8]), ("sr", INT, [])],
                 [("speech", FLOAT, [1, 1]), ("next", FLOAT, [1, 8])])


FEW = np.random.default_rng(3).integers(0, 2, (4, 3)).astype(np.float32)
BOXES = {"boxes": np.random.default_rng(4).random((2, 8, 4), np.float32),
         "scores": np.random.default_rng(5).random((2, 3, 8), np.float32)}
X = np.array([[-1, 2, 3], [0.5, -2, 1]], np.float32)
V = np.array([0.5, 1, 1.5], np.float32)
N = np.array([2], np.int64)
CASES = {
    "if_true": (if_on_data(), {"x": X}),
    "if_false": (if_on_data(), {"x": -X}),
    "if_rank_2": (if_of_ranks(), {"x": X, "c": np.array(True)}),
    "if_rank_1": (if_of_ranks(), {"x": X, "c": np.array(False)}),
    **{f"nested_{c}{d}": (nested_ifs(), {"x": X, "c": np.array([c]), "d": np.array(d)})
       for c in (True, False) for d in (True, False)},
    "loop": (loop_until(), {"x": V, "n": np.array(9), "c": np.array(True)}),
    "loop_by_count": (loop_until(), {"x": V, "n": np.array(2), "c": np.array(True)}),
    "loop_without_count": (loop_until(False), {"x": V, "c": np.array(True)}),
    "loop_never": (loop_until(), {"x": V, "n": np.array(0), "c": np.array(True)}),
    "loop_negative": (loop_until(), {"x": V, "n": np.array(-5), "c": np.array(True)}),
    "loop_false": (loop_until(), {"x": V, "n": np.array(9), "c": np.array(False)}),
    "growing": (growing_loop(), {"x": V, "n": np.array(5)}),
    "counted": (counted_loop(), {"x": V}),
    "loop_with_if": (loop_with_if(), {"x": V, "n": np.array(5)}),
    **{f"scan_{d}_{a}": (scan(d, a), {"s0": V[:2], "x": X[:, :2] if not a else X})
       for d in (0, 1) for a in (0, 1)},
    "non_zero": (non_zero(), {"x": np.random.default_rng(1).random((4, 5), np.float32)}),
    "non_zero_none": (non_zero(), {"x": np.zeros((4, 5), np.float32)}),
    "compress": (compress(), {"x": np.arange(8, dtype=np.float32).reshape(2, 4),
                              "c": np.array([True, False, True, True])}),
    "top_k": (top_k(), {"x": np.array([1, -1, 3, -4, 5, 9, -2, 0, 7], np.float32)}),
    **{f"unique_{axis}_{s}": (unique(axis, s), {"x": FEW}) for axis in (None, 0, 1, -1)
       for s in (0, 1)},
    **{f"boxes_{center}_{most}_{score}": (best_boxes(center, most, score), BOXES)
       for center in (0, 1) for most in (1, 20) for score in (0.1, 0.7, 2.0)},
    **{f"bounds_{op}": (bounds(op), {"x": np.arange(12, dtype=np.float32).reshape(4, 3),
                                     "n": N})
       for op in ("Slice", "Tile", "Expand", "Pad", "Range", "ConstantOfShape", "Reshape")},
    **{f"silero_{rate}": (silero_like(), {"x": np.sin(np.arange(512, dtype=np.float32))[None],
                                          "state": np.ones((1, 8), np.float32),
                                          "sr": np.array(rate)}) for rate in (16000, 8000)},
}


def of_runtime(made, feeds):
    return Session(made.SerializeToString()).run(
        None, {i.name: feeds[i.name] for i in made.graph.input})


def converted(made, feeds, folder):
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(made, folder / "model.onnx")
    shapes = {name: value.shape for name, value in feeds.items()}
    return convert(importers.load("onnx", folder / "model.onnx", shapes))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flow")
    runs = {name: Run(name, converted(made, feeds, folder / name), feeds)
            for name, (made, feeds) in CASES.items()}
    for run in runs.values():
        run.feeds = {name: run.feeds[name] for name in run.graph.inputs}
    run_all(list(runs.values()), folder)
    return runs


@pytest.mark.parametrize("name", CASES)
def test_as_onnx_runtime(name, results):
    made, feeds = CASES[name]
    run = results[name]
    assert not run.error, run.error
    for output, want in zip(run.graph.outputs, of_runtime(made, feeds)):
        got = run.outputs[output]
        assert got.shape == want.shape, output
        np.testing.assert_allclose(got, want, 1e-5, 1e-5, err_msg=output)
