"""The grid of TensorFlow: every operator, and nothing that converts to another result.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow")

from mace_tools.importers.tensorflow import registry  # noqa: E402
from mace_tools.testing.grid import INVALID, REFUSED, SAME, rows_of  # noqa: E402

# Constants, variables (of which SavedModels are tested) and an operator that no file has by this
# name.
WITHOUT_CASE = {"Const", "ReadVariableOp", "ResourceGather", "Stack"}
# TensorFlow itself runs this one only in graphs of before its version 1.0; NumPy judges it.
NEVER_RUN = {"BatchNormWithGlobalNormalization", "Bitcast"}


def test_the_grid():
    wrong, same = {}, set()
    for row in rows_of("tensorflow"):
        kind = row.run().kind
        if kind == SAME:
            same.add(row.op)
        elif kind not in (REFUSED, INVALID):
            wrong[row.name] = kind
    assert not wrong
    assert set(registry.supported()) - WITHOUT_CASE - NEVER_RUN <= same
    assert len(same) >= 130
