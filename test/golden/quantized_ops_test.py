"""Every operator that computes in codes, on models of its own: equal to LiteRT's reference kernels
in every code, or to the definition where these differ from it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import pickle
import tempfile

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from golden import Run, run_all, try_import

from mace_tools.testing.quantized_grid import CASES

IN_FLOATS = ("LOG_SOFTMAX",)  # with codes before and after: the engine has no kernel for codes


def reference(models):
    """What LiteRT's reference kernels compute, or why they do not: [(model, feeds)].

    In processes of their own, which LiteRT ends for some models that it cannot run."""
    results = []
    for model, feeds in models:
        with tempfile.TemporaryFile() as file:
            child = os.fork()
            if child == 0:
                try:
                    pickle.dump(_in_child(model, feeds), file)
                except Exception as e:
                    pickle.dump(str(e), file)
                file.flush()
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            file.seek(0)
            results.append(pickle.load(file) if status == 0 else f"it ended with {status}")
    return results


def _in_child(model, feeds):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    run = Interpreter(model_content=model, num_threads=1,
                      experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    run.allocate_tensors()
    places = {d["name"]: d["index"] for d in run.get_input_details()}
    for name, array in feeds.items():
        run.set_tensor(places[name], array)
    run.invoke()
    return run.get_tensor(run.get_output_details()[0]["index"])


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """For each case our run and LiteRT's result."""
    folder = tmp_path_factory.mktemp("grid")
    runs, models = [], []
    for k, case in enumerate(CASES):
        m, feeds, outputs = case.model()
        (folder / f"in{k}").mkdir()
        path = m.save(folder / f"in{k}", list(feeds), outputs)
        graph = try_import("tflite", path, feeds, outputs)
        run = Run(f"case{k}", graph, feeds) if not isinstance(graph, str) else None
        runs.append(graph if run is None else run)
        models.append((path.read_bytes(), feeds))
    run_all([r for r in runs if isinstance(r, Run)], folder, ["--guard", "--num_threads=2"])
    return list(zip(runs, reference(models)))


@pytest.mark.parametrize("k", range(len(CASES)), ids=lambda k: str(CASES[k]))
def test_every_code_is_the_one_of_the_reference(k, grid):
    case, (run, want) = CASES[k], grid[k]
    assert isinstance(run, Run), run
    assert not run.error, run.error
    got = run.outputs["y0"]
    if case.define is not None:
        np.testing.assert_array_equal(got, case.define(case))
    if not case.judged:
        return
    assert not isinstance(want, str), want
    assert got.dtype == want.dtype and got.shape == want.shape
    if case.most == 0:
        np.testing.assert_array_equal(got, want)
    assert np.abs(got.astype(np.float64) - want).max(initial=0) <= case.most


@pytest.mark.parametrize("k", range(len(CASES)), ids=lambda k: str(CASES[k]))
def test_nothing_is_computed_in_floats(k, grid):
    run = grid[k][0]
    assert isinstance(run, Run), run
    if CASES[k].op in IN_FLOATS:
        assert [note for note in run.graph.notes if "computed in floats" in note]
        return
    assert not [note for note in run.graph.notes if "computed in floats" in note]
