"""The work of creating an engine grows with the number of nodes, not with its square.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]

import callgrind  # noqa: E402
import large_graphs  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402
from mace_tools.run import runner  # noqa: E402
from mace_tools.support.console import Console  # noqa: E402
from mace_tools.testing.needed import need_tools  # noqa: E402

pytestmark = pytest.mark.deep
SIZES = (250, 1000, 4000)
# Of the work that the second and the third step of nodes add: 4 if it is linear, 16 and more if it
# is quadratic. Searches of the memory planner are cut off at a number of nodes.
MAX_RATIO = 8


@pytest.mark.parametrize("kind", large_graphs.KINDS)
def test_work_is_not_quadratic(kind: str, tmp_path: Path) -> None:
    need_tools("valgrind")
    given = os.environ.get("MACE_RUN")
    mace_run = runner.find(Console(), Path(given) if given else None)
    counts = []
    for size in SIZES:
        model = tmp_path / f"{kind}{size}"
        write_model(large_graphs.KINDS[kind](size), f"{model}.pb", f"{model}.data")
        counts.append(callgrind.count(mace_run, model)["start"])
    small, large = counts[1] - counts[0], counts[2] - counts[1]
    assert large < MAX_RATIO * small, counts
