"""The engine and the NumPy reference agree on random graphs, before and after passes.

SPDX-License-Identifier: Apache-2.0

MACE_RANDOM_GRAPHS says how many are tried (default 60).
"""

import random

import numpy as np
import pytest
from golden import Run, run_all

from mace_tools.convert import reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.convert.passes.random_graphs_test import COUNT, Maker

TOLERANCE = 1e-4


def make_run(seed: int, converted: bool) -> tuple[Run, dict[str, np.ndarray]]:
    """A graph with its inputs, and the outputs of the NumPy reference."""
    graph = Maker(seed).make(random.Random(seed).randint(3, 14)).graph
    graph.prune()
    rng = np.random.default_rng(seed)
    feeds = {n: rng.normal(size=graph.shape(n)).astype(np.float32) for n in graph.inputs}
    want = reference.run(graph, feeds)
    return Run(str(seed), convert(graph) if converted else graph, feeds), want


@pytest.fixture(scope="module", params=["as written", "converted"])
def results(request, tmp_path_factory) -> list[tuple[Run, dict[str, np.ndarray]]]:
    made = [make_run(seed, request.param == "converted") for seed in range(COUNT)]
    run_all([run for run, _ in made], tmp_path_factory.mktemp("runs"))
    return made


@pytest.mark.parametrize("seed", range(COUNT))
def test_engine_and_twin_agree(seed, results):
    run, want = results[seed]
    assert not run.error, run.error
    for name, value in want.items():
        scale = max(np.abs(value).max(initial=0), 1)
        np.testing.assert_allclose(run.outputs[name], value, TOLERANCE, TOLERANCE * scale,
                                   err_msg=name)
