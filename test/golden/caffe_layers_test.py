"""Every layer that the Caffe importer converts, run by the engine, against OpenCV or NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from golden import Arrays, Run, import_model, run_all

from mace_tools.convert import importers
from mace_tools.testing.caffe_cases import CASES, Case, expected, save

TOLERANCE = 1e-5
ALL = [(kind, k) for kind in CASES for k in range(len(CASES[kind]))]


@dataclass
class Done:
    case: Case
    run: Run
    want: list[np.ndarray] = field(default_factory=list)


def prepared(folder, kind: str, case: Case) -> Done:
    folder.mkdir()
    path, feeds = save(folder, kind, case), case.values()
    tops = [f"y{k}" for k in range(case.tops)]
    graph = import_model("caffe", path, feeds, tops)
    given: Arrays = {name: a for name, a in feeds.items() if name in graph.inputs}
    return Done(case, Run(kind, graph, given), expected(path, case, feeds))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """All cases, run by one process."""
    folder = tmp_path_factory.mktemp("layers")
    found = {(kind, k): prepared(folder / f"{kind}{k}", kind, CASES[kind][k]) for kind, k in ALL}
    run_all([d.run for d in found.values()], folder / "runs")
    return found


@pytest.mark.parametrize("kind, k", ALL)
def test_a_layer(done, kind, k):
    one = done[kind, k]
    assert not one.run.error, one.run.error
    tops = [one.run.outputs[f"y{i}"] for i in range(one.case.tops)]
    assert len(one.want) >= len(tops)  # OpenCV also has the places of largest elements
    for got, want in zip(tops, one.want):
        assert got.shape == want.shape, one.case.settings
        scale = max(np.abs(want).max(initial=0), 1)
        assert np.abs(got - want).max(initial=0) <= TOLERANCE * scale, one.case.settings


def test_every_layer_has_a_case():
    assert set(CASES) == set(importers.supported("caffe"))
