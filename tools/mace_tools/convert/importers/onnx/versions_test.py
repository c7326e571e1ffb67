"""Each operator in every opset from 7 on in which its definition changed: the result is the same.

SPDX-License-Identifier: Apache-2.0

`python -m mace_tools.testing.run_grids` also varies the attributes of each of these definitions.
"""

import numpy as np
import onnx
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.importers.onnx.opsets import NEWEST
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.grid import REFUSED, SAME, Outcome
from mace_tools.testing.onnx_cases import CASES, Case, save
from mace_tools.testing.onnx_file import model, node
from mace_tools.testing.onnx_grid import outcome
from mace_tools.testing.onnx_versions import FIRST, OF_OPTIONALS, at, cases, versions

# Neither ONNX Runtime nor onnx's evaluator has these.
WITHOUT_JUDGE = {("GlobalLpPool", 22), ("Range", 27)}
# Definitions without a case, and those that the importer refuses, with its reason.
WITHOUT_CASE = {(op, 15) for op in OF_OPTIONALS}
REFUSES = {("Scan", 8): "Scan of operator set 8"}


@pytest.mark.parametrize("op", [op for op in CASES if versions(op)])
def test_a_definition(tmp_path, op):
    tried, wrong = set(), {}
    for other, case in cases():
        if other != op or (op, case.opset) in WITHOUT_JUDGE:
            continue
        found = outcome(save(tmp_path / "m.onnx", op, case), case)
        tried.add((op, case.opset))
        if (op, case.opset) in REFUSES:
            assert found == Outcome(REFUSED, ((op, REFUSES[op, case.opset]),))
        elif found.kind != SAME:
            wrong[case.opset, str(case.attrs)] = found
    assert not wrong
    assert tried | WITHOUT_JUDGE | WITHOUT_CASE >= {(op, opset) for opset in versions(op)}


@pytest.mark.parametrize("op", OF_OPTIONALS)
def test_an_optional_value_is_refused(tmp_path, op):
    nodes = [node("Optional", "x", "o"), node(op, "o", "y")]
    path = model(tmp_path / "m.onnx", nodes, {"x": (2,)}, ["y"], opset=15)
    with pytest.raises(UnsupportedOps) as e:
        importers.load("onnx", path)
    assert [o.op for o in e.value.ops] == ["Optional"]


def test_the_versions():
    assert versions("Squeeze")[:3] == [FIRST, 11, 13] and 21 in versions("Squeeze")
    assert versions("Upsample") == [FIRST, 9]  # obsolete from 10 on
    assert versions("Swish") == [24] and not versions("com.microsoft.Gelu")


def test_the_newest_version_is_known(tmp_path):
    """Renew NEWEST once the importers follow what a new version of onnx changes."""
    assert NEWEST[""] == onnx.defs.onnx_opset_version()
    path = model(tmp_path / "m.onnx", [node("Relu", "x", "y")], {"x": (2,)}, ["y"],
                 opset=NEWEST[""])
    assert importers.load("onnx", path).notes == []


def test_a_newer_version_is_warned_of(tmp_path):
    path = model(tmp_path / "m.onnx", [node("Relu", "x", "y")], {"x": (2,)}, ["y"],
                 opset=NEWEST[""] + 1)
    (note,) = importers.load("onnx", path).notes
    assert "version 29 of the operator set ai.onnx" in note and "opset_version=28" in note


def test_a_newer_version_of_a_function_or_another_domain_is_warned_of(tmp_path):
    relu = onnx.helper.make_node("Relu", ["a"], ["b"])
    inner = onnx.helper.make_function("mine", "F", ["a"], ["b"], [relu],
                                      [onnx.helper.make_opsetid("", NEWEST[""] + 2)])
    path = model(tmp_path / "m.onnx", [node("F", "x", "y", domain="mine")], {"x": (2,)}, ["y"])
    proto = onnx.load(path)
    proto.functions.append(inner)
    proto.opset_import.extend([onnx.helper.make_opsetid("mine", 5),
                               onnx.helper.make_opsetid("com.microsoft", 2)])
    onnx.save(proto, path)
    notes = importers.load("onnx", path).notes
    assert [n.split(",")[0] for n in notes] == [
        "it is of version 30 of the operator set ai.onnx",
        "it is of version 2 of the operator set com.microsoft"]


def test_a_range_of_halves_is_computed_in_float32(tmp_path):
    case = Case([np.float16(a) for a in (0, 3000, 1.5)], {"stash_type": 1}, opset=27)
    path = save(tmp_path / "m.onnx", "Range", case)
    got = reference.run(importers.load("onnx", path), {})["y0"]
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, np.arange(0, 3000, 1.5).astype(np.float16))
    case.attrs["stash_type"] = 10
    with pytest.raises(UnsupportedOps, match="stash_type"):
        importers.load("onnx", save(tmp_path / "m.onnx", "Range", case))


def test_operands_become_attributes():
    old = at("Clip", [c for op, c in cases() if op == "Clip" and len(c.operands) == 3][0], 7)
    assert old is not None and len(old.operands) == 1 and old.attrs == {"min": -0.5, "max": 0.5}
    pad = at("Pad", CASES["Pad"], 7)
    assert pad is not None and pad.attrs == {"pads": [0, 1, 0, 0, 0, 2]}
