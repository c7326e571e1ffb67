"""Operators without an importer that ONNX defines by functions, against onnx's evaluator.

SPDX-License-Identifier: Apache-2.0

test/golden/onnx_package_test.py runs ONNX's own tests of these.
"""

import importlib.util
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from mace_tools.convert import importers, reference
from mace_tools.convert.importers.onnx import registry
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.onnx_cases import uniform

FLOAT = onnx.TensorProto.FLOAT
X, WEIGHTS, PAST = uniform(1, 4, 6), uniform(4, 1, 3), uniform(1, 4, 2)


def save(path: Path, nodes: list[onnx.NodeProto], inputs: dict[str, np.ndarray],
         outputs: tuple[str, ...], functions: tuple[onnx.FunctionProto, ...] = ()) -> Path:
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(k, FLOAT, v.shape) for k, v in inputs.items()],
        [helper.make_tensor_value_info(o, FLOAT, None) for o in outputs])
    sets = [helper.make_opsetid(*s) for s in (("", 28), ("ai.onnx.preview", 1), ("mine", 1))]
    model = helper.make_model(graph, opset_imports=sets, functions=functions, ir_version=13)
    path.write_bytes(model.SerializeToString())
    return path


def check(path: Path, feeds: dict[str, np.ndarray]) -> None:
    wanted = ReferenceEvaluator(onnx.load(path)).run(None, feeds)
    graph = importers.load("onnx", path)
    got = reference.run(graph, feeds)
    for name, want in zip(graph.outputs, wanted):
        np.testing.assert_allclose(got[name], want, 1e-5, 1e-6)


def convolution(x: str = "x", y: str = "y", state: str = "s", **attrs: object) -> onnx.NodeProto:
    return helper.make_node("CausalConvWithState", [x, "w", "", "p"], [y, state], **attrs)


def test_these_have_no_importer_of_their_own():
    others = {"CausalConvWithState", "LinearAttention", "ai.onnx.preview.FlexAttention"}
    assert not others & set(registry.supported())


@pytest.mark.parametrize("activation", ["none", "silu"])
def test_a_function_of_shapes(tmp_path, activation):
    feeds = {"x": X, "w": WEIGHTS, "p": PAST}
    nodes = [convolution(activation=activation)]
    check(save(tmp_path / "m.onnx", nodes, feeds, ("y", "s")), feeds)


def test_twice_and_one_after_the_other(tmp_path):
    feeds = {"x": X, "w": WEIGHTS, "p": PAST}
    nodes = [convolution(), convolution("y", "z", "t", activation="silu")]
    check(save(tmp_path / "m.onnx", nodes, feeds, ("z", "s", "t")), feeds)


def test_in_a_branch_and_in_a_function_of_the_file(tmp_path):
    feeds = {"x": X, "w": WEIGHTS, "p": PAST}
    inner = helper.make_function("mine", "Twice", ["x", "w", "p"], ["z"], [
        convolution(), helper.make_node("Add", ["y", "y"], ["z"])],
        [helper.make_opsetid("", 28)])
    then = helper.make_graph(
        [convolution("x", "inside", "u"), helper.make_node("Neg", ["inside"], ["made"])], "then",
        [], [helper.make_tensor_value_info("made", FLOAT, None)])
    other = helper.make_graph([helper.make_node("Identity", ["x"], ["made"])], "other", [],
                              [helper.make_tensor_value_info("made", FLOAT, None)])
    nodes = [helper.make_node("Twice", ["x", "w", "p"], ["a"], domain="mine"),
             helper.make_node("Constant", [], ["c"], value=helper.make_tensor(
                 "v", onnx.TensorProto.BOOL, [], [True])),
             helper.make_node("If", ["c"], ["b"], then_branch=then, else_branch=other),
             helper.make_node("Add", ["a", "b"], ["y"])]
    check(save(tmp_path / "m.onnx", nodes, feeds, ("y",), (inner,)), feeds)


def test_a_function_of_a_graph(tmp_path):
    score = helper.make_graph(
        [helper.make_node("Constant", [], ["half"], value_float=0.5),
         helper.make_node("Mul", ["score", "half"], ["scaled"]),
         helper.make_node("Tanh", ["scaled"], ["y"])], "score",
        [helper.make_tensor_value_info("score", FLOAT, None)],
        [helper.make_tensor_value_info("y", FLOAT, None)])
    feeds = {"q": uniform(1, 2, 3, 4), "k": uniform(1, 2, 5, 4), "v": uniform(1, 2, 5, 4)}
    nodes = [helper.make_node("FlexAttention", ["q", "k", "v"], ["y"], domain="ai.onnx.preview",
                              score_mod=score)]
    check(save(tmp_path / "m.onnx", nodes, feeds, ("y",)), feeds)


def refusal(path: Path) -> str:
    with pytest.raises(UnsupportedOps) as e:
        importers.load("onnx", path)
    return str(e.value)


def test_what_the_function_lacks_is_refused(tmp_path, monkeypatch):
    feeds = {"x": X, "w": WEIGHTS, "p": PAST}
    path = save(tmp_path / "m.onnx", [convolution(surprise=3)], feeds, ("y", "s"))
    assert "does not know its attribute surprise = 3" in refusal(path)
    path = save(tmp_path / "g.onnx", [convolution(activation="gelu")], feeds, ("y", "s"))
    assert "ONNX has no function for this use of it" in refusal(path)
    path = save(tmp_path / "n.onnx", [convolution()], feeds, ("y", "s"))
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec",
                        lambda name: None if name == "onnx" else find(name))
    assert "pip install onnx" in refusal(path)


def test_an_operator_that_nobody_defines_is_refused(tmp_path):
    nodes = [helper.make_node(op, ["x"], [op], domain=domain)
             for op, domain in (("Imagined", ""), ("Dreamt", "ai.onnx.ml"), ("Wished", "mine"))]
    text = refusal(save(tmp_path / "m.onnx", nodes, {"x": X}, ("Imagined", "Dreamt", "Wished")))
    assert text.count("no importer knows this operator") == 3
