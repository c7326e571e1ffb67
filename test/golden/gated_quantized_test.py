"""Activations of quantized values and what is computed of them and their inputs, as x * sigmoid(x),
against LiteRT's reference kernels, value by value: the CPU looks them up in one table.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
from itertools import product
from pathlib import Path

import numpy as np
from golden import Run, mace_run, run_all

from mace_tools.convert.emit import write_model
from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.by_litert import REFERENCE, litert
from mace_tools.testing.tflite_file import Maker

SHAPE = (1, 9, 7, 13)
TABLES = {"MUL": "MulOptions", "ADD": "AddOptions", "SUB": "SubOptions"}


def model(folder: Path, kind: str, gate: str, op: str, swapped: bool, seed: int,
          other: str = "x") -> Path:
    """gate(x) and `other`, in this order if `swapped`, as the operands of op; of random scales."""
    rng, m = np.random.default_rng(seed), Maker()
    zero = 0 if kind == "int8" else 128

    def draw() -> tuple[float, int]:
        return float(rng.uniform(0.01, 0.1)), int(rng.integers(-128, 128)) + zero

    unit = {"LOGISTIC": (1 / 256, zero - 128), "TANH": (1 / 128, zero)}
    m.tensor("x", SHAPE, kind, None, *draw())
    m.tensor("g", SHAPE, kind, None, *unit.get(gate, draw()))
    m.tensor("y", SHAPE, kind, None, *draw())
    if other != "x":
        m.tensor(other, SHAPE, kind, None, *draw())
    m.op(gate, ["x"], ["g"])
    m.op(op, ["g", other] if swapped else [other, "g"], ["y"], TABLES[op])
    folder.mkdir()
    return m.save(folder, sorted({"x", other}), ["y"])


def test_quantized_values_are_those_of_the_reference(tmp_path):
    runs, wanted = [], []
    cases = product(("int8", "uint8"), ("LOGISTIC", "TANH", "RELU"), TABLES, (False, True))
    for k, case in enumerate(cases):
        path = model(tmp_path / f"{k}", *case, seed=k)
        low = -128 if case[0] == "int8" else 0
        x = np.random.default_rng(k).integers(low, low + 256, SHAPE).astype(case[0])
        runs.append(Run(str(case), convert(load("tflite", path)), {"x": x}))
        wanted.append(litert(path.read_bytes(), {"x": x}, REFERENCE)[0])
    run_all(runs, tmp_path / "runs")
    for run, want in zip(runs, wanted):
        assert not run.error, f"{run.name}: {run.error}"
        np.testing.assert_array_equal(run.outputs["y"], want, run.name)
    assert sum(len(np.unique(want)) for want in wanted) > 50 * len(wanted)


def plan_of(folder: Path, path: Path) -> str:
    graph = folder / "model.pb"
    write_model(convert(load("tflite", path)), graph, graph.with_suffix(".data"))
    return subprocess.run(
        [mace_run(), "--model_file", graph, "--model_data_file", graph.with_suffix(".data"),
         "--dump=plan"], capture_output=True, text=True, check=True).stdout


def test_the_plan_says_that_they_are_one_step(tmp_path):
    plan = plan_of(tmp_path, model(tmp_path / "model", "int8", "LOGISTIC", "MUL", False, seed=1))
    assert "Activation+Eltwise 'y' (2 nodes) on CPU" in plan
    assert "lut_q8" in plan


def test_a_product_with_another_tensor_is_no_look_up(tmp_path):
    path = model(tmp_path / "model", "int8", "LOGISTIC", "MUL", False, seed=1, other="z")
    assert "Activation+Eltwise" not in plan_of(tmp_path, path)
