"""Damaged TFLite files get an error with the place, and never another exception.

SPDX-License-Identifier: Apache-2.0
"""

import random

import pytest

from mace_tools.convert.importers import load
from mace_tools.convert.importers.tflite.reader import read
from mace_tools.support.errors import MaceError, ModelError
from mace_tools.testing import tflite_cases
from mace_tools.testing.tflite_file import Maker

MUTATIONS = 6  # of the model of each operator
WORDS = [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0"]


@pytest.mark.parametrize("op, case", {c.op: c for c in tflite_cases.CASES}.items(), ids=str)
def test_mutated_models_are_refused_or_load(tmp_path, op, case):
    rng = random.Random(op)
    m, feeds, outputs = case.model()
    whole = m.bytes(list(feeds), outputs)
    path = tmp_path / "bad.tflite"
    for _ in range(MUTATIONS):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 2, 8])):
            at = 4 * rng.randrange(len(data) // 4)
            data[at : at + 4] = rng.choice([*WORDS, rng.randbytes(4)])
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            load("tflite", path)
        except MaceError as e:
            assert str(e)


def small():
    m = Maker()
    m.tensor("x", (2, 3))
    m.op("NEG", ["x"], ["y"])
    return m


def test_another_version_of_the_format(tmp_path):
    m = small()
    m.version = 2
    with pytest.raises(ModelError, match="model.tflite: it is of version 2 of the TFLite format, "
                                         "and 3 is the one"):
        read(m.save(tmp_path, ["x"], ["y"]))


def test_the_place_is_named(tmp_path):
    m = small()
    m.ops.append(("ABS", ["y"], ["z"], "", {}))
    m.index["z"] = 70
    with pytest.raises(ModelError, match="at operator 1 of graph 0: ValueError: tensor 70 of 2"):
        read(m.save(tmp_path, ["x"], ["y"]))
    m = small()
    m.tensors[0] = ("x", (2, -3), "float32", None, None)
    with pytest.raises(ModelError, match="shape .2, -3. of tensor 'x'"):
        read(m.save(tmp_path, ["x"], ["y"]))


@pytest.mark.parametrize("index", [0, 7, -3])
def test_a_composite_of_itself_or_of_a_graph_that_is_not_there(tmp_path, index):
    m = small()
    m.op("STABLEHLO_COMPOSITE", ["y"], ["z"], "StableHLOCompositeOptions", Name="loop",
         DecompositionSubgraphIndex=index)
    with pytest.raises(ModelError, match=f"operator 1 of graph 0: .*made of graph {index}"):
        read(m.save(tmp_path, ["x"], ["z"]))
