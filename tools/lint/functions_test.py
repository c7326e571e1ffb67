"""No function of the tree is too long, and that the check can fail.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from lint.functions import MAX_LINES, long_functions
from lint.tree import ROOT


def test_no_function_is_too_long():
    found = long_functions(ROOT)
    assert not found, "\n".join(found)


CPP = "namespace mace {{\nint F(int x) {{\n{body}}}\n}}\n"
PYTHON = "def f(x):\n{body}"


@pytest.mark.parametrize(("path", "text", "line", "around"), [
    ("mace/ops/a.cc", CPP, "  x += 1;\n", 2),
    ("mace/ops/a.h", CPP, "  x += 1;\n", 2),
    ("tools/a.py", PYTHON, "    x += 1\n", 1),
])
def test_lengths_are_counted(tmp_path, path, text, line, around):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text.format(body=line * (MAX_LINES - around)))
    assert long_functions(tmp_path) == []
    file.write_text(text.format(body=line * (MAX_LINES - around + 1)))
    assert len(long_functions(tmp_path)) == 1


@pytest.mark.parametrize("path", ["mace/cpu/ukernels/gemm/k.cc", "mace/ops/a_test.cc"])
def test_tests_and_micro_kernels_may_be_long(tmp_path, path):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(CPP.format(body="  x += 1;\n" * 100))
    assert long_functions(tmp_path) == []
