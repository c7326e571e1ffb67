"""Random graphs with branches and shapes computed from data, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0

MACE_RANDOM_GRAPHS says how many are tried (default 40; 1000 take some minutes). A seed is a graph
of 20 to 60 nodes and its input; those that failed once are always tried.
"""

import os
import random

import numpy as np
import pytest
from flow_test import FLOAT, INT, const, converted, graph, model, of_runtime
from golden import Run, run_all
from onnx import helper as h
from onnx import numpy_helper

FAILED_ONCE: tuple[int, ...] = ()
SEEDS = sorted({*range(int(os.environ.get("MACE_RANDOM_GRAPHS", "40"))), *FAILED_ONCE})
WIDTH = 4
AT_ONCE = 100  # graphs in one process of mace_run


class Maker:
    """Nodes on tensors [rows,4]. Tensors of one kind have equally many rows, which only a run
    knows."""

    def __init__(self, dice: random.Random, prefix: str = "") -> None:
        self.dice, self.prefix, self.nodes = dice, prefix, []
        self.kinds: dict[str, int] = {}
        self.count = self.new_kinds = 0

    def name(self) -> str:
        self.count += 1
        return f"{self.prefix}t{self.count}"

    def node(self, op: str, inputs: list[str], outputs: int = 1, **attrs) -> list[str]:
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(h.make_node(op, inputs, names, **attrs))
        return names

    def const(self, value, dtype=np.int64) -> str:
        name = self.name()
        self.nodes.append(const(name, value, dtype))
        return name

    def tensor(self, kind: int | None = None) -> str:
        """A recent one, of a kind."""
        names = [n for n, k in self.kinds.items() if kind in (None, k)]
        return self.dice.choice(names[-6:])

    def add(self, name: str, kind: int | None = None) -> None:
        if kind is None:
            self.new_kinds += 1
            kind = self.new_kinds + 1000 * len(self.prefix)
        self.kinds[name] = kind

    def unary(self) -> None:
        x = self.tensor()
        op = self.dice.choice(("Relu", "Tanh", "Sigmoid", "Abs", "Neg", "Identity"))
        self.add(self.node(op, [x])[0], self.kinds[x])

    def binary(self) -> None:
        x = self.tensor()
        y = self.tensor(self.kinds[x])
        op = self.dice.choice(("Add", "Mul", "Sub", "Max", "Min"))
        self.add(self.node(op, [x, y])[0], self.kinds[x])

    def product(self) -> None:
        x, name = self.tensor(), self.name()
        values = np.random.default_rng(self.dice.randrange(1 << 30)).normal(
            size=(WIDTH, WIDTH)).astype(np.float32) / 2
        self.nodes.append(h.make_node("Constant", [], [name],
                                      value=numpy_helper.from_array(values, name)))
        self.add(self.node("MatMul", [x, name])[0], self.kinds[x])

    def join(self) -> None:
        self.add(self.node("Concat", [self.tensor(), self.tensor()], axis=0)[0])

    def rows_above(self) -> None:
        """The rows whose largest element is above a number."""
        x = self.tensor()
        (most,) = self.node("ReduceMax", [x], axes=[1], keepdims=0)
        limit = self.const(self.dice.choice((-0.513, 0.013, 0.257, 9)), np.float32)
        (mask,) = self.node("Greater", [most, limit])
        if self.dice.random() < 0.5:
            self.add(self.node("Compress", [x, mask], axis=0)[0])
            return
        (found,) = self.node("NonZero", [mask])
        (at,) = self.node("Squeeze", [found, self.const([0])])
        self.add(self.node("Gather", [x, at], axis=0)[0])

    def rows_until(self) -> None:
        """The first rows, as many as another tensor has columns above a number."""
        x, y = self.tensor(), self.tensor()
        (flat,) = self.node("ReduceMean", [y], axes=[0], keepdims=0)
        (above,) = self.node("Greater", [flat, self.const(0.137, np.float32)])
        (ones,) = self.node("Cast", [above], to=INT)
        (end,) = self.node("ReduceSum", [ones, self.const([0])], keepdims=1)
        self.add(self.node("Slice", [x, self.const([0]), end, self.const([0])])[0])

    def tiled(self) -> None:
        self.add(self.node("Tile", [self.tensor(), self.const([self.dice.randint(1, 2), 1])])[0])

    def reshaped(self) -> None:
        """There and back, by the tensor's own shape."""
        x = self.tensor()
        (shape,) = self.node("Shape", [x])
        (flat,) = self.node("Reshape", [x, self.const([-1])])
        self.add(self.node("Reshape", [flat, shape])[0], self.kinds[x])

    def branch(self) -> None:
        """An If on a sum, whose branches are random nodes."""
        x = self.tensor()
        (total,) = self.node("ReduceSum", [x], keepdims=0)
        (condition,) = self.node("Greater", [total, self.const(0.137, np.float32)])
        graphs = []
        for label in ("a", "b"):
            inner = Maker(self.dice, f"{self.prefix}{self.count}{label}")
            inner.kinds = dict(self.kinds)
            inner.make(self.dice.randint(1, 4), deep=len(self.prefix) < 4)
            made = [n for n in inner.kinds if n not in self.kinds]
            output = made[-1] if made else inner.node("Identity", [x])[0]
            graphs.append(graph(inner.nodes, [(output, FLOAT, None)], name=label + self.prefix))
        self.add(self.node("If", [condition], then_branch=graphs[0], else_branch=graphs[1])[0])

    def make(self, steps: int, deep: bool = True) -> None:
        choices = [self.unary, self.unary, self.binary, self.binary, self.product, self.join,
                   self.rows_above, self.rows_until, self.tiled, self.reshaped]
        choices += [self.branch] * 2 if deep else []
        for _ in range(steps):
            if len(self.nodes) < 60:
                self.dice.choice(choices)()


def random_model(seed: int):
    dice = random.Random(seed)
    maker = Maker(dice)
    maker.add("x")
    maker.add("z")
    maker.make(dice.randint(8, 22))
    names = [n for n in maker.kinds if n not in ("x", "z")]
    outputs = dict.fromkeys([names[-1], *dice.sample(names, min(2, len(names)))])
    made = model(maker.nodes, [("x", FLOAT, ["n", WIDTH]), ("z", FLOAT, ["m", WIDTH])],
                 [(name, FLOAT, None) for name in outputs])
    rng = np.random.default_rng(seed)
    feeds = {name: rng.normal(size=(dice.randint(1, 6), WIDTH)).astype(np.float32)
             for name in ("x", "z")}
    return made, feeds


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("random")
    found = {}
    for seed in SEEDS:
        made, feeds = random_model(seed)
        graph = converted(made, feeds, folder / f"of_{seed}")
        found[seed] = Run(str(seed), graph, {n: feeds[n] for n in graph.inputs})
    runs = list(found.values())
    for first in range(0, len(runs), AT_ONCE):
        (folder / str(first)).mkdir()
        run_all(runs[first:first + AT_ONCE], folder / str(first))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_as_onnx_runtime(seed, results):
    made, feeds = random_model(seed)
    run = results[seed]
    assert not run.error, run.error
    for output, want in zip(run.graph.outputs, of_runtime(made, feeds)):
        got = run.outputs[output]
        assert got.shape == want.shape, output
        np.testing.assert_allclose(got, want, 1e-4, 1e-4, err_msg=output)
