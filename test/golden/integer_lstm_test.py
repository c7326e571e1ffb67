"""TFLite's int8 LSTM with cells of int16 against LiteRT's reference kernels, value by value, over
runs that hand on the states.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
from golden import Run, run_all

from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.by_litert import runs_of_litert
from mace_tools.testing.integer_lstm import CASES, Lstm

ROUNDS = 3


def test_quantized_values_are_those_of_the_reference(tmp_path):
    runs, wanted = [], []
    for k, case in enumerate(CASES):
        folder = tmp_path / f"{k}"
        folder.mkdir()
        path, x = case.save(folder), case.feeds(1)[0]
        graph = convert(load("tflite", path))
        assert [node.op for node in graph.nodes if node.op != "Identity"] == ["QuantizedLstm"]
        runs.append(Run(str(case), graph, {"x": x}))
        wanted.append(runs_of_litert(path, [x] * ROUNDS, reference=True)[-1][0])
    for flags in ([], ["--num_threads=2"]):
        run_all(runs, tmp_path / f"runs{len(flags)}", [f"--round={ROUNDS}", *flags])
        quantized = set()
        for run, want in zip(runs, wanted):
            assert not run.error, f"{run.name}: {run.error}"
            np.testing.assert_array_equal(run.outputs["y"], want, run.name)
            quantized.update(want.reshape(-1).tolist())
        assert len(quantized) > 200


def test_three_runs_are_one_of_three_times_the_steps(tmp_path):
    case = Lstm(steps=3, seed=77)
    path, (x, *_) = case.save(tmp_path), case.feeds()
    whole = Lstm(steps=9, seed=77)
    folder = tmp_path / "whole"
    folder.mkdir()
    long_path = whole.save(folder)
    run = Run("three runs", convert(load("tflite", path)), {"x": x})
    run_all([run], tmp_path / "runs", ["--round=3"])
    assert not run.error, run.error
    want = runs_of_litert(long_path, [np.concatenate([x] * 3)], reference=True)[0][0]
    np.testing.assert_array_equal(run.outputs["y"], want[6:])
