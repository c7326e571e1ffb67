"""Tests of models with several signatures and graphs, against LiteRT.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools import frameworks
from mace_tools.convert import importers, reference
from mace_tools.convert.importers.request import RequestError
from mace_tools.support.errors import ModelError
from mace_tools.testing.tflite_file import Maker

X = np.float32([1, -2, 3])


def two(folder, names=("encode", "decode")):
    """y = -x, and y = |x|."""
    makers = []
    for op in ("NEG", "ABS"):
        m = Maker()
        m.tensor(f"{op}_in", (3,))
        m.tensor(f"{op}_out", (3,))
        m.op(op, [f"{op}_in"], [f"{op}_out"])
        makers.append(m)
    first, second = makers
    first.more = [(second, ["ABS_in"], ["ABS_out"])]
    first.signatures = [(names[0], {"x": "NEG_in"}, {"y": "NEG_out"}, 0)]
    if names[1:]:
        first.signatures += [(names[1], {"x": "ABS_in"}, {"y": "ABS_out"}, 1)]
    return first.save(folder, ["NEG_in"], ["NEG_out"])


@pytest.mark.parametrize("names, chosen, want", [
    (("encode", "decode"), "encode", -X), (("encode", "decode"), "decode", abs(X)),
    (("encode", "serving_default"), "", abs(X)), (("encode",), "", -X),
])
def test_a_signature_chooses_the_graph_and_names_its_ends(tmp_path, names, chosen, want):
    path = two(tmp_path, names)
    graph = importers.load("tflite", path, {"x": (3,)}, ["y"], chosen)
    assert graph.inputs == ["x"] and graph.outputs == ["y"]
    assert reference.run(graph, {"x": X})["y"].tolist() == want.tolist()
    op = "ABS" if want.min() > 0 else "NEG"
    for start, end in (("x", "y"), (f"{op}_in", f"{op}_out")):
        got = frameworks.run("tflite", path, {start: X}, [end], chosen)
        assert got[end].tolist() == want.tolist()
        assert importers.load("tflite", path, {start: (3,)}, [end], chosen).outputs == [end]


@pytest.mark.parametrize("names, wanted, message", [
    (("encode", "decode"), "", "several signatures, 'encode', 'decode': choose one"),
    (("encode", "decode"), "run", "no signature 'run'; it has 'encode', 'decode'"),
])
def test_signatures_that_there_are_get_listed(tmp_path, names, wanted, message):
    with pytest.raises(RequestError, match=message) as e:
        importers.read("tflite", two(tmp_path, names), wanted)
    assert e.value.key == "signature" and e.value.example == "signature: encode"


def test_a_model_without_signatures(tmp_path):
    m = Maker()
    m.tensor("x", (3,))
    m.op("NEG", ["x"], ["y"])
    with pytest.raises(RequestError, match="has no signatures; remove `signature`"):
        importers.read("tflite", m.save(tmp_path, ["x"], ["y"]), "serving_default")


def test_names_of_tensors_have_priority_over_those_of_the_signature(tmp_path):
    m = Maker()
    for name in ("x", "y", "z"):
        m.tensor(name, (3,))
    m.op("NEG", ["x"], ["y"])
    m.op("ABS", ["y"], ["z"])
    m.signatures = [("serving_default", {"in": "x"}, {"y": "z"}, 0)]
    model = importers.read("tflite", m.save(tmp_path, ["x"], ["z"]))
    assert model.aliases == {"in": "x"}


def test_a_signature_of_a_graph_or_a_tensor_that_is_not_there(tmp_path):
    m = Maker()
    m.tensor("x", (3,))
    m.op("NEG", ["x"], ["y"])
    m.signatures = [("decode", {"in": "nix"}, {"out": "y"}, 0)]
    with pytest.raises(ModelError, match="at .*tensor 2 of 2"):
        importers.read("tflite", m.save(tmp_path, ["x"], ["y"]))
