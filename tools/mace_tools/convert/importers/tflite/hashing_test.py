"""What the importer makes of LSH_PROJECTION, and what it refuses; test/golden compares results.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import emit
from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.tflite_file import Maker

SEEDS = np.random.default_rng(5).normal(size=(2, 3)).astype(np.float32)


def save(folder, x="float32", shape=(4, 2), seeds=SEEDS, weight=None, kind=2, scale=None,
         between=None):
    m = Maker()
    m.tensor("x", shape, x, None, scale)
    name = "x"
    if between is not None:
        m.tensor("between", shape, between)
        m.op("CAST", ["x"], ["between"], "CastOptions")
        name = "between"
    names = [m.const("hash", seeds), name]
    if weight is not None:
        names.append(m.const("weight", weight))
    m.op("LSH_PROJECTION", names, [m.tensor("y", (), "int32")], "LSHProjectionOptions", Type=kind)
    return m.save(folder, ["x"], ["y"])


@pytest.mark.parametrize("given, text", [
    ({"x": "float16"}, "its input is f16, which the engine stores otherwise"),
    ({"x": "float64"}, "its input is float64, which the engine stores otherwise"),
    ({"between": "float64"}, "its input is float64, which the engine stores otherwise"),
    ({"x": "int8", "scale": 0.5}, "its input is quantized"),
    ({"seeds": SEEDS.astype(np.float64)}, "its hash is float64"),
    ({"seeds": SEEDS.view(np.int32)}, "its hash is i32 and must be float32"),
    ({"weight": np.ones(4, np.float64)}, "its weight is float64"),
    ({"weight": np.ones(4, np.int32)}, "its weight is i32 and must be float32"),
    ({"weight": np.ones(3, np.float32)}, r"operand 2 must be \[4\]"),
    ({"weight": np.ones((4, 1), np.float32)}, r"operand 2 must be \[4\]"),
    ({"seeds": SEEDS[0]}, r"operand 1 must be \[hash functions, bits of each\]"),
    ({"seeds": np.ones((1, 33), np.float32)}, "33 bits for each hash function"),
    ({"seeds": np.ones((2, 32), np.float32), "kind": 1},
     "SPARSE with 32 bits for each of 2 hash functions"),
    ({"shape": (0, 2)}, "has no features"),
    ({"shape": ()}, "has no features"),
    ({"kind": 0}, "the type 0, which is neither SPARSE nor DENSE"),
    ({"kind": 3}, "the type 3, which is neither SPARSE nor DENSE"),
])
def test_what_is_refused(tmp_path, given, text):
    with pytest.raises((UnsupportedOps, ModelError), match=text):
        load("tflite", save(tmp_path, **given))


@pytest.mark.parametrize("stored", ["f32", "f16", "bf16"])
def test_seeds_are_stored_to_the_bit(tmp_path, stored):
    graph = convert(load("tflite", save(tmp_path)))
    assert [node.op for node in graph.nodes] == ["Bitcast", "LshProjection"]
    _, weights = emit.build(graph, stored)
    assert [array.view(np.int32).tobytes() for _, array in weights] == [SEEDS.tobytes()]
