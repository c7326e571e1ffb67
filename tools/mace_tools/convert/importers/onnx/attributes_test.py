"""Every attribute of every ONNX operator that converts: its result is ONNX Runtime's, or refused.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.convert import importers
from mace_tools.convert.importers.onnx import registry
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.grid import INVALID, REFUSED, SAME
from mace_tools.testing.onnx_cases import CASES, OF_SEQUENCES, save
from mace_tools.testing.onnx_grid import TOGETHER, outcome, schema_attributes, values


def test_every_operator_has_a_case():
    assert set(CASES) | OF_SEQUENCES == set(registry.supported())


@pytest.mark.parametrize("op", CASES)
def test_a_plain_node_converts_and_an_unknown_attribute_is_refused(tmp_path, op):
    case = CASES[op]
    assert outcome(save(tmp_path / "m.onnx", op, case), case).kind == SAME
    path = save(tmp_path / "m.onnx", op, case, case.attrs | {"surprise": 3})
    with pytest.raises(UnsupportedOps) as e:
        importers.load("onnx", path)
    assert "does not know its attribute surprise = 3" in str(e.value)
    assert [(o.op, len(o.nodes)) for o in e.value.ops] == [(op, 1)]


@pytest.mark.parametrize("op, name", schema_attributes())
def test_attribute(tmp_path, op, name):
    case, outcomes = CASES[op], {}
    for value in values(op, name):
        attrs = case.attrs | TOGETHER.get(name, {}) | {name: value}
        outcomes[str(value)] = outcome(save(tmp_path / "m.onnx", op, case, attrs), case).kind
    assert set(outcomes.values()) <= {SAME, REFUSED, INVALID}, outcomes
