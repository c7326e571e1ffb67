"""Every field of every layer that converts: its result is OpenCV's or NumPy's, or it is refused.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace

import pytest

from mace_tools.convert import importers
from mace_tools.convert.importers.caffe import registry
from mace_tools.convert.importers.caffe.layer import own_fields
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.caffe_cases import CASES, save
from mace_tools.testing.caffe_grid import fields, outcome, varied
from mace_tools.testing.grid import INVALID, REFUSED, SAME


@pytest.mark.parametrize("kind", registry.supported())
def test_fields_of_other_layers_are_refused(tmp_path, kind):
    case = CASES[kind][0]
    path = save(tmp_path, kind, case)
    importers.load("caffe", path)
    other = "threshold_param" if own_fields(kind) != "threshold_param" else "elu_param"
    surprise = f"{other} {{ {'threshold' if other[0] == 't' else 'alpha'}: 3 }}"
    text = path.read_text()
    place = text.rindex("}")
    path.write_text(f"{text[:place]}  {surprise}\n}}\n")
    with pytest.raises(UnsupportedOps, match=f"does not know its attribute {other}"):
        importers.load("caffe", path)


@pytest.mark.parametrize("kind, name", fields())
def test_field(tmp_path, kind, name):
    outcomes = {s: outcome(tmp_path, kind, replace(CASES[kind][0], settings=s)).kind
                for s in varied(kind, name)}
    assert set(outcomes.values()) <= {SAME, REFUSED, INVALID}, outcomes
