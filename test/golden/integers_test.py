"""Integers by the definition: unsigned ones wrap at their own width, and 64 bits are all kept.

The engine has neither unsigned types of more than 8 bits nor numbers of 64 bits as attributes.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable

import numpy as np
import pytest
from golden import Run, run_all

from mace_tools.convert import importers
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.onnx_file import graph, info, node, onnx

KINDS = ("uint16", "uint32", "uint64")
HELD_AS = {"uint16": np.int32, "uint32": np.int64, "uint64": np.int64}
ONNX_TYPES = {"uint16": 4, "uint32": 12, "uint64": 13, "float16": 10, "float32": 1, "int8": 3,
         "uint8": 2, "int32": 6, "int64": 7, "bool": 9}
BEYOND = 2**53 + 1  # which neither float32 nor float64 holds


def numbers(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Two operands with the ends and the middle of the type; the second one has no 0."""
    most, d = np.iinfo(kind).max, np.random.default_rng(3)
    ends = [0, 1, 2, 3, most, most - 1, most // 2, most // 2 + 1]
    x = np.concatenate([np.array(ends, kind), d.integers(0, most, 24, kind, endpoint=True)])
    y = d.permutation(x)
    return x, np.where(y == 0, 5, y).astype(kind)


def model(path, nodes, feeds, outputs, constants=None):
    """Only the inputs have declared types: those of all other tensors follow from them."""
    proto = onnx().ModelProto(ir_version=8)
    proto.opset_import.add(version=18)
    proto.graph.CopyFrom(graph("g", nodes, {}, [], constants))
    proto.graph.input.extend(info(n, a.shape, a.dtype) for n, a in feeds.items())
    proto.graph.output.extend(onnx().ValueInfoProto(name=n) for n in outputs)
    path.write_bytes(proto.SerializeToString())
    return path


def loop_body(kind: str):
    """v * v + v, whose number of iterations is an input of the model"""
    body = graph("body", [node("Mul", "v v", "m"), node("Add", "m v", "w"),
                          node("Identity", "c", "d")], {}, [])
    body.input.extend([info("i", [], np.int64), info("c", [], np.bool_), info("v", [32], kind)])
    body.output.extend(onnx().ValueInfoProto(name=n) for n in ("d", "w"))
    return body


def squared(x: np.ndarray, times: int) -> np.ndarray:
    for _ in range(times):
        x = x * x + x
    return x


def unsigned_cases(kind: str) -> dict[str, tuple[list, Callable, dict]]:
    """Nodes from x and z to y, what y is, and constants."""
    most, bits = np.iinfo(kind).max, np.iinfo(kind).bits
    shifts = (np.arange(32) % bits).astype(kind)
    low, high = np.array(5, kind), np.array(most - 3, kind)
    two = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.floor_divide,
           "Mod": np.mod, "Max": np.maximum, "Min": np.minimum, "Less": np.less,
           "Greater": np.greater, "LessOrEqual": np.less_equal, "Equal": np.equal,
           "GreaterOrEqual": np.greater_equal, "BitwiseXor": np.bitwise_xor}
    found = {op: ([node(op, "x z", "y")], f, {}) for op, f in two.items()}
    one = {"BitwiseNot": np.invert, "Sign": np.sign, "Abs": lambda x: x}
    found.update({op: ([node(op, "x", "y")], lambda x, z, f=f: f(x), {}) for op, f in one.items()})
    reduced = {"Sum": np.add.reduce, "Prod": np.multiply.reduce, "Max": np.max, "Min": np.min,
               "L1": np.add.reduce, "SumSquare": lambda x: np.add.reduce(x * x)}
    found.update({f"Reduce{op}": ([node(f"Reduce{op}", "x", "y", keepdims=0)],
                                  lambda x, z, f=f: f(x).astype(kind), {})
                  for op, f in reduced.items()})
    for to, code in ONNX_TYPES.items():
        found[f"Cast to {to}"] = ([node("Cast", "x", "y", to=code)],
                                  lambda x, z, to=to: x.astype(to), {})
        if to not in KINDS and to[0] != "f":
            chain = [node("Cast", "x", "a", to=code), node("Cast", "a", "b", to=ONNX_TYPES[kind]),
                     node("Mul", "b b", "y")]
            found[f"Cast from {to}"] = (
                chain, lambda x, z, to=to: np.square(x.astype(to).astype(kind)), {})
    indices = {"i": np.array([1, 1, 3], np.int64), "u": np.array([most, 7, most // 2 + 1], kind)}
    for how, f in (("add", np.add), ("mul", np.multiply), ("max", np.maximum)):
        def scattered(x, z, f=f):
            y = x.copy()
            f.at(y, indices["i"], indices["u"])
            return y
        found[f"Scatter {how}"] = ([node("ScatterElements", "x i u", "y", reduction=how)],
                                   scattered, indices)
    found.update({
        "shift left": ([node("BitShift", "x s", "y", direction="LEFT")],
                       lambda x, z: np.left_shift(x, shifts), {"s": shifts}),
        "shift right": ([node("BitShift", "x s", "y", direction="RIGHT")],
                        lambda x, z: np.right_shift(x, shifts), {"s": shifts}),
        "Clip": ([node("Clip", "x l h", "y")], lambda x, z: x.clip(low, high),
                 {"l": low, "h": high}),
        "TopK": ([node("TopK", "x k", "y i")], lambda x, z: np.sort(x)[::-1][:4],
                 {"k": np.array([4], np.int64)}),
        "ArgMax": ([node("ArgMax", "x", "y", keepdims=0)], lambda x, z: x.argmax(), {}),
        "ArgMin": ([node("ArgMin", "x", "y", keepdims=0)], lambda x, z: x.argmin(), {}),
        "CumSum": ([node("CumSum", "x a", "y")], lambda x, z: np.cumsum(x, dtype=kind),
                   {"a": np.array(0, np.int64)}),
        "Pow": ([node("Pow", "x t", "y")], lambda x, z: x * x * x, {"t": np.array(3, kind)}),
        "Unique": ([node("Unique", "x", "y")], lambda x, z: np.unique(x), {}),
        "after moves": ([node("Reshape", "x r", "a"), node("Transpose", "a", "b"),
                         node("Concat", "b b", "c", axis=0), node("Add", "c c", "y")],
                        lambda x, z: np.tile(x.reshape(4, 8).T * 2, (2, 1)).astype(kind),
                        {"r": np.array([4, 8], np.int64)}),
        "hash": ([node("Mul", "x p", "a"), node("BitShift", "a t", "b", direction="RIGHT"),
                  node("BitwiseXor", "a b", "c"), node("Cast", "c", "y", to=7)],
                 lambda x, z: ((x * high) ^ ((x * high) >> np.array(7, kind))).astype(np.int64),
                 {"p": high, "t": np.array(7, kind)}),
        "Loop": ([node("Cast", "z", "f", to=9), node("Cast", "f", "g", to=7),
                  node("ReduceMax", "g", "n", keepdims=0),  # 1, which no constant says
                  node("Loop", "n - x", "w", body=loop_body(kind)), node("Add", "w w", "y")],
                 lambda x, z: squared(x, 1) * np.array(2, kind), {}),
        "constants": ([node("ConstantOfShape", "n", "c", value=np.array([most], kind)),
                       node("Add", "c x", "y")], lambda x, z: x - np.array(1, kind),
                      {"n": np.array([32], np.int64)}),
    })
    return found


ONE = np.array([BEYOND], np.int64)
# On int64, whose attributes the format holds as float32.
LONG = {
    "Clip": ([node("Clip", "x l h", "y")], lambda x, z: x.clip(-BEYOND, BEYOND),
             {"l": np.int64(-BEYOND), "h": np.int64(BEYOND)}),
    "Clip above": ([node("Clip", "x - h", "y")], lambda x, z: np.minimum(x, 2**24 + 1),
                   {"h": np.int64(2**24 + 1)}),
    "ConstantOfShape": ([node("ConstantOfShape", "n", "y", value=ONE)],
                        lambda x, z: np.full(3, BEYOND), {"n": np.array([3], np.int64)}),
    "Pad": ([node("Pad", "x p v", "y")], lambda x, z: np.pad(x, (1, 2), constant_values=BEYOND),
            {"p": np.array([1, 2], np.int64), "v": np.int64(BEYOND)}),
    "OneHot": ([node("OneHot", "i d v", "y")],
               lambda x, z: np.array([[5, BEYOND, 5], [5, 5, BEYOND]]),
               {"i": np.array([1, -1], np.int64), "d": np.array([3], np.int64),
                "v": np.array([5, BEYOND], np.int64)}),
    "Pow": ([node("Pow", "c t", "y")], lambda x, z: np.array([3**37]),
            {"c": np.array([3], np.int64), "t": np.int64(37)}),
    "Div": ([node("Div", "c t", "y")], lambda x, z: np.array([-(2**62), 2**61, 3]),
            {"c": np.array([-(2**63), -(2**62), -7], np.int64), "t": np.array([2, -2, -2])}),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """By type and case: ours, and what is right."""
    folder, wanted, runs = tmp_path_factory.mktemp("integers"), {}, []
    for kind in (*KINDS, "int64"):
        x, z = numbers("uint64" if kind == "int64" else kind)
        feeds = {"x": x.astype(kind), "z": z.astype(kind)}
        for name, (nodes, f, more) in (LONG if kind == "int64" else unsigned_cases(kind)).items():
            used = {i for n in nodes for i in n.input}
            given = {k: v for k, v in feeds.items() if k in used}
            path = model(folder / "m.onnx", nodes, given, ["y"], more)
            shapes = {k: v.shape for k, v in given.items()}
            held = {k: v.astype(HELD_AS.get(kind, v.dtype)) for k, v in given.items()}
            runs.append(Run(f"{kind} {name}", convert(importers.load("onnx", path, shapes)), held))
            with np.errstate(over="ignore"):
                wanted[runs[-1].name] = f(feeds["x"], feeds["z"])
    run_all(runs, folder, ["--allow_nan"])
    return {r.name: (r, wanted[r.name]) for r in runs}


NAMES = [f"{kind} {name}" for kind in KINDS for name in unsigned_cases(kind)]
NAMES += [f"int64 {name}" for name in LONG]


@pytest.mark.parametrize("name", NAMES)
def test_every_bit_is_right(name, results):
    run, want = results[name]
    assert not run.error, run.error
    np.testing.assert_array_equal(run.outputs["y"].astype(want.dtype), want)


@pytest.mark.parametrize("kind, op, attrs", [
    ("uint64", "ReduceMean", {}), ("uint32", "ReduceL2", {}), ("uint16", "ReduceLogSumExp", {})])
def test_what_is_not_computed_of_unsigned_numbers_is_refused(kind, op, attrs, tmp_path):
    path = model(tmp_path / "m.onnx", [node(op, "x", "y", **attrs)],
                 {"x": np.ones(3, kind)}, ["y"])
    with pytest.raises(UnsupportedOps, match=f"of {kind} numbers"):
        importers.load("onnx", path)
