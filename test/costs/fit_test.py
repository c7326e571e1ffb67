"""The fit finds known costs, and reports the time lost by wrong choices."""

# SPDX-License-Identifier: Apache-2.0
import fit
import numpy as np


def test_finds_known_costs() -> None:
    random = np.random.default_rng(1)
    work = random.uniform(1, 100, (50, 4))
    costs = np.array([1.1, 1.5, 0, 2.0])
    cost = work @ costs * random.uniform(0.98, 1.02, 50)
    np.testing.assert_allclose(fit.fit(work, cost), costs, atol=0.05)


def test_regret_is_of_the_choice() -> None:
    rows = [{"layer": "a", "cost": "10"}, {"layer": "a", "cost": "8"}, {"layer": "b", "cost": "5"}]
    assert fit.regrets(rows, np.array([9.0, 9.5, 5.0])) == [0.25, 0.0]
