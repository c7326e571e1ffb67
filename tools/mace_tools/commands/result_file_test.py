"""Result files.

SPDX-License-Identifier: Apache-2.0
"""

import json
from pathlib import Path

import numpy as np
import pytest

from mace_tools.commands import result_file
from mace_tools.support.errors import MaceError


def test_json_holds_plain_values_only(tmp_path):
    report = {"a": np.float32(1.5), "b": float("nan"), "c": [np.int64(3), float("inf")],
              "d": Path("x/y"), "e": {"f": None, "g": True}, 1: ()}  # fmt: skip
    result_file.write_json(tmp_path / "r.json", report)
    assert json.loads((tmp_path / "r.json").read_text()) == {
        "a": 1.5, "b": None, "c": [3, None], "d": "x/y", "e": {"f": None, "g": True}, "1": []}


def test_latency_figures():
    s = result_file.latency_summary([4.0, 1.0, 2.0, 3.0, 100.0])
    assert s == {"runs": 5, "avg_ms": 22.0, "min_ms": 1.0, "max_ms": 100.0, "p50_ms": 3.0,
                 "p90_ms": 100.0}  # fmt: skip
    assert result_file.latency_summary([]) == {}


def test_where_a_file_cannot_go_is_reported_early(tmp_path):
    result_file.check_writable(tmp_path / "r.json", "--json")
    with pytest.raises(MaceError, match="is a folder; name a file in it"):
        result_file.check_writable(tmp_path, "--json")
    with pytest.raises(MaceError, match="--json=.*the folder .*none does not exist"):
        result_file.check_writable(tmp_path / "none" / "r.json", "--json")
