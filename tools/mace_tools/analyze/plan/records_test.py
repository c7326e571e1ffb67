"""Reading records: what is understood, and what every wrong file is told.

SPDX-License-Identifier: Apache-2.0
"""

import json

import pytest

from mace_tools.analyze.plan import records
from mace_tools.analyze.plan.problem import Overlap, Saving
from mace_tools.support.errors import MaceError


def read_csv(folder, text):
    file = folder / "x.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return records.read(file)


def read_json(folder, value, name=None):
    file = folder / "x.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return records.read(file, name)


def report(problem):
    return [(r.name, r.size, r.first, r.last, r.align) for r in problem.records]


@pytest.mark.parametrize("text", [
    "id,lower,upper,size\nb,3,9,4\n",
    "buffer,start,upper,size\r\nb,3,9,4\r\n",
    "\ufeffid , lower, upper ,size\n\n b , 3 , 9 , 4 \n\n",
    "size,upper,lower,buffer_id,alignment,hint\n4,9,3,b,,-1\n",
    "id,begin,end,size,offset\nb,3,8,4,77\n",
])
def test_csv(tmp_path, text):
    assert report(read_csv(tmp_path, text)) == [("b", (4,), 3, 8, 1)]


def test_csv_alignment(tmp_path):
    text = "id,lower,upper,size,alignment\nb,3,9,4,64\nc,0,1,0,1\n"
    assert report(read_csv(tmp_path, text)) == [("b", (4,), 3, 8, 64), ("c", (0,), 0, 0, 1)]


H = "id,lower,upper,size\n"


@pytest.mark.parametrize(("text", "message"), [
    ("", "x.csv: empty; the first line must be id,lower,upper,size"),
    (H, "x.csv: no records"),
    ("id,lower,size\nb,1,2\n", "x.csv:1: column upper or end is missing"),
    ("id,lower,upper,size,size\n", "x.csv:1: column size stands twice"),
    (H + "a,0,2,8\nb,5,3,8\n", "x.csv:3: record 'b': upper 3 must be above lower 5"),
    (H + "b,5,5,8\n", "x.csv:2: record 'b': upper 5 must be above lower 5"),
    ("id,start,end,size\nb,5,3,8\n", "x.csv:2: record 0 'b': it ends at step 3, before it begins"),
    (H + "b,0,2,-8\n", "x.csv:2: record 0 'b': size is -8; it must not be negative"),
    (H + "b,0,2,9223372036854775808\n", "more than 2^63-1 bytes"),
    (H + "a,0,2,9223372036854775807\nb,3,4,1\n", "x.csv:3: record 1 'b': the sizes up to here"),
    (H + "b,0,2,8.5\n", "x.csv:2: record 'b': size is '8.5', not a whole number"),
    (H + "b,0,2,1_0\n", "x.csv:2: record 'b': size is '1_0'"),
    (H + "b,0,,8\n", "x.csv:2: record 'b': upper is ''"),
    (H + "b,0,2\n", "x.csv:2: 3 cells, the first line has 4"),
    (H + "b,0,2,8\nb,3,4,8\n", "x.csv:3: record 'b' is also in line 2"),
    ("id,lower,upper,size,gaps\nb,0,9,8,2-3\n", "x.csv:2: record 'b': gaps are not supported"),
    ("id,lower,upper,size,alignment\nb,0,9,8,0\n", "alignment is 0; it must be a power of two"),
    ("id,lower,upper,size,alignment\nb,0,9,8,48\n", "x.csv:2: record 0 'b': alignment is 48"),
    (b"id,lower,upper,size\n\xff,0,1,1\n", "not a text file in UTF-8 (byte 20)"),
])
def test_wrong_csv(tmp_path, text, message):
    with pytest.raises(MaceError) as e:
        read_csv(tmp_path, text)
    assert message in str(e.value)


RECORD = {"name": "b", "size": 4, "first": 3, "last": 8}


@pytest.mark.parametrize("value", [
    {"records": [RECORD]},
    {"records": [{"name": "b", "size": 4, "first_task": 3, "last_task": 8}]},
    {"half_open": True, "records": [RECORD | {"last": 9, "align": 1}]},
    {"plans": [{"name": "p", "records": [RECORD]}]},
])
def test_json(tmp_path, value):
    assert report(read_json(tmp_path, value)) == [("b", (4,), 3, 8, 1)]


def test_json_lists_and_extents(tmp_path):
    problem = read_json(tmp_path, {"records": [[4, 0, 1], {"size": [2, 3], "first": 1, "last": 1}],
                                   "capacity": 99, "alignment": 8})
    assert [r.size for r in problem.records] == [(4,), (2, 3)]
    assert (problem.capacity, problem.alignment, problem.unit) == (99, 8, "elements")


def test_json_sharing(tmp_path):
    more = {"may_overlap": [1, 2], "overlaps": [{"other": 2, "safe_distance": -64}],
            "alias_of": 1, "alias_offset": 16, "fixed_offset": 0}
    record = read_json(tmp_path, {"records": [RECORD | more]}).records[0]
    assert record.overlaps == (Overlap(1), Overlap(2, -64))
    assert (record.alias_of, record.alias_offset, record.fixed_offset) == (1, 16, 0)


def test_one_of_several(tmp_path):
    nets = {"nets": [{"name": "x", "records": [RECORD]}, {"name": "y", "records": [[1, 0, 0]]}]}
    assert read_json(tmp_path, nets, "y").name == "y"
    with pytest.raises(MaceError, match="several problems; choose with --model_name one of x, y"):
        read_json(tmp_path, nets)
    with pytest.raises(MaceError, match="has no 'z'; choose"):
        read_json(tmp_path, nets, "z")


@pytest.mark.parametrize(("value", "message"), [
    ("[1, 2", "x.json:1:6: not JSON"),
    ("[1]", 'an object with "records" is needed, this is a list'),
    ({}, '"records" must be a list; it is missing'),
    ({"records": []}, "no records"),
    ({"records": [7]}, "record 0: must be an object"),
    ({"records": [RECORD, {"size": 1, "last": 2}]}, "record 1: first is missing"),
    ({"records": [RECORD | {"last": "8"}]}, "record 0 'b': last is '8', not a whole number"),
    ({"records": [RECORD | {"size": True}]}, "record 0 'b': size is True"),
    ({"records": [RECORD | {"size": [1] * 5}]}, "a list of up to four extents"),
    ({"records": [RECORD | {"size": -1}]}, "record 0 'b': size is -1"),
    ({"records": [RECORD | {"size": [2**40, 2**40]}]}, "more than 2^63-1"),
    ({"records": [RECORD | {"last": 2}]}, "record 0 'b': it ends at step 2, before it begins"),
    ({"records": [RECORD | {"align": 3}]}, "record 0 'b': alignment is 3"),
    ({"records": [RECORD | {"pool": 1}]}, "record 0 'b': pool is 1"),
    ({"records": [RECORD | {"may_overlap": 1}]}, "may_overlap must be a list"),
    ({"records": [RECORD | {"overlaps": [{}]}]}, "record 0 'b': other is missing"),
    ({"records": [RECORD], "capacity": -1}, "capacity is -1"),
    ({"records": [RECORD], "alignment": 6}, "alignment is 6"),
])
def test_wrong_json(tmp_path, value, message):
    with pytest.raises(MaceError) as e:
        read_json(tmp_path, value)
    assert message in str(e.value) and "x.json" in str(e.value)


def test_no_file(tmp_path):
    with pytest.raises(MaceError, match="there is no such file"):
        records.read(tmp_path / "nothing.csv")


def test_what_the_engine_prints():
    text = json.dumps({"records": [RECORD | {"first": 1}], "offsets": [0],
                       "steps": ["Conv2d 'n0'", "Softmax 'n1'"],
                       "savings": [{"name": "views", "before": 9, "after": 4}]})
    memory = records.from_engine("net", text)
    assert memory.arena.name == "net" and memory.arena.records[0].op == "Softmax"
    assert memory.images == () and memory.savings == (Saving("views", 9, 4),)
    assert memory.savings[0].bytes == 5


def test_an_engine_that_keeps_no_tensors():
    memory = records.from_engine("net", json.dumps({"records": []}))
    assert memory.arena is None and memory.images == ()
