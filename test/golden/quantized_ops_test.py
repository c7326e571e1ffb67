"""Every operator that computes in codes, on models of its own: equal to LiteRT's reference kernels
in every code, or to the definition where these differ from it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import pytest
from golden import Run, run_all, try_import

from mace_tools.testing.by_litert import REFERENCE, litert
from mace_tools.testing.quantized_grid import CASES

IN_FLOATS = ("LOG_SOFTMAX",)  # with codes before and after: the engine has no kernel for codes


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """For each case our run and LiteRT's result."""
    folder = tmp_path_factory.mktemp("grid")
    runs, wanted = [], []
    for k, case in enumerate(CASES):
        m, feeds, outputs = case.model()
        (folder / f"in{k}").mkdir()
        path = m.save(folder / f"in{k}", list(feeds), outputs)
        graph = try_import("tflite", path, feeds, outputs)
        run = Run(f"case{k}", graph, feeds) if not isinstance(graph, str) else None
        runs.append(graph if run is None else run)
        wanted.append(litert(path.read_bytes(), feeds, REFERENCE))
    run_all([r for r in runs if isinstance(r, Run)], folder, ["--guard", "--num_threads=2"])
    return list(zip(runs, wanted))


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
    want = want[0]
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
