"""The inputs of slices hold every file that Bazel's graph knows behind their tests.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from rings.affected import bazel_query
from rings.inputs import Matcher
from rings.runner import ROOT
from rings.slices import SLICES
from rings.steps import Bazel

PARTS = {(part.steps[0].targets, part.inputs): part.label for part in reversed(SLICES)
         if isinstance(part.steps[0], Bazel)}


@pytest.mark.full
@pytest.mark.parametrize(("targets", "inputs"), PARTS, ids=PARTS.values())
def test_inputs_hold_what_bazel_reads(targets, inputs):
    wanted = " + ".join(t for t in targets if not t.startswith("-"))
    left_out = "".join(f" - tests({t[1:]})" for t in targets if t.startswith("-"))
    labels = bazel_query(ROOT)(f'kind("source file", deps(tests({wanted}){left_out}))')
    read = {label[2:].replace(":", "/") for label in labels if label.startswith("//")}
    matches = Matcher(inputs)
    assert len(read) > 20
    assert not sorted(path for path in read if not matches(path) and path.startswith((
        "mace/", "test/", "tools/")))
