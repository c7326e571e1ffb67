"""What is made of constants is constant to importers, and an If with a fixed condition is its
branch.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import Graph
from mace_tools.support.errors import MaceError, ModelError, UnsupportedOps
from mace_tools.testing.onnx_file import graph, model, node

RNG = np.random.default_rng(3)
X = {"x": (1, 3)}
TRUE, FALSE = np.array(True), np.array(False)


def load(path: Path, nodes: list[Any], constants: dict[str, Any], outputs: str = "y",
         inputs: dict[str, tuple] | None = None, shapes: dict[str, tuple] | None = None) -> Graph:
    file = model(path / "m.onnx", nodes, inputs or X, outputs.split(), constants)
    return convert(importers.load("onnx", file, shapes))


def run(graph: Graph, x: np.ndarray) -> list[np.ndarray]:
    return list(reference.run(graph, {"x": x}).values())


def branch(*nodes: Any, out: str, constants: dict[str, Any] | None = None) -> Any:
    return graph("branch", nodes, {}, [out], constants)


def choose(cond: str, then: Any, other: Any, out: str = "y", name: str = "choose") -> Any:
    return node("If", cond, out, name, then_branch=then, else_branch=other)


# --- weights behind nodes ---


def lstm(tmp_path: Path, nodes: list[Any], constants: dict[str, Any], width: int = 3) -> Graph:
    constants = {"r": RNG.normal(size=(1, 20, 5)).astype("f"), **constants}
    nodes = [*nodes, node("LSTM", "x w r", "y", "lstm", hidden_size=5)]
    return load(tmp_path, nodes, constants, inputs={"x": (2, 1, width)})


W = RNG.normal(size=(1, 20, 3)).astype("f")
BEHIND = {
    "Identity": ([node("Identity", "v", "w")], {"v": W}),
    "Cast of float64": ([node("Cast", "v", "w", to=1)], {"v": W.astype(np.float64)}),
    "Cast of fp16": ([node("Cast", "v", "w", to=1)], {"v": W.astype(np.float16)}),
    "Slice": ([node("Slice", "v a b c", "w")],
              {"v": np.concatenate([W, W], 1), "a": np.array([20]), "b": np.array([40]),
               "c": np.array([1])}),
    "Concat": ([node("Concat", "v u", "w", axis=1)], {"v": W[:, :10], "u": W[:, 10:]}),
    "a chain": ([node("Transpose", "v", "t", perm=[1, 0]), node("Unsqueeze", "t a", "w")],
                {"v": W[0].T.copy(), "a": np.array([0])}),
    "Expand": ([node("Expand", "v s", "w")], {"v": W[:, :1], "s": np.array([1, 20, 3])}),
}


@pytest.mark.parametrize("kind", BEHIND)
def test_recurrent_weights_may_stand_behind_nodes(kind, tmp_path):
    nodes, constants = BEHIND[kind]
    weights = np.broadcast_to(W[:, :1], W.shape) if kind == "Expand" else W
    x = RNG.normal(size=(2, 1, 3)).astype("f")
    recurrent = np.random.default_rng(9).normal(size=(1, 20, 5)).astype("f")
    got = run(lstm(tmp_path, nodes, {**constants, "r": recurrent}), x)
    want = run(lstm(tmp_path, [], {"w": np.ascontiguousarray(weights), "r": recurrent}), x)
    tolerance = 1e-2 if "fp16" in kind else 1e-6
    np.testing.assert_allclose(got[0], want[0], rtol=tolerance, atol=tolerance)


def test_chains_of_any_length_fold(tmp_path):
    nodes = [node("Identity", f"v{k}", f"v{k + 1}") for k in range(3000)]
    nodes.append(node("Identity", "v3000", "w"))
    assert lstm(tmp_path, nodes, {"v0": W}).nodes


def test_a_constant_may_serve_many_nodes(tmp_path):
    nodes = [node("Identity", "v", "w"), node("Add", "x v", "a"), node("Mul", "a w", "b"),
             node("Identity", "w", "z")]
    v = np.array([1, 2, 3], "f")
    g = load(tmp_path, nodes, {"v": v}, "b z")
    x = np.ones((1, 3), "f")
    for got, want in zip(run(g, x), ((x + v) * v, v)):
        np.testing.assert_array_equal(got, want)
    assert g.outputs == ["b", "z"]


def test_what_grows_beyond_all_measure_is_not_folded(tmp_path):
    """Nor is it refused: the engine has it as a node."""
    nodes = [node("Expand", "v s", "big"), node("ReduceSum", "big", "sum", keepdims=0),
             node("Add", "x sum", "y")]
    constants = {"v": np.ones(1, "f"), "s": np.array([1 << 20, 1 << 12])}
    g = load(tmp_path, nodes, constants)
    assert max(t.data.nbytes for t in g.tensors.values() if t.is_const) <= 1 << 16
    g = lstm(tmp_path, [node("Expand", "v s", "w")],
             {"v": np.ones(1, "f"), "s": np.array([1, 20, 3 << 12])}, 3 << 12)
    assert max(t.data.nbytes for t in g.tensors.values() if t.is_const) <= 1 << 16


def test_recurrent_weights_may_be_computed(tmp_path):
    c, r = RNG.normal(size=(2, 1, 3)).astype("f"), RNG.normal(size=(1, 20, 5)).astype("f")
    g = load(tmp_path, [node("Reshape", "x s", "w"), node("LSTM", "c w r", "y", hidden_size=5)],
             {"c": c, "r": r, "s": np.array([1, 20, 3])}, inputs={"x": (20, 3)})
    x = RNG.normal(size=(20, 3)).astype("f")
    want = run(lstm(tmp_path, [], {"w": x[None].copy(), "r": r}), c)
    np.testing.assert_allclose(run(g, x)[0], want[0], rtol=1e-6, atol=1e-7)


# --- If ---

ADD, SUB = (branch(node(op, "x one", f"{op}_out"), out=f"{op}_out") for op in ("Add", "Sub"))
ONE = {"one": np.array(1, "f")}
CONDITIONS = {
    "an initializer": ([], {"c": FALSE}, False),
    "one element": ([], {"c": np.array([True])}, True),
    "a Constant": ([node("Constant", "", "c", value=TRUE)], {}, True),
    "computed": ([node("Equal", "a b", "d"), node("Not", "d", "c")],
                 {"a": np.array(16000), "b": np.array(16000)}, False),
    "a shape": ([node("Shape", "x", "s"), node("Gather", "s k", "d"), node("Equal", "d e", "c")],
                {"k": np.array(1), "e": np.array(3)}, True),
}


@pytest.mark.parametrize("kind", CONDITIONS)
def test_an_if_with_a_fixed_condition_is_its_branch(kind, tmp_path):
    nodes, constants, taken = CONDITIONS[kind]
    g = load(tmp_path, [*nodes, choose("c", ADD, SUB)], {**ONE, **constants})
    assert [n.op for n in g.nodes] == ["Eltwise"] and g.outputs == ["y"]
    np.testing.assert_array_equal(run(g, np.zeros((1, 3), "f"))[0], [[1 if taken else -1] * 3])
    assert g.shape_dependent == (["If 'choose'"] if kind == "a shape" else [])


def test_branches_may_have_different_shapes_and_hide_outer_names(tmp_path):
    """`t` and `k` mean other tensors in each graph; the nested If reads all of them."""
    inner = choose("no", branch(node("Identity", "x", "u"), out="u"),
                   branch(node("Mul", "t k", "u"), out="u", constants={"k": np.array(5, "f")}),
                   "w", "inner")
    then = branch(node("Add", "t0 k", "t"), inner, out="w",
                  constants={"k": np.array(10, "f"), "no": FALSE})
    other = branch(node("ReduceSum", "x", "w", keepdims=0), out="w")
    nodes = [node("Mul", "x k", "t0"), choose("yes", then, other), node("Add", "y t", "z"),
             node("Neg", "x", "t")]
    constants = {"k": np.array(2, "f"), "yes": TRUE}
    g = load(tmp_path, [nodes[0], nodes[3], *nodes[1:3]], constants, "y z")
    x = RNG.normal(size=(1, 3)).astype("f")
    y = (2 * x + 10) * 5
    np.testing.assert_allclose(run(g, x)[0], y, rtol=1e-6)
    np.testing.assert_allclose(run(g, x)[1], y - x, rtol=1e-6)


def test_a_branch_may_be_a_captured_tensor_or_a_constant(tmp_path):
    nodes = [node("Relu", "x", "r"), choose("c", branch(out="r"), ADD, "a", "one"),
             choose("c", branch(out="k", constants={"k": np.array([7], "f")}), ADD, "b", "two"),
             node("Add", "a b", "y")]
    x = np.array([[-1, 0, 2]], "f")
    g = load(tmp_path, nodes, {**ONE, "c": TRUE})
    np.testing.assert_array_equal(run(g, x)[0], [[7, 7, 9]])


def test_a_branch_not_taken_may_hold_anything(tmp_path):
    """Also read what cannot be converted."""
    odd = branch(node("MaxRoiPool", "x", "n"), node("Add", "n m", "o"), out="o")
    nodes = [node("ImageDecoder", "x", "m", "odd"), choose("c", ADD, odd)]
    assert load(tmp_path, nodes, {**ONE, "c": TRUE}).nodes
    with pytest.raises(UnsupportedOps) as e:
        load(tmp_path, nodes, {**ONE, "c": FALSE})
    assert [o.op for o in e.value.ops] == ["ImageDecoder", "MaxRoiPool"]


def test_a_computed_condition_becomes_an_if(tmp_path):
    nodes = [node("Equal", "sr rate", "c"), choose("c", ADD, SUB)]
    graph = load(tmp_path, nodes, {**ONE, "rate": np.array(16000, "f")}, inputs={**X, "sr": ()})
    chosen = graph.nodes[-1]
    assert chosen.op == "If"
    assert [len(graph.subgraphs[chosen.attrs[b]].nodes) for b in ("then_branch", "else_branch")
            ] == [1, 1]


def test_branches_of_several_types_are_refused(tmp_path):
    whole = branch(node("Cast", "x", "i", to=7), out="i")
    with pytest.raises(ModelError, match="its branches make different types: f32 and i64"):
        load(tmp_path, [node("Equal", "sr rate", "c"), choose("c", ADD, whole)],
             {**ONE, "rate": np.array(16000, "f")}, inputs={**X, "sr": ()})


@pytest.mark.parametrize(("nodes", "message"), [
    ([choose("c", branch(node("Relu", "x", "a"), node("Neg", "x", "a"), out="a"), ADD)],
     "'a' is produced twice in a graph of 'choose'"),
    ([node("If", "c", "y", "choose", then_branch=ADD)], "a branch is missing"),
    ([choose("two", ADD, SUB)], "must have one element, it has the shape \\[2\\]"),
    ([choose("c", branch(node("Relu", "nowhere", "a"), out="a"), ADD)],
     "tensor 'nowhere' comes from nowhere"),
])
def test_bad_ifs_are_named(nodes, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        load(tmp_path, nodes, {**ONE, "c": TRUE if len(nodes[0].attribute) > 1 else FALSE,
                               "two": np.array([True, False])})


def test_the_same_names_in_many_branches_stay_apart(tmp_path):
    """Ifs one after the other whose branches use the same names."""
    nodes, last = [], "x"
    for k in range(20):
        nodes.append(choose("c", branch(node("Add", f"{last} one", "t"), out="t"), SUB, f"y{k}",
                            f"if{k}"))
        last = f"y{k}"
    g = load(tmp_path, nodes, {**ONE, "c": TRUE}, last)
    np.testing.assert_array_equal(run(g, np.zeros((1, 3), "f"))[0], [[20, 20, 20]])


def test_errors_of_a_cut_name_the_model(tmp_path):
    with pytest.raises(MaceError, match="no tensor 'Add_out'"):
        file = model(tmp_path / "m.onnx", [choose("c", ADD, SUB)], X, ["y"], {**ONE, "c": TRUE})
        importers.load("onnx", file, None, ["Add_out"])


