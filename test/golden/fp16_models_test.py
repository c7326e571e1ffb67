"""A case of each model of models_test.py with weights stored as fp16, with which this CPU computes
in fp16 if it can.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from models_test import CASES, make_run, run_cases, wanted_and_got

pytestmark = pytest.mark.full
# The least cosine similarity to the stored outputs, as `run --validate` demands it.
SIMILARITY = 0.995
ONE_EACH = {name: CASES[name] for name in
            {case.model: name for name, case in reversed(CASES.items())}.values()}


@pytest.fixture(scope="module", params=["f16", "bf16"])
def results(request, tmp_path_factory):
    """The results of run_cases."""
    runs = {name: make_run(name, case) for name, case in ONE_EACH.items()}
    found, _ = run_cases(runs, tmp_path_factory.mktemp("models"), [], request.param)
    return found


@pytest.mark.parametrize("name", ONE_EACH)
def test_outputs_are_near_those_stored(name, results):
    outputs, error, _ = results[name]
    assert not error, error
    for output, want, got in wanted_and_got(CASES[name], outputs):
        assert got.shape == want.shape
        a, b = got.astype(np.float64).ravel(), want.astype(np.float64).ravel()
        similarity = a @ b / max(np.linalg.norm(a) * np.linalg.norm(b), 1e-30)
        assert similarity >= SIMILARITY, f"'{output}': similarity {similarity:.6f}"
