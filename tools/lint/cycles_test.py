"""The folders of mace/ include each other one way, and the check finds circles at any depth.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from lint import cycles
from lint.tree import ROOT


def test_the_tree_has_no_cycle():
    found = cycles.cycles(ROOT)
    assert not found, "\n".join(found)


# File -> what it includes.
BROKEN = {
    "mace/plan": {"mace/plan/plan.cc": "mace/plan/passes/fuse.h",
                  "mace/plan/passes/fuse.h": "mace/plan/plan.h"},
    "mace": {"mace/cpu/a.cc": "mace/plan/a.h", "mace/plan/b/b.cc": "mace/ops/a.h",
             "mace/ops/a.h": "mace/cpu/ops/a.h"},
    "mace/cpu/ukernels": {"mace/cpu/ukernels/gemm/a.h": "mace/cpu/ukernels/add/a.h",
                          "mace/cpu/ukernels/add/b.cc": "mace/cpu/ukernels/gemm/b.h"},
}
ONE_WAY = [
    {"mace/plan/a.cc": "mace/plan/b.h", "mace/plan/b.cc": "mace/plan/a.h"},  # of one folder
    {"mace/plan/a.cc": "mace/plan/b/b.h", "mace/plan/b/b.h": "mace/plan/c/c.h"},
    {"mace/plan/a.cc": "mace/plan/b/b.h", "mace/plan/b/b_test.cc": "mace/plan/a.h"},
    {"mace/plan/a.cc": "mace/plan/testing/b.h", "mace/plan/testing/b.h": "mace/plan/a.h"},
    {"mace/plan/a.cc": "mace/plan/b/b.h", "mace/plan/b/b.h": "vector"},
]


def write(root, includes):
    for path, header in includes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'// A file.\n#include "{header}"\n')


@pytest.mark.parametrize("folder", BROKEN)
def test_a_circle_is_found_with_its_includes(tmp_path, folder):
    write(tmp_path, BROKEN[folder])
    (found,) = cycles.cycles(tmp_path)
    assert found.startswith(f"{folder}: ")
    for path, header in BROKEN[folder].items():
        assert f"{path} includes {header}" in found


@pytest.mark.parametrize("includes", ONE_WAY)
def test_one_way_is_silent(tmp_path, includes):
    write(tmp_path, includes)
    assert cycles.cycles(tmp_path) == []
