"""Each operator in every opset from 7 on in which its definition changed: the result is the same.

SPDX-License-Identifier: Apache-2.0

`python -m mace_tools.front_ends` also varies the attributes of each of these definitions.
"""

from __future__ import annotations

import pytest

from mace_tools.testing.grid import SAME
from mace_tools.testing.onnx_cases import CASES, save
from mace_tools.testing.onnx_grid import outcome
from mace_tools.testing.onnx_versions import FIRST, at, cases, versions

# Neither ONNX Runtime nor onnx's evaluator has these.
WITHOUT_JUDGE = {("GlobalLpPool", 22), ("Range", 27)}


@pytest.mark.parametrize("op", [op for op in CASES if versions(op)])
def test_a_definition(tmp_path, op):
    tried, wrong = set(), {}
    for other, case in cases():
        if other != op or (op, case.opset) in WITHOUT_JUDGE:
            continue
        found = outcome(save(tmp_path / "m.onnx", op, case), case)
        tried.add((op, case.opset))
        if found.kind != SAME:
            wrong[case.opset, str(case.attrs)] = found
    assert not wrong
    assert tried | WITHOUT_JUDGE >= {(op, opset) for opset in versions(op)}


def test_the_versions():
    assert versions("Squeeze")[:3] == [FIRST, 11, 13] and 21 in versions("Squeeze")
    assert versions("Upsample") == [FIRST, 9]  # obsolete from 10 on
    assert versions("Swish") == [24] and not versions("com.microsoft.Gelu")


def test_operands_become_attributes():
    old = at("Clip", [c for op, c in cases() if op == "Clip" and len(c.operands) == 3][0], 7)
    assert old is not None and len(old.operands) == 1 and old.attrs == {"min": -0.5, "max": 0.5}
    pad = at("Pad", CASES["Pad"], 7)
    assert pad is not None and pad.attrs == {"pads": [0, 1, 0, 0, 0, 2]}
