"""Inference executes no more x86-64 instructions than when its budget was stored.

SPDX-License-Identifier: Apache-2.0

If a count goes down, or up for a good reason, `python test/instructions/instructions_test.py`
stores the new counts; run it in the environment of the tests.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]

import callgrind  # noqa: E402
import small_networks  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402
from mace_tools.run import runner  # noqa: E402
from mace_tools.support.console import Console  # noqa: E402
from mace_tools.testing.needed import need_tools  # noqa: E402

pytestmark = pytest.mark.deep
BUDGET = HERE / "budget.json"
SLACK = 1.03  # another patch level of the compiler may change some instructions


def counts(folder: Path) -> dict[str, dict[str, int]]:
    given = os.environ.get("MACE_RUN")
    mace_run = runner.find(Console(), Path(given) if given else None)
    found = {}
    for name, make in small_networks.NETWORKS.items():
        write_model(make(), folder / f"{name}.pb", folder / f"{name}.data")
        found[name] = callgrind.count(mace_run, folder / name)
    # Algorithms that are not chosen by default.
    for name in ("residual", "quantized"):
        found[f"{name}, direct"] = callgrind.count(mace_run, folder / name, ("--winograd=0",))
    return found


def test_inference_keeps_to_its_budget(tmp_path: Path) -> None:
    need_tools("valgrind")
    budget = json.loads(BUDGET.read_text())
    found = counts(tmp_path)
    assert set(found) == set(budget)
    over = {f"{name}, {what}": f"{n} instead of {budget[name][what]}"
            for name, phases in found.items() for what, n in phases.items()
            if n > SLACK * budget[name][what]}
    assert not over
    # A microsecond is 2000 instructions or more on the CPUs that this count is for.
    assert found["dispatch"]["run"] < 1000 * small_networks.DISPATCHED
    # Winograd is chosen, and pays.
    assert found["residual"]["run"] < 0.6 * found["residual, direct"]["run"]
    assert found["quantized"]["run"] < 0.8 * found["quantized, direct"]["run"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        BUDGET.write_text(json.dumps(counts(Path(scratch)), indent=1) + "\n")
