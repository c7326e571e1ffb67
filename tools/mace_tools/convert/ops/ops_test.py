"""Every op of the engine has its file here, and every file is one of an op.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import sys
from pathlib import Path

import pytest

from mace_tools.convert import ops
from mace_tools.graph.op_schema import all_ops


def test_the_files_are_the_ops():
    files = {path.stem for path in Path(ops.__file__).parent.glob("*.py")
             if path.stem != "__init__" and not path.stem.endswith("_test")}
    assert files == set(map(ops.file_name, all_ops()))


@pytest.mark.parametrize("op", all_ops())
def test_a_file_has_the_rule_of_its_op(op):
    module = ops.find(op)
    assert callable(module.infer) and not (hasattr(module, "evaluate") and hasattr(module, "run"))


def test_other_ops_have_none():
    assert ops.find("softmax") is None and ops.find("MyOwn") is None and ops.find("") is None


def test_an_op_is_loaded_when_it_is_needed():
    code = ("import sys; from mace_tools.convert import ops, reference, shape_inference; "
            "ops.find('Softmax'); print(*[m.rpartition('.')[2] for m in sys.modules])")
    loaded = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                            check=True, cwd=Path(ops.__file__).parents[3]).stdout.split()
    assert "softmax" in loaded and "eltwise" not in loaded
