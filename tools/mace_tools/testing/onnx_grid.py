"""The grid of ONNX: each operator plain and with every attribute of its schema, against ONNX
Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import faulthandler
import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NoKernel

from mace_tools.convert import importers, reference
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing import goldens
from mace_tools.testing.grid import INVALID, REFUSED, SAME, Outcome, Row, difference
from mace_tools.testing.onnx_cases import CASES, Case, branch, save
from mace_tools.testing.onnx_versions import attributes_of, cases

# Values for attributes of these names; those of others follow from their type.
STRINGS = {
    "auto_pad": ["SAME_UPPER", "SAME_LOWER", "VALID"], "direction": ["reverse", "bidirectional"],
    "mode": ["nearest", "linear", "cubic", "reflect", "edge", "wrap", "CRD"],
    "coordinate_transformation_mode": ["align_corners", "asymmetric", "pytorch_half_pixel",
                                       "half_pixel_symmetric", "tf_crop_and_resize"],
    "nearest_mode": ["floor", "ceil", "round_prefer_ceil"],
    "keep_aspect_ratio_policy": ["not_larger", "not_smaller"], "reduction": ["add", "mul", "max"],
    "padding_mode": ["border", "reflection"],
    "approximate": ["tanh"], "round_mode": ["up", "down", "nearest"],
    "activation": ["Tanh", "LeakyRelu", "HardSigmoid", "Clip", "Swish"],
    "k_quant_type": ["PER_TENSOR"], "v_quant_type": ["PER_CHANNEL"],
    "equation": ["abc,abd->bcd", "abc,abc->ab", "abc,dbc->ad"],
}
LISTS = {
    "pads": [[1, 1, 1, 1], [0, 1, 2, 0]], "strides": [[2, 2], [1, 2]], "dilations": [[2, 2]],
    "kernel_shape": [[2, 2]], "output_padding": [[1, 0]], "output_shape": [[8, 8], [9, 7]],
    "split": [[1, 3], [2, 2]], "starts": [[1], [0, 2]], "ends": [[1], [9, 9]],
    "scales": [[1.0, 1.0, 3.0, 2.5]], "axes": [[2, 3], [3, 2], [1], [0, 1]], "perm": [[2, 0, 1]],
    "activations": [["Relu"], ["Relu", "Sigmoid"], ["Relu", "Sigmoid", "Softsign"], ["Affine"]],
    "activation_params": [[0.5], [0.1, 0.4], [0.1, 0.2, 0.3]],
    "qkv_hidden_sizes": [[8, 8, 8], [4, 4, 16]],
    "scan_input_axes": [[1], [-1], [-2]], "scan_output_axes": [[1], [-1], [-2]],
    "scan_input_directions": [[0], [1]], "scan_output_directions": [[0], [1]],
    "directions": [[1]],
    "activation_alpha": [[0.5], [0.5, 0.25]], "activation_beta": [[0.5]],
}
NUMBERS = {"to": [1, 6, 10, 11], "dtype": [1, 7], "axis": [0, 1, 2, -1, -2], "size": [2, 5],
           "group": [2, 4], "num_groups": [1, 4], "hidden_size": [3], "p": [1, 2, 3],
           "num_heads": [1, 2, 4], "q_num_heads": [2, 4], "kv_num_heads": [1, 2],
           "rotary_embedding_dim": [0, 4, 8], "is_causal": [0, 1, 2], "unidirectional": [0, 1],
           "blocksize": [1, 3], "batch_dims": [1]}
# What else must change so that an attribute is valid, or means something.
TOGETHER: dict[str, dict[str, Any]] = {
    "exclude_outside": {"mode": "cubic"}, "cubic_coeff_a": {"mode": "cubic"},
    "nearest_mode": {"mode": "nearest"}, "output_padding": {"strides": [2, 2]},
    "count_include_pad": {"pads": [1, 1, 1, 1]},
    "ceil_mode": {"strides": [2, 2], "kernel_shape": [3, 3]},
}


def schema_attributes() -> list[tuple[str, str]]:
    return [(op, name) for op in CASES for name in attributes_of(op)]


def values(op: str, name: str, opset: int | None = None) -> list[Any]:
    kind, default = attributes_of(op, opset)[name]
    if name == "sorted":
        return [-1, 2]  # 0 leaves the order open, so there is nothing to compare
    if kind == "STRING":
        return STRINGS[name]
    if kind in ("INTS", "FLOATS", "STRINGS"):
        return LISTS[name]
    if kind == "TENSOR":
        return [onnx.numpy_helper.from_array(np.int64([7])),
                onnx.numpy_helper.from_array(np.float32([0.5]))]
    if kind == "GRAPH":
        return [branch(np.float32([1, 2]))]
    if kind == "FLOAT":
        return [(default or 0) + 0.25, (default or 0) + 1.5]
    return [v for v in NUMBERS.get(name, [0, 1, 2, -1]) if v != default]


def by_onnxruntime(path: Path, case: Case) -> list[np.ndarray] | None:
    """The outputs; none if it lacks a kernel; or None if it refuses the model or dies of it."""
    return goldens.kept(["onnxruntime"], path.read_bytes(), {"x": case.x}, "unoptimized",
                        lambda: _in_child(path, case))


def _in_child(path: Path, case: Case) -> list[np.ndarray] | None:
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        faulthandler.disable()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what is wrong with a model is no news
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = onnxruntime.InferenceSession(str(path), options,
                                                   providers=["CPUExecutionProvider"])
        except NoKernel:
            theirs.send([])
            return
        theirs.send(session.run(None, {i.name: case.x for i in session.get_inputs()}))

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None
    finally:
        child.join()


def by_definition(path: Path, case: Case) -> list[np.ndarray] | None:
    """The outputs by onnx's evaluator, which runs what ONNX Runtime has no kernel for; None if it
    refuses the model, too."""
    return goldens.kept(["onnx"], path.read_bytes(), {"x": case.x}, "evaluator",
                        lambda: _evaluated(path, case))


def _evaluated(path: Path, case: Case) -> list[np.ndarray] | None:
    try:
        model = onnx.shape_inference.infer_shapes(onnx.load(path))  # an output must have a type
        onnx.checker.check_model(model, full_check=True)
        return ReferenceEvaluator(model).run(None, {
            i.name: case.x for i in model.graph.input})
    except Exception:  # whatever it raises
        return None


def outcome(path: Path, case: Case) -> Outcome:
    """What becomes of a model."""
    wanted = by_onnxruntime(path, case)
    if wanted == []:
        wanted = by_definition(path, case)
    if wanted is None:
        return Outcome(INVALID)
    try:
        graph = importers.load("onnx", path)
    except UnsupportedOps as e:
        return Outcome(REFUSED, tuple((op.op, op.reason) for op in e.ops))
    got = reference.run(graph, {name: case.x for name in graph.inputs})
    for name, want in zip(graph.outputs, wanted):
        want = want.astype(np.float32) if want.dtype == np.float64 else want
        wrong = difference(got[name], want, 1e-4, 1e-5)
        if wrong:
            return Outcome(f"'{name}': {wrong}")
    return Outcome(SAME)


def rows() -> Iterator[Row]:
    """The cases as they are, and in every opset in which their definition changed."""
    old = [(op, case) for op, case in cases() if case.opset != CASES[op].opset]
    for op, case in (*CASES.items(), *old):
        yield _row(op, case, case.attrs)
        for name in attributes_of(op, case.opset):
            for value in values(op, name, case.opset):
                yield _row(op, case, case.attrs | TOGETHER.get(name, {}) | {name: value})


def _row(op: str, case: Case, attrs: dict[str, Any]) -> Row:
    def run() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            return outcome(save(Path(folder) / "m.onnx", op, case, attrs), case)

    return Row(op, f"{op}-{case.opset} {attrs}", run)
