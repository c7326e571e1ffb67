"""Elementwise ONNX operators with a constant between DequantizeLinear and QuantizeLinear: within a
step of ONNX Runtime, whatever the constant and the scales are.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, import_model, run_all
from onnx import helper, numpy_helper
from onnx_quantized_test import by_onnxruntime

SCALE = np.float32(0.06)
X = np.random.default_rng(5).normal(0, 2, (1, 4, 8)).astype(np.float32)
CHANNELS = np.random.default_rng(6).uniform(0.2, 2, 8).astype(np.float32)
# Operator, constant, and whether the constant is the first operand.
USES = [*itertools.product(("Mul", "Div"), (0.5, 2.0, 1.0, 0.35355338, -1.0, CHANNELS), (False,)),
        *itertools.product(("Add", "Sub"), (0.0, 0.7, -0.7), (False, True)), ("Mul", 0.5, True),
        ("Pow", 1.0, False)]
# What is transposed: nothing, the operand, or the result.
TRANSPOSED = ("", "before", "behind")


def save(path: Path, op: str, constant: object, first: bool, transposed: str, scale: float,
         zero: np.ndarray) -> Path:
    constants = {"s": SCALE, "z": zero, "c": np.float32(constant), "t": np.float32(scale)}
    if transposed == "before" and constants["c"].ndim:
        constants["c"] = constants["c"].reshape(8, 1)
    nodes = [("QuantizeLinear", "x s z", "q", {}), ("DequantizeLinear", "q s z", "r", {})]
    x = "r"
    if transposed == "before":
        nodes.append(("Transpose", "r", "turned", {"perm": [0, 2, 1]}))
        x = "turned"
    nodes.append((op, f"c {x}" if first else f"{x} c", "e", {}))
    if transposed == "behind":
        nodes.append(("Transpose", "e", "turned", {"perm": [0, 2, 1]}))
    nodes += [("QuantizeLinear", f"{'turned' if transposed == 'behind' else 'e'} t z", "p", {}),
              ("DequantizeLinear", "p t z", "y", {})]
    graph = helper.make_graph(
        [helper.make_node(o, i.split(), [y], **attrs) for o, i, y, attrs in nodes], "constant",
        [helper.make_tensor_value_info("x", 1, X.shape)], [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                ir_version=8), path)
    return path


@pytest.mark.parametrize("zero", [np.uint8(130), np.int8(3), np.int8(-128)], ids=repr)
def test_a_constant_keeps_its_meaning(tmp_path, zero):
    runs, wanted, scales = [], {}, []
    for op, constant, first in USES:
        factor = np.max(np.abs(constant))
        factor = factor if op == "Mul" else 1 / factor if op == "Div" else 1
        for transposed, scale in itertools.product(TRANSPOSED, (SCALE, SCALE * factor, 0.05)):
            name = f"{op} {constant} {first} {transposed} {scale}"
            path = save(tmp_path / f"{len(runs)}.onnx", op, constant, first, transposed, scale,
                        zero)
            feeds = {"x": np.abs(X) if op == "Pow" else X}
            wanted[name] = by_onnxruntime(path, feeds)["y"] / np.float32(scale)
            runs.append(Run(name, import_model("onnx", path, feeds, None), feeds))
            scales.append(np.float32(scale))
    run_all(runs, tmp_path)
    assert {run.name: run.error for run in runs if run.error} == {}
    off = {run.name: np.abs(run.outputs["y"] / scale - wanted[run.name]).max()
           for run, scale in zip(runs, scales)}
    assert {name: steps for name, steps in off.items() if steps > 1.01} == {}
