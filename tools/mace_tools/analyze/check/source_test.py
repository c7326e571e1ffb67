"""What converts of a source model, and what its file says of it.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.analyze.check import report
from mace_tools.convert import importers
from mace_tools.support.errors import MaceError
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node

FILTER = np.ones((8, 3, 3, 3), np.float32)


def partial(folder):
    """Two nodes without an importer, with nodes before, beside and behind them."""
    return onnx_file.model(folder / "part.onnx", [
        node("Conv", "x w", "c", "conv", pads=[1, 1, 1, 1]), node("Relu", "c", "r", "relu"),
        node("ImageDecoder", "r", "nz", "nonzero"), node("Cast", "nz", "f", "cast", to=1),
        node("MyOp", "r", "m", "mine", domain="com.me"), node("Relu", "m", "mr", "after"),
        node("GlobalAveragePool", "r", "p", "pool")],
        {"x": ["batch", 3, "height", 16]}, ["f", "mr", "p"], {"w": FILTER})


def checked(path, shapes=None, custom_ops=(), outputs=()):
    read = importers.read("onnx", path)
    return report.check_source(path, "onnx", read, shapes or {}, custom_ops, outputs)


def test_all_that_cannot_be_converted_is_named_with_a_cure(tmp_path):
    results = checked(partial(tmp_path)).report
    assert [(r["op"], r["nodes"]) for r in results["refused"]] == [
        ("ImageDecoder", ["nonzero"]), ("com.me.MyOp", ["mine"])]
    assert all(r["reason"] and r["cure"] for r in results["refused"])
    assert results["source"]["ops"]["Relu"] == {"nodes": 2, "refused": 0}
    assert results["source"]["ops"]["ImageDecoder"] == {"nodes": 1, "refused": 1}


def test_the_part_before_them_converts(tmp_path):
    found = checked(partial(tmp_path), {"x": (1, 3, 16, 16)})
    assert found.report["converts"] == {
        "all": False, "nodes": 5, "of": 7, "part": {"output_tensors": ["p", "r"], "nodes": 3}}
    assert found.exit_code == 4
    assert found.report["graph"]["ops"]["Conv2d"] == 1
    assert [o.name for o in found.net.output_info] == ["p", "r"]
    # The names may be given to `convert` as output_tensors.
    importers.load("onnx", tmp_path / "part.onnx", {"x": (1, 3, 16, 16)}, ["p", "r"])


def test_nodes_that_only_the_engine_refuses_are_found_in_the_same_go(tmp_path):
    """The importer takes Erf of integers, for which the engine has no kernel."""
    path = onnx_file.model(tmp_path / "m.onnx", [
        node("Relu", "x", "r", "relu"), node("ImageDecoder", "r", "n", "nonzero"),
        node("Cast", "r", "i", "cast", to=6), node("Erf", "i", "e", "erf"),
        node("Relu", "r", "o", "last")], {"x": [2, 3]}, ["n", "e", "o"])
    results = checked(path).report
    assert [r["op"] for r in results["refused"]] == ["ImageDecoder", "Unary"]
    assert results["source"]["ops"]["Erf"]["refused"] == 1
    assert results["converts"]["nodes"] == 3
    assert set(results["converts"]["part"]["output_tensors"]) == {"o", "r", "i"}


def test_a_model_of_which_nothing_converts(tmp_path):
    path = onnx_file.model(tmp_path / "m.onnx",
                           [node("ImageDecoder", "x", "n"), node("Abs", "n", "y")],
                           {"x": [2, 3]}, ["y"])
    results = checked(path).report
    assert results["converts"]["part"] is None and results["graph"] is None
    assert results["converts"]["nodes"] == 1


def test_open_extents_have_the_names_of_the_file_and_the_flag_that_fixes_them(tmp_path):
    results = checked(partial(tmp_path)).report
    assert results["inputs"] == [{
        "name": "x", "dtype": "float32", "stated_shape": ["batch", 3, "height", 16],
        "shape": [1, 3, None, 16], "data_format": "NCHW", "open": True,
        "flag": "--input_shape=x=1,3,?,16"}]
    assert results["graph"] is None  # memory and devices depend on the shape
    assert any("more nodes may convert" in note for note in results["notes"])
    fixed = checked(partial(tmp_path), {"x": (2, 3, 8, 16)}).report
    assert fixed["inputs"][0]["shape"] == [2, 3, 8, 16] and not fixed["inputs"][0]["open"]
    assert fixed["graph"] is not None


def test_an_input_of_texts_is_named_as_such(tmp_path):
    path = onnx_file.model(tmp_path / "m.onnx", [node("StringNormalizer", "x", "y")], {"x": [2]},
                           ["y"])
    proto = onnx_file.onnx().ModelProto.FromString(path.read_bytes())
    proto.graph.input[0].type.tensor_type.elem_type = 8
    path.write_bytes(proto.SerializeToString())
    results = checked(path).report
    assert results["inputs"][0]["dtype"] == "strings"
    assert results["refused"][0]["reason"].startswith("a text operator")


def test_a_dynamic_batch_is_1_with_a_message(tmp_path):
    path = onnx_file.model(tmp_path / "m.onnx", [node("Relu", "x", "y")], {"x": ["n", 4]}, ["y"])
    found = checked(path)
    assert found.report["outputs"][0]["shape"] == [1, 4]
    assert "batch of 1" in found.report["notes"][0]
    assert not checked(path, {"x": (1, 4)}).report["notes"]


@pytest.mark.parametrize("shapes, words", [
    ({"z": (1, 4)}, "the model has no tensor 'z'"), ({"x": (1, 4, 2)}, "has 3 dimensions")])
def test_shapes_that_do_not_fit(tmp_path, shapes, words):
    path = onnx_file.model(tmp_path / "m.onnx", [node("Relu", "x", "y")], {"x": ["n", 4]}, ["y"])
    with pytest.raises(MaceError, match=words):
        checked(path, shapes)


def test_a_part_between_inner_tensors(tmp_path):
    path = partial(tmp_path)
    results = checked(path, {"x": (1, 3, 16, 16)}, outputs=("r", "p")).report
    assert results["converts"]["all"] and results["source"]["nodes"] == 3
    assert [o["name"] for o in results["outputs"]] == ["r", "p"]
    results = checked(path, {"m": (1, 8)}, outputs=("mr",)).report
    assert results["converts"]["all"] and results["source"]["ops"] == {
        "Relu": {"nodes": 1, "refused": 0}}
    assert [i["name"] for i in results["inputs"]] == ["m"]


def test_custom_ops_are_listed_and_convert(tmp_path):
    found = checked(partial(tmp_path), {"x": (1, 3, 16, 16)}, ("com.me.MyOp",))
    assert [r["op"] for r in found.report["refused"]] == ["ImageDecoder"]
    assert list(found.report["graph"]["custom_ops"]) == ["com.me.MyOp"]
    for name, words in (("Relu", "knows this operator"), ("com.me.Mop", "did you mean")):
        with pytest.raises(MaceError, match=words):
            checked(partial(tmp_path), {}, (name,))


def test_parameters_are_those_that_the_outputs_need(tmp_path):
    path = onnx_file.model(
        tmp_path / "m.onnx", [node("MatMul", "x w", "y"), node("MatMul", "x unread", "z")],
        {"x": [1, 4]}, ["y"],
        {"w": np.ones((4, 5), np.float32), "unread": np.ones((4, 100), np.float32)})
    results = checked(path).report
    expected = {"count": 20, "bytes": 80, "by_type": {"float32": {"count": 20, "bytes": 80}}}
    assert results["source"]["parameters"] == results["graph"]["parameters"] == expected


def test_reasons_of_layout_transposes(tmp_path):
    path = onnx_file.model(
        tmp_path / "m.onnx", [node("Conv", "x w", "c", "conv"),
                              node("Reshape", "c s", "y", "flat")],
        {"x": [1, 3, 8, 8]}, ["y"], {"w": FILTER, "s": np.array([1, 288])})
    left = checked(path).report["graph"]["layout_transposes"]
    assert [t["to"] for t in left] == ["NHWC", "NCHW"]
    assert "the model's input 'x'" in left[0]["why"] and "input_data_formats" in left[0]["why"]
    assert "Conv2d" in left[1]["why"] and "Reshape" in left[1]["why"]


def test_inner_graphs_belong_to_the_node_that_has_them(tmp_path):
    branch = onnx_file.graph("b", [node("ImageDecoder", "x", "inner_nz", "inside"),
                                   node("Cast", "inner_nz", "inner_y", "cast", to=1)], {},
                             ["inner_y"])
    other = onnx_file.graph("c", [node("Relu", "x", "other_y", "fine")], {}, ["other_y"])
    path = onnx_file.model(
        tmp_path / "m.onnx", [node("If", "cond", "y", "choice", then_branch=branch,
                                   else_branch=other), node("Relu", "x", "z", "beside")],
        {"x": [2, 3]}, ["y", "z"], {"cond": np.array(True)})
    found = checked(path)
    assert found.report["refused"][0]["nodes"] == ["inside"]
    assert found.report["source"]["ops"]["If"] == {"nodes": 1, "refused": 1}
    assert found.report["converts"]["part"]["output_tensors"] == ["z"]


