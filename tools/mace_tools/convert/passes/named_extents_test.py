"""Models that are converted at extents of 1 and run with other ones, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0

The extents `b` and `s` of the input are names in the source model, as exporters write them. What
the passes make of a model that was converted at 1 must be right for any of them. MACE_RANDOM_GRAPHS
says how many graphs are tried (default 60).
"""

import os
import random

import numpy as np
import pytest
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.by_onnxruntime import Session

COUNT = int(os.environ.get("MACE_RANDOM_GRAPHS", "60"))
FAILED_ONCE: tuple[int, ...] = ()
WIDTH = 8
RUNS = [(1, 1), (2, 1), (1, 5), (2, 3), (5, 2)]
Dims = tuple  # of numbers, and of names or products of names as tuples


class Maker:
    """Adds random nodes whose meaning does not depend on what the names stand for."""

    def __init__(self, seed: int) -> None:
        self.dice, self.nodes = random.Random(seed), []
        self.dims: dict[str, Dims] = {"x": (("b",), ("s",), WIDTH)}

    def node(self, op: str, inputs: list[str], dims: Dims, **attrs: object) -> None:
        name = f"t{len(self.nodes)}"
        self.nodes.append(h.make_node(op, inputs, [name], **attrs))
        self.dims[name] = dims

    def const(self, value: object, dtype: type = np.int64) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(h.make_node("Constant", [], [name], value=numpy_helper.from_array(
            np.array(value, dtype), name)))
        return name

    def add_unary(self, x: str) -> None:
        self.node(self.dice.choice(("Relu", "Tanh", "Abs", "Neg")), [x], self.dims[x])

    def add_sum(self, x: str) -> None:
        like = [n for n, d in self.dims.items() if d == self.dims[x]]
        self.node("Add", [x, self.dice.choice(like)], self.dims[x])

    def add_product(self, x: str) -> None:
        dims = self.dims[x]
        if isinstance(dims[-1], int) and len(dims) > 1:
            w = np.random.default_rng(len(self.nodes)).uniform(-1, 1, (dims[-1], WIDTH))
            self.node("MatMul", [x, self.const(w, np.float32)], (*dims[:-1], WIDTH))

    def add_transpose(self, x: str) -> None:
        perm = list(range(len(self.dims[x])))
        self.dice.shuffle(perm)
        self.node("Transpose", [x], tuple(self.dims[x][p] for p in perm), perm=perm)

    def add_unsqueeze(self, x: str) -> None:
        dims = list(self.dims[x])
        if len(dims) < 5:
            axis = self.dice.randint(0, len(dims))
            dims.insert(axis, 1)
            self.node("Unsqueeze", [x, self.const([axis])], tuple(dims))

    def add_squeeze(self, x: str) -> None:
        ones = [k for k, d in enumerate(self.dims[x]) if d == 1]
        if ones:
            axis = self.dice.choice(ones)
            dims = (*self.dims[x][:axis], *self.dims[x][axis + 1 :])
            self.node("Squeeze", [x, self.const([axis])], dims)

    def add_mean(self, x: str) -> None:
        dims = list(self.dims[x])
        axis = self.dice.randrange(len(dims))
        dims[axis] = 1
        self.node("ReduceMean", [x], tuple(dims), axes=[axis], keepdims=1)

    def add_slice(self, x: str) -> None:
        axis, dims = self.dice.randrange(len(self.dims[x])), list(self.dims[x])
        end = self.dice.choice((1, 2**31 - 1))
        if dims[axis] != 1 and end == 1:
            dims[axis] = 1
        self.node("Slice", [x, self.const([0]), self.const([end]), self.const([axis])],
                  tuple(dims))

    def add_tile(self, x: str) -> None:
        self.node("Tile", [x, self.const([1] * len(self.dims[x]))], self.dims[x])

    def add_expand(self, x: str) -> None:
        self.node("Expand", [x, self.const([1] * len(self.dims[x]))], self.dims[x])

    def add_product_with_one(self, x: str) -> None:
        """With a tensor of one element, or of as many as an axis has."""
        rank = len(self.dims[x])
        like = [n for n, d in self.dims.items() if len(d) <= rank and all(
            e in (1, f) for e, f in zip(reversed(d), reversed(self.dims[x])))]
        self.node("Mul", [x, self.dice.choice(like)], self.dims[x])

    def add_softmax(self, x: str) -> None:
        self.node("Softmax", [x], self.dims[x], axis=self.dice.randrange(len(self.dims[x])))

    def add_join(self, x: str) -> None:
        numbers = [k for k, d in enumerate(self.dims[x]) if isinstance(d, int) and d < 16]
        if numbers:
            axis, dims = self.dice.choice(numbers), list(self.dims[x])
            dims[axis] *= 2
            self.node("Concat", [x, x], tuple(dims), axis=axis)

    def add_reshape(self, x: str) -> None:
        """Two axes become one, or a number becomes two; written with 0, numbers and one -1."""
        dims = list(self.dims[x])
        k = self.dice.randrange(len(dims))
        if isinstance(dims[k], int) and dims[k] % 2 == 0 and len(dims) < 5 and k % 2:
            dims[k : k + 1] = [2, dims[k] // 2]
        elif k + 1 < len(dims):
            dims[k : k + 2] = [_times(dims[k], dims[k + 1])]
        given = []
        for axis, d in enumerate(dims):
            same = axis < len(self.dims[x]) and self.dims[x][axis] == d and not isinstance(d, int)
            given.append(0 if same else d if isinstance(d, int) else -1)
        if given.count(-1) <= 1:
            self.node("Reshape", [x, self.const(given)], tuple(dims))

    def model(self, count: int) -> bytes:
        steps = [getattr(self, name) for name in dir(self) if name.startswith("add_")]
        while len(self.dims) <= count:
            x = self.dice.choice(list(self.dims)[-3:])
            if self.dims[x]:  # no scalar
                self.dice.choice(steps)(x)
        last = next(n for n in reversed(self.dims) if self.dims[n])
        graph = h.make_graph(self.nodes, "g", [h.make_tensor_value_info(
            "x", T.FLOAT, ["b", "s", WIDTH])], [h.make_tensor_value_info(last, T.FLOAT, None)])
        made = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8)
        return made.SerializeToString()


def _times(d: object, e: object) -> object:
    """The extent of two axes that become one: a number, or the sorted names of a product."""
    if isinstance(d, int) and isinstance(e, int):
        return d * e
    parts = [p for f in (d, e) for p in (f if isinstance(f, tuple) else (f,)) if p != 1]
    return tuple(sorted(parts, key=str))


@pytest.mark.parametrize("seed", sorted({*range(COUNT), *FAILED_ONCE}))
def test_what_is_converted_at_1_runs_with_other_extents(tmp_path, seed):
    model = Maker(seed).model(14)
    path = tmp_path / "m.onnx"
    path.write_bytes(model)
    session = Session(model)
    rng = np.random.default_rng(seed)
    for at in RUNS[:3]:
        graph = convert(importers.load("onnx", path, {"x": (*at, WIDTH)}))
        for b, s in RUNS:
            x = rng.uniform(-1, 1, (b, s, WIDTH)).astype(np.float32)
            want = session.run(None, {"x": x})[0]
            got = reference.run(graph, {"x": x})[graph.outputs[0]]
            assert got.shape == want.shape, f"converted at {at}, run at {(b, s)}"
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
