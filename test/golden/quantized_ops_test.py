"""Every operator that computes on quantized values, on models of its own: equal to LiteRT's
reference kernels in every value, or to the definition where these differ from it.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from golden import Run, run_all, try_import

from mace_tools.testing.by_litert import REFERENCE, litert
from mace_tools.testing.quantized_definition import fully_connected
from mace_tools.testing.quantized_grid import CASES
from mace_tools.testing.tflite_file import Maker

IN_FLOATS = ("LOG_SOFTMAX",)  # between quantized tensors: no quantized kernel


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
def test_every_value_is_the_one_of_the_reference(k, grid):
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


def test_results_that_are_rounded_twice(grid, tmp_path):
    """As models of earlier converters ask for, and the setting."""
    cases = [(c, run) for c, (run, _) in zip(CASES, grid) if c.op == "FULLY_CONNECTED"]
    twice = [Run(run.name, run.graph, run.feeds) for _, run in cases]
    run_all(twice, tmp_path, ["--fc_rounding=twice"])
    for (case, _), run in zip(cases, twice):
        x, w, b = case.operands
        want = fully_connected(x, w, b.data, case.out[0], case.fields)
        np.testing.assert_array_equal(run.outputs["y0"], want)


def test_the_two_roundings_differ(tmp_path):
    """In some of 40,000 results, all of which are LiteRT's when rounded once."""
    d, m = np.random.default_rng(7), Maker()
    x = d.integers(-128, 128, (400, 64)).astype(np.int8)
    w = d.integers(-127, 128, (100, 64)).astype(np.int8)
    b = d.integers(-20000, 20000, 100).astype(np.int32)
    scales = np.float32(d.uniform(0.002, 0.02, 100))
    m.tensor("x", x.shape, "int8", None, 0.037, 3)
    m.tensor("w", w.shape, "int8", w, scales, np.zeros(100, np.int64))
    m.tensor("b", b.shape, "int32", b, np.float32(0.037) * scales, np.zeros(100, np.int64))
    m.tensor("y", (400, 100), "int8", None, 0.31, -5)
    m.op("FULLY_CONNECTED", ["x", "w", "b"], ["y"], "FullyConnectedOptions")
    path = m.save(tmp_path, ["x"], ["y"])
    graph = try_import("tflite", path, {"x": x}, ["y"])
    once, twice = Run("once", graph, {"x": x}), Run("twice", graph, {"x": x})
    run_all([once], tmp_path / "once")
    run_all([twice], tmp_path / "twice", ["--fc_rounding=twice"])
    want = litert(path.read_bytes(), {"x": x}, REFERENCE)[0]
    np.testing.assert_array_equal(once.outputs["y"], want)
    apart = np.abs(twice.outputs["y"].astype(int) - want)
    assert apart.max() == 1 and 5 < apart.sum() < 400


@pytest.mark.parametrize("k", range(len(CASES)), ids=lambda k: str(CASES[k]))
def test_nothing_is_computed_in_floats(k, grid):
    run = grid[k][0]
    assert isinstance(run, Run), run
    if CASES[k].op in IN_FLOATS:
        assert [note for note in run.graph.notes if "computed in float32" in note]
        return
    assert not [note for note in run.graph.notes if "computed in float32" in note]
