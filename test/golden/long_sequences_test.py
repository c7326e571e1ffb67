"""Recurrent layers that multiply the inputs of some steps at a time, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import re
import subprocess

import numpy as np
import onnx
import pytest
from golden import Run, mace_run, relative_error, run_all
from onnx import helper, numpy_helper

from mace_tools.convert import importers
from mace_tools.convert.emit import write_model
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.by_onnxruntime import Session

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
INPUTS, HIDDEN, STEPS = 5, 96, 1201
WAYS = ("forward", "reverse", "bidirectional")
# The layer, its direction, sequences, and whether these have lengths of their own.
CASES = [(op, way, batch, lens) for op, way, batch, lens in
         itertools.product(GATES, WAYS, (1, 3), (False, True))]


def weights(op, way, batch, lens):
    rng, d, rows = np.random.default_rng(3), 1 + (way == "bidirectional"), GATES[op] * HIDDEN
    found = {"w": (d, rows, INPUTS), "r": (d, rows, HIDDEN), "b": (d, 2 * rows)}
    found = {n: rng.uniform(-0.1, 0.1, s).astype(np.float32) for n, s in found.items()}
    if lens:
        found["lens"] = np.int32([STEPS - 171 * i for i in range(batch)][::-1])
    return found


def model(op, way, x, constants, batch_first):
    names = ["x", "w", "r", "b", *(["lens"] if "lens" in constants else [])]
    more = {"layout": 1} if batch_first else {}
    outputs = ["y", "y_h", *(["y_c"] if op == "LSTM" else [])]
    node = helper.make_node(op, names, outputs, "cell", hidden_size=HIDDEN, direction=way, **more)
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", 1, x.shape)],
        [onnx.ValueInfoProto(name=o) for o in outputs],
        [numpy_helper.from_array(a, n) for n, a in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def by_onnxruntime(made, x):
    found = Session(made.SerializeToString()).run(None, {"x": x})
    return dict(zip((o.name for o in made.graph.output), found))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """For each case and for both orders of axes: our run, and what is right."""
    folder, runs, wanted = tmp_path_factory.mktemp("long"), [], []
    for k, (op, way, batch, lens) in enumerate(CASES):
        x = np.random.default_rng(k).uniform(-1, 1, (STEPS, batch, INPUTS)).astype(np.float32)
        constants = weights(op, way, batch, lens)
        want = by_onnxruntime(model(op, way, x, constants, False), x)
        for batch_first in (False, True):
            fed = np.ascontiguousarray(x.swapaxes(0, 1)) if batch_first else x
            path = folder / f"{k}{batch_first}.onnx"
            onnx.save(model(op, way, fed, constants, batch_first), path)
            runs.append(Run(f"{k} {batch_first}", convert(importers.load("onnx", path)),
                            {"x": fed}))
            wanted.append({n: a if not batch_first else a.transpose(2, 0, 1, 3) if n == "y"
                           else a.swapaxes(0, 1) for n, a in want.items()})
    run_all(runs, folder / "runs", ["--num_threads=2"])
    return list(zip(runs, wanted))


@pytest.mark.parametrize("k", range(2 * len(CASES)),
                         ids=lambda k: f"{CASES[k // 2]}{'-batch_first' * (k % 2)}")
def test_every_step_is_onnx_runtimes(k, results):
    run, want = results[k]
    assert not run.error, run.error
    for name, array in want.items():
        assert relative_error(run.outputs[name], array) < 1e-5, name


def test_the_memory_does_not_grow_with_the_sequence(tmp_path):
    """But for x and y, which are the caller's."""
    arenas = []
    for steps in (STEPS, 4 * STEPS):
        x = np.zeros((steps, 1, INPUTS), np.float32)
        path, pb, data = (tmp_path / f"{steps}.{end}" for end in ("onnx", "pb", "data"))
        onnx.save(model("LSTM", "forward", x, weights("LSTM", "forward", 1, False), False), path)
        write_model(convert(importers.load("onnx", path)), pb, data)
        text = subprocess.run([mace_run(), f"--model_file={pb}", f"--model_data_file={data}",
                               "--dump=memory"], capture_output=True, text=True, check=True).stdout
        arenas.append(int(re.search(r"^arena: head (\d+)", text, re.MULTILINE)[1]))
    assert 0 < arenas[1] < 1.1 * arenas[0], arenas
