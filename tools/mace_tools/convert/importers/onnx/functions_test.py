"""Functions that a file defines, sparse constants and data in other files, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import os

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from mace_tools.convert import importers, reference
from mace_tools.convert.importers.onnx import functions
from mace_tools.support.errors import ModelError
from mace_tools.testing.by_onnxruntime import Session

X = np.float32([[1, -2, 3], [-4, 5, 6]])


def model(nodes, functions=(), opset=18, **more) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, X.shape)],
                              [onnx.ValueInfoProto(name="y")], **more)
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("mine", 1)]
    return helper.make_model(graph, functions=list(functions), opset_imports=sets, ir_version=10)


def function(name, inputs, outputs, nodes, attributes=(), opset=18, **more):
    return helper.make_function("mine", name, inputs, outputs, nodes, [
        helper.make_opsetid("", opset), helper.make_opsetid("mine", 1)], list(attributes), **more)


def check(tmp_path, proto):
    """The result is ONNX Runtime's."""
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    wanted, = Session(path.read_bytes()).run(["y"], {"x": X})
    got = reference.run(importers.load("onnx", path), {"x": X})["y"]
    np.testing.assert_allclose(got, wanted, 1e-6)
    return got


def call(name, inputs, outputs, **attrs):
    return helper.make_node(name, inputs, outputs, domain="mine", **attrs)


def referring(op, inputs, outputs, **attrs):
    """A node whose attributes are those of the call."""
    node = helper.make_node(op, inputs, outputs)
    for name, (refers_to, kind) in attrs.items():
        node.attribute.add(name=name, ref_attr_name=refers_to, type=kind)
    return node


def test_calls_within_calls_and_within_branches(tmp_path):
    leaky = function("Leaky", ["a"], ["b"], [
        referring("LeakyRelu", ["a"], ["t"], alpha=("slope", onnx.AttributeProto.FLOAT)),
        helper.make_node("Neg", ["t"], ["b"])], ["slope"])
    branch = helper.make_graph([call("Leaky", ["v"], ["t"], slope=0.5)], "then", [],
                               [onnx.ValueInfoProto(name="t")])
    other = helper.make_graph([helper.make_node("Abs", ["v"], ["t"])], "else", [],
                              [onnx.ValueInfoProto(name="t")])
    outer = function("Outer", ["u", "c"], ["sum", "kept"], [
        call("Leaky", ["u"], ["v"], slope=0.25), call("Leaky", ["v"], ["w"]),
        helper.make_node("If", ["c"], ["t"], then_branch=branch, else_branch=other),
        helper.make_node("Add", ["t", "w"], ["sum"]), helper.make_node("Neg", ["u"], ["kept"])])
    nodes = [call("Outer", ["x", "yes"], ["t", "v"]), call("Outer", ["t", "no"], ["w", "same"]),
             helper.make_node("Sub", ["w", "v"], ["y"])]
    flags = [numpy_helper.from_array(np.array(flag), name)
             for name, flag in (("yes", True), ("no", False))]
    check(tmp_path, model(nodes, [leaky, outer], initializer=flags))


def test_a_result_that_is_an_operand(tmp_path):
    both = function("Both", ["a"], ["b", "a"], [helper.make_node("Neg", ["a"], ["b"])])
    path = tmp_path / "m.onnx"
    path.write_bytes(model([call("Both", ["x"], ["n", "p"]),
                            helper.make_node("Sub", ["n", "p"], ["y"])],
                           [both]).SerializeToString())
    got = reference.run(importers.load("onnx", path), {"x": X})["y"]
    assert got.tolist() == (-2 * X).tolist()


def test_attributes_with_defaults_and_operands_that_are_absent(tmp_path):
    default = helper.make_attribute("low", -1.0)
    clip = function("Bounded", ["a", "high"], ["b"], [
        referring("Constant", [], ["floor"], value_float=("low", onnx.AttributeProto.FLOAT)),
        helper.make_node("Clip", ["a", "floor", "high"], ["b"])], attribute_protos=[default])
    two = numpy_helper.from_array(np.float32(2), "two")
    nodes = [call("Bounded", ["x"], ["a"]), call("Bounded", ["x", "two"], ["b"], low=-3.0),
             helper.make_node("Sub", ["a", "b"], ["y"])]
    check(tmp_path, model(nodes, [clip], initializer=[two]))


def test_a_function_of_another_operator_set(tmp_path):
    """Softmax of opset 11 takes all axes from `axis` on as one, that of 18 a single one."""
    old = function("Old", ["a"], ["b"], [helper.make_node("Softmax", ["a"], ["b"], axis=0)],
                   opset=11)
    nodes = [call("Old", ["x"], ["t"]), helper.make_node("Softmax", ["x"], ["u"], axis=0),
             helper.make_node("Add", ["t", "u"], ["y"])]
    path = tmp_path / "m.onnx"
    path.write_bytes(model(nodes, [old]).SerializeToString())
    e = np.exp(X)
    np.testing.assert_allclose(reference.run(importers.load("onnx", path), {"x": X})["y"],
                               e / e.sum() + e / e.sum(0), 1e-5)


@pytest.mark.parametrize("bodies, message", [
    ([function("F", ["a"], ["b"], [call("G", ["a"], ["b"])]),
      function("G", ["a"], ["b"], [call("F", ["a"], ["b"])])], r"calls itself \(F -> G -> F\)"),
    ([function("F", [], ["b"], [helper.make_node("Relu", ["a"], ["b"])])],
     "has 1 inputs and 1 outputs, its function at most 0 and 1"),
])
def test_damaged_functions(tmp_path, bodies, message):
    (tmp_path / "m.onnx").write_bytes(
        model([call("F", ["x"], ["y"])], bodies).SerializeToString())
    with pytest.raises(ModelError, match=message):
        importers.load("onnx", tmp_path / "m.onnx")


def test_functions_that_multiply(tmp_path, monkeypatch):
    chain = [function(f"F{k}", ["a"], ["b"], [
        call(f"F{k + 1}", ["a"], ["t"]), call(f"F{k + 1}", ["t"], ["b"])]) for k in range(40)]
    chain.append(function("F40", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])]))
    path = tmp_path / "m.onnx"
    path.write_bytes(model([call("F0", ["x"], ["y"])], chain).SerializeToString())
    monkeypatch.setattr(functions, "MAX_NODES", 1000)
    with pytest.raises(ModelError, match="its functions make more than 1000 nodes"):
        importers.load("onnx", path)


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_sparse_constants(tmp_path, indices):
    values = numpy_helper.from_array(np.float32([7, 8]), "w")
    sparse = helper.make_sparse_tensor(
        values, numpy_helper.from_array(np.int64(indices), "i"), X.shape)
    got = check(tmp_path, model([helper.make_node("Add", ["x", "w"], ["y"])],
                                sparse_initializer=[sparse]))
    assert got.tolist() == (X + np.float32([[0, 7, 0], [0, 0, 8]])).tolist()
    nodes = [helper.make_node("Constant", [], ["w"], sparse_value=sparse),
             helper.make_node("Add", ["x", "w"], ["y"])]
    check(tmp_path, model(nodes))


@pytest.mark.parametrize("indices, shape, message", [
    ([1, 6], [2, 3], "an index lies outside"), ([1], [2, 3], "2 values need as many int64"),
    ([1, 2], [1 << 40, 3], "damaged or too large")])
def test_damaged_sparse_constants(tmp_path, indices, shape, message):
    sparse = helper.make_sparse_tensor(numpy_helper.from_array(np.float32([7, 8]), "w"),
                                       numpy_helper.from_array(np.int64(indices), "i"), shape)
    (tmp_path / "m.onnx").write_bytes(model([helper.make_node("Add", ["x", "w"], ["y"])],
                                            sparse_initializer=[sparse]).SerializeToString())
    with pytest.raises(ModelError, match=f"sparse tensor 'w': .*{message}"):
        importers.load("onnx", tmp_path / "m.onnx")


@pytest.mark.parametrize("location, more, message", [
    ("w.bin", {}, ""), ("sub/w.bin", {"offset": "4", "length": "24"}, ""),
    ("../w.bin", {}, "lies outside the model's folder"), ("link.bin", {}, "lies outside"),
    ("hard.bin", {}, "has another name .a hard link.*copy it"),
    ("linked/w.bin", {}, "lies outside"), ("/etc/passwd", {}, "lies outside"),
    ("C:\\w.bin", {}, "lies outside"), ("", {}, "does not say where its data are"),
    ("w.bin", {"offset": "-4"}, "the offset of its external data is '-4'"),
    ("w.bin", {"length": "many"}, "the length of its external data is 'many'"),
    ("w.bin", {"offset": "8", "length": "24"}, "lie at 8 to 32 of .*w.bin, which has 24 bytes"),
    ("w.bin", {"offset": "99"}, "lie at 99 to 24"), ("none.bin", {}, "put the file beside"),
])
def test_data_in_other_files(tmp_path, location, more, message):
    inside = tmp_path / "model"
    for folder, head in ((tmp_path, b""), (inside, b""), (inside / "sub", b"head")):
        folder.mkdir(exist_ok=True)
        (folder / "w.bin").write_bytes(head + X.tobytes())
    os.symlink("../w.bin", inside / "link.bin")
    (tmp_path / "elsewhere").write_bytes(X.tobytes())
    os.link(tmp_path / "elsewhere", inside / "hard.bin")
    os.symlink("..", inside / "linked")
    w = onnx.TensorProto(name="w", data_type=1, dims=X.shape, data_location=1)
    for key, value in {"location": location, **more}.items():
        w.external_data.add(key=key, value=value)
    path = inside / "m.onnx"
    path.write_bytes(model([helper.make_node("Add", ["x", "w"], ["y"])],
                           initializer=[w]).SerializeToString())
    if not message:
        got = reference.run(importers.load("onnx", path), {"x": X})["y"]
        assert got.tolist() == (2 * X).tolist()
        return
    with pytest.raises(ModelError, match=f"tensor 'w'.*{message}"):
        importers.load("onnx", path)


def test_a_file_that_is_too_large_for_protobuf(tmp_path):
    path = tmp_path / "m.onnx"
    with path.open("wb") as file:
        file.truncate(1 << 31)  # sparse: it takes no space
    with pytest.raises(ModelError, match="m.onnx has 2147483648 bytes, more than .*external_data"):
        importers.load("onnx", path)
