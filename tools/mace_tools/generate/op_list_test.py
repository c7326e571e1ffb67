"""The list of ops is that of the files, whose heads say everything.

SPDX-License-Identifier: Apache-2.0
"""

import json

import pytest

from mace_tools.generate import op_list

OPS = json.loads(op_list.OPS_JSON.read_text())["ops"]


def test_the_list_is_the_folder():
    defined = {p for p in op_list.FOLDER.glob("*.cc") if not p.stem.endswith("_test")}
    assert {op_list.file_of(op["name"]) for op in OPS} == defined


@pytest.mark.parametrize("op", OPS, ids=lambda op: op["name"])
def test_the_head_says_everything(op):
    summary, schema = op_list.head_of(op_list.file_of(op["name"]))
    assert summary and summary.endswith(".")
    table, = (part for part in schema.split("\n\n") if part.startswith("Inputs"))
    words = [line.split()[0] for line in table.splitlines() if line[0] != " "]
    assert words == ["Inputs", "Outputs", "Attrs", "Errors", "Source"]
    missing = [a for a in op["attrs"] if a not in schema + summary and a not in ACTIVATION]
    assert not missing


ACTIVATION = {"activation", "max_limit", "activation_coefficient", "hardsigmoid_beta"}
