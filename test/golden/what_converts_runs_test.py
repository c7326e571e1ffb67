"""Every model that converts runs: ONNX's node tests and uses of ops, in every element type.

SPDX-License-Identifier: Apache-2.0

Either the converter refuses a model, or the engine makes a plan for it and runs it; results
are compared elsewhere.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import Run, data_folder, run_all

from mace_tools.convert import importers
from mace_tools.convert.importers.onnx import reader
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.graph.op_schema import all_ops
from mace_tools.graph.op_support import refusals
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.testing import onnx_nodes

ARCHIVE = data_folder(*Path(onnx_nodes.ARCHIVE).parts)
# By name: ONNX's number of an element type. The others are odd uses of the same importers.
TYPES = {"f16": 10, "f64": 11, "bf16": 16, "i64": 7, "u8": 2, "u32": 12, "bool": 9}
MIN = {"f16": 500, "f64": 500, "bf16": 300, "i64": 200}  # tests that must convert
VALUES = {"Reduce": ("SUM", "MEAN", "MAX", "PROD", "ALL", "ANY"),
          "Resize": ("NEAREST", "LINEAR", "CUBIC"),
          "ScatterElements": ("NONE", "SUM", "PROD", "MIN", "MAX"),
          "ScatterNd": ("NONE", "SUM", "PROD", "MIN", "MAX"),
          "Unary": ("ABS", "NEG", "SQUARE", "SIGN", "EXP", "ERF", "FLOOR", "IS_NAN")}
# The shape of the operand "indices" of ops that have one; their third operand is the input again.
INDICES = {"ScatterElements": (1, 2, 2, 1), "ScatterNd": (1, 1)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return onnx_nodes.unpack(ARCHIVE, tmp_path_factory.mktemp("nodes"))


def in_type(onnx: Any, path: Path, code: int) -> Any:
    """The model with another type in place of float32; None if it has none, or if ONNX does not
    allow that type there."""
    model = onnx.load(path)
    infos = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    floats = [v for v in infos if v.type.tensor_type.elem_type == 1]
    for v in floats:
        v.type.tensor_type.elem_type = code
    tensors = [*model.graph.initializer, *(a.t for n in model.graph.node for a in n.attribute)]
    for t in (t for t in tensors if t.data_type == 1):
        values = onnx.numpy_helper.to_array(t)
        kind = onnx.helper.tensor_dtype_to_np_dtype(code)
        if kind.kind in "iu":
            values = np.clip(np.nan_to_num(values), 0, 100).astype(kind)
        t.CopyFrom(onnx.helper.make_tensor(t.name, code, values.shape, values.ravel().tolist()))
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception:  # whatever onnx raises: the type is none of the operator's
        return None
    return model if floats else None


def converted(path: Path, test: onnx_nodes.NodeTest) -> Run | None:
    """The run of a model, or None if it is refused for a valid reason."""
    shapes = {n: a.shape for n, a in zip(reader.read(path).inputs, test.inputs)}
    try:
        graph = convert(importers.load("onnx", path, shapes))
    except UnsupportedOps:
        return None
    with np.errstate(all="ignore"):
        feeds = {n: a.astype(NUMPY[graph.tensors[n].dtype])
                 for n, a in zip(graph.inputs, test.inputs)}
    return Run(test.name, graph, feeds)


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=() if kind in ("f16", "i64", "bool")
                                               else pytest.mark.full) for kind in TYPES])
def test_node_tests_in_every_type(kind, folder, tmp_path):
    onnx = pytest.importorskip("onnx")
    runs = []
    for test in (onnx_nodes.read(f) for f in sorted(folder.iterdir()) if f.is_dir()):
        model = in_type(onnx, test.model, TYPES[kind])
        if model is None:
            continue
        path = tmp_path / "model.onnx"
        onnx.save(model, path)
        try:
            run = converted(path, test)
        except MaceError as e:
            pytest.fail(f"{test.name}: the model is called damaged: {e}")
        runs += [run] if run is not None else []
    assert len(runs) >= MIN.get(kind, 50)
    (tmp_path / "runs").mkdir()
    run_all(runs, tmp_path / "runs")
    assert {run.name: run.error for run in runs if run.error} == {}


def uses() -> Iterator[tuple[str, Graph]]:
    """Nodes of the ops whose types depend on an attribute, in every type."""
    for op, schema in all_ops().items():
        if schema.types_with is None:
            continue
        attr = schema.types_with.attr
        for value in VALUES[op]:
            for kind in NUMPY:
                graph = Graph(f"{op} {value} {kind}")
                graph.add_input("x", kind, (1, 2, 2, 1))
                more = {"size": [4, 4]} if op == "Resize" else {}
                more |= {"axis": [1], "keepdims": 1} if op == "Reduce" else {}
                operands = ["x"]
                if op in INDICES:
                    graph.add_const("indices", np.zeros(INDICES[op], np.int64))
                    operands += ["indices", "x"]
                graph.add(op, operands, ["y"], "y", **{attr: value}, **more)
                graph.outputs = ["y"]
                yield kind, graph


def test_types_by_attribute_are_the_engines(tmp_path):
    graphs = list(uses())
    runs = [Run(g.name, g, {"x": np.ones((1, 2, 2, 1), NUMPY[kind])}) for kind, g in graphs]
    run_all(runs, tmp_path)
    taken = {run.name for run in runs if not run.error}
    assert taken == {g.name for kind, g in graphs if not refusals(g)}
