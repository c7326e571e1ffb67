"""Tests of the ONNX reader and importer on small files made here.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import emit, importers, reference
from mace_tools.convert.importers.onnx.reader import read
from mace_tools.convert.importers.request import RequestError
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import MaceError, ModelError, UnsupportedOps
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import model, node


def load(path, nodes, given, made=("y",), constants=None, opset=13, **cut):
    return importers.load("onnx", model(path / "m.onnx", nodes, given, made, constants, opset),
                          **cut)


def run(path, nodes, feeds, constants=None, opset=13):
    """The first output of a model computed by the NumPy twin."""
    graph = load(path, nodes, {k: v.shape for k, v in feeds.items()}, ("y",), constants, opset)
    return reference.run(graph, feeds)["y"]


X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_all_unsupported_operators_are_reported_at_once(tmp_path):
    nodes = [node("ImageDecoder", "x", "a", "odd"), node("Relu", "a", "b"),
             node("Fancy", "b", "c", "f1"),
             node("Fancy", "c", "d", "f2"), node("Gemma", "d", "e", "g"),
             node("Trick", "e", "y", "t", domain="com.acme"),
             node("BatchNormalization", "x s s s s", "z", "bn", training_mode=1)]
    with pytest.raises(UnsupportedOps) as e:
        load(tmp_path, nodes, {"x": (1, 3)}, ("y", "z"), {"s": np.ones(3, np.float32)}, 14)
    found = {o.op: o for o in e.value.ops}
    assert set(found) == {"ImageDecoder", "Fancy", "Gemma", "com.acme.Trick", "BatchNormalization"}
    assert found["Fancy"].nodes == ["f1", "f2"]
    assert "Gemm" in found["Gemma"].help
    assert "inference" in found["BatchNormalization"].help
    text = str(e.value)
    assert text.startswith("6 ONNX node(s)") and "Fancy x2: 'f1', 'f2'" in text
    assert "nothing was written" in text


def test_a_node_behind_an_unsupported_one_is_not_blamed(tmp_path):
    nodes = [node("ImageDecoder", "x", "a", "odd"), node("Conv", "a w", "y", "conv")]
    with pytest.raises(UnsupportedOps) as e:
        load(tmp_path, nodes, {"x": (1, 3, 4, 4)}, constants={"w": np.ones((1, 3, 1, 1), "f")})
    assert [o.op for o in e.value.ops] == ["ImageDecoder"]


def test_a_model_can_be_cut_at_inner_tensors(tmp_path):
    nodes = [node("ImageDecoder", "x", "a"), node("Relu", "a", "b"), node("Neg", "b", "c"),
             node("Fancy", "c", "y")]
    graph = load(tmp_path, nodes, {"x": (3,)}, inputs={"a": (2, 5)}, outputs=["c"])
    assert graph.inputs == ["a"] and graph.outputs == ["c"]
    assert [n.op for n in graph.nodes] == ["Activation", "Unary"]
    assert graph.shape("c") == (2, 5)


def test_wrong_names_and_shapes_say_what_is_there(tmp_path):
    nodes = [node("Relu", "picture", "y")]
    with pytest.raises(RequestError, match="no tensor 'pictur'; did you mean 'picture'"):
        load(tmp_path, nodes, {"picture": (1, 2)}, inputs={"pictur": (1, 2)})
    with pytest.raises(RequestError, match="1,2,3 has 3 dimensions, but .* 'picture' has 2: 1,2"):
        load(tmp_path, nodes, {"picture": (1, 2)}, inputs={"picture": (1, 2, 3)})


def test_given_shapes_replace_symbolic_ones(tmp_path):
    nodes = [node("Flatten", "x", "y")]
    graph = load(tmp_path, nodes, {"x": ("N", 3, "H")}, inputs={"x": (4, 3, 5)})
    assert graph.shape("y") == (4, 15)


@pytest.mark.parametrize("content, message", [
    (b"", "no graph with outputs"), (b"\x00\x01garbage", "not an ONNX model"),
    (b"\x08\x07", "no graph with outputs"),
    (b"\x3a\x05\x62\x03\x0a\x01y", "no operator set"),
])  # fmt: skip
def test_files_that_are_no_models(tmp_path, content, message):
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read(path)


def test_every_truncation_is_an_error(tmp_path):
    path = model(tmp_path / "m.onnx", [node("Add", "x w", "y", name="sum")], {"x": (2, 3)}, ["y"],
                 {"w": np.ones(3, np.float32)})
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        try:
            importers.load("onnx", path)
        except ModelError:
            continue
        pytest.fail(f"{size} of {len(whole)} bytes were taken for the whole model")


def test_damaged_files_get_messages(tmp_path):
    """Flipped bits, changed, lost and added bytes: an error with a text, or another model."""
    rng = np.random.default_rng(11)
    nodes = [node("Conv", "x w", "a", pads=[1, 1, 1, 1]), node("Relu", "a", "b"),
             node("Pad", "b p", "c"), node("Reshape", "c s", "d"), node("Gemm", "d g", "y")]
    constants = {"w": np.ones((2, 1, 3, 3), "f"), "p": np.array([0, 0, 1, 0, 0, 0, 0, 1]),
                 "s": np.array([1, -1]), "g": np.ones((40, 3), "f")}
    path = model(tmp_path / "m.onnx", nodes, {"x": (1, 1, 4, 4)}, ["y"], constants)
    whole = path.read_bytes()
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        at, kind = rng.integers(len(data)), rng.integers(4)
        if kind == 0:
            data[at] ^= 1 << rng.integers(8)
        elif kind == 1:
            data[at] = rng.integers(256)
        elif kind == 2:
            del data[at : at + rng.integers(1, 9)]
        else:
            data[at:at] = rng.bytes(rng.integers(1, 5))
        path.write_bytes(data)
        try:
            emit.build(convert(importers.load("onnx", path)))
        except MaceError as e:
            refused += 1
            assert "internal error" not in str(e)
    assert refused > 100


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match="cannot read .*none.onnx: No such file"):
        read(tmp_path / "none.onnx")


def test_contradictions_are_errors(tmp_path):
    wrong = onnx_file.tensor("w", np.ones(3, np.float32))
    wrong.dims[0] = 4
    path = model(tmp_path / "m.onnx", [node("Add", "x w", "y")], {"x": (3,)}, ["y"])
    proto = onnx_file.onnx().ModelProto.FromString(path.read_bytes())
    proto.graph.initializer.append(wrong)
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(ModelError, match=r"tensor 'w' \[4\] needs 16 bytes, the file has 12"):
        read(path)
    nodes = [node("Relu", "x", "y", "one"), node("Neg", "x", "y", "two")]
    with pytest.raises(ModelError, match="'y' is produced by both 'one' and 'two'"):
        load(tmp_path, nodes, {"x": (1,)})
    with pytest.raises(ModelError, match="part of a cycle"):
        load(tmp_path, [node("Add", "x b", "a"), node("Neg", "a", "b"), node("Neg", "b", "y")],
             {"x": (1,)})
    with pytest.raises(ModelError, match="Relu 'y': tensor 'nowhere' comes from nowhere"):
        load(tmp_path, [node("Relu", "nowhere", "y")], {"x": (1,)})
    with pytest.raises(ModelError, match=r"do not broadcast; inputs: x f32\[2\], w f32\[3\]"):
        load(tmp_path, [node("Add", "x w", "y")], {"x": (2,)}, constants={"w": np.ones(3, "f")})
    with pytest.raises(ModelError, match="ONNX Conv 'y' is malformed"):
        load(tmp_path, [node("Conv", "x", "y")], {"x": (1, 1, 2, 2)})


def test_external_data(tmp_path):
    path = model(tmp_path / "m.onnx", [node("Add", "x w", "y")], {"x": (3,)}, ["y"])
    proto = onnx_file.onnx().ModelProto.FromString(path.read_bytes())
    w = proto.graph.initializer.add(name="w", dims=[3], data_type=1, data_location=1)
    for key, value in (("location", "w.bin"), ("offset", "4"), ("length", "12")):
        w.external_data.add(key=key, value=value)
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(ModelError, match="put the file beside the model"):
        read(path)
    (tmp_path / "w.bin").write_bytes(np.arange(5, dtype=np.float32).tobytes())
    assert read(path).constants["w"].tolist() == [1, 2, 3]
    w.external_data[0].value = "../../etc/passwd"
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(ModelError, match="outside the model's folder"):
        read(path)


def test_fp16_and_bfloat16_constants(tmp_path):
    path = model(tmp_path / "m.onnx", [node("Relu", "x", "y")], {"x": (1,)}, ["y"])
    proto = onnx_file.onnx().ModelProto.FromString(path.read_bytes())
    proto.graph.initializer.add(name="h", dims=[2], data_type=10, int32_data=[0x3C00, 0xC000])
    proto.graph.initializer.add(name="b", dims=[2], data_type=16, raw_data=b"\x80\x3f\x00\xc0")
    path.write_bytes(proto.SerializeToString())
    constants = read(path).constants
    assert constants["h"].tolist() == [1, -2] and constants["h"].dtype == np.float16
    assert constants["b"].tolist() == [1, -2] and constants["b"].dtype == np.float32


OLD_FORMS = {
    "Slice-1": ([node("Slice", "x", "y", starts=[0, 1], ends=[2, 9], axes=[0, 2])], {}, 9,
                X[0:2, :, 1:9]),
    "Clip-6": ([node("Clip", "x", "y", min=2.0, max=5.0)], {}, 9, X.clip(2, 5)),
    "Clip-11": ([node("Clip", "x lo", "y")], {"lo": np.float32(3)}, 11, np.maximum(X, 3)),
    "Pad-2": ([node("Pad", "x", "y", pads=[0, 1, 0, 0, 0, 2], value=9.0)], {}, 9,
              np.pad(X, [(0, 0), (1, 0), (0, 2)], constant_values=9)),
    "Pad-11": ([node("Pad", "x p v", "y")],
               {"p": np.array([0, 0, -1, 0, 1, 0], np.int64), "v": np.float32(7)}, 11,
               np.pad(X[:, :, 1:], [(0, 0), (0, 1), (0, 0)], constant_values=7)),
    "Squeeze-1": ([node("Unsqueeze", "x", "u", axes=[1]), node("Squeeze", "u", "y", axes=[1])],
                  {}, 9, X),
    "Reshape-1": ([node("Reshape", "x", "y", shape=[0, -1])], {}, 1, X.reshape(2, 12)),
    "Softmax-1": ([node("Softmax", "x", "y", axis=1)], {}, 9,
                  np.exp(X - 30) / np.exp(X - 30).sum((1, 2), keepdims=True)),
    "Softmax-13": ([node("Softmax", "x", "y", axis=1)], {}, 13,
                   np.exp(X - 30) / np.exp(X - 30).sum(1, keepdims=True)),
    "ReduceSum-1": ([node("ReduceSum", "x", "y", axes=[2], keepdims=0)], {}, 9, X.sum(2)),
    "Split-2": ([node("Split", "x", "y z", axis=2, split=[1, 3])], {}, 9, X[:, :, :1]),
    "Split-18": ([node("Split", "x", "y z", axis=1, num_outputs=2)], {}, 18, X[:, :2]),
    "TopK-1": ([node("TopK", "x", "y z", axis=-1, k=2)], {}, 9, X[:, :, :1:-1]),
    "Add-6": ([node("Add", "x w", "y", broadcast=1, axis=1)], {"w": np.arange(3, dtype="f")}, 6,
              X + np.arange(3, dtype="f")[:, None]),
    "PRelu-6": ([node("Neg", "x", "n"), node("PRelu", "n w", "y")], {"w": np.arange(3, dtype="f")},
                6, -X * np.arange(3, dtype="f")[:, None]),
    "Dropout-7": ([node("Dropout", "x", "y mask", ratio=0.9)], {}, 7, X),
    "Dropout-13": ([node("Dropout", "x r t", "y")], {"r": np.float32(0.5), "t": np.bool_(False)},
                   13, X),
    "Constant": ([node("Constant", "", "c", value=np.float32(2)), node("Mul", "x c", "y")], {}, 13,
                 X * 2),
    "Constant-12": ([node("Constant", "", "c", value_floats=[1.0, 2.0, 3.0, 4.0]),
                     node("Mul", "x c", "y")], {}, 12, X * np.arange(1, 5, dtype="f")),
    "Celu": ([node("Neg", "x", "n"), node("Celu", "n", "y", alpha=2.0)], {}, 12,
             2 * np.expm1(-X / 2)),
    "Sum of one": ([node("Sum", "x", "y")], {}, 13, X),
    "Mean of two": ([node("Mean", "x w", "y")], {"w": np.float32(4)}, 13, (X + 4) / 2),
}  # fmt: skip


@pytest.mark.parametrize("name", OLD_FORMS)
def test_forms_of_all_opsets(tmp_path, name):
    nodes, constants, opset, want = OLD_FORMS[name]
    np.testing.assert_allclose(run(tmp_path, nodes, {"x": X}, constants, opset), want, rtol=1e-5,
                               atol=1e-7)


@pytest.mark.parametrize("op, opset, attrs, scales", [
    ("Upsample", 7, {"scales": [1.0, 1.0, 2.0, 3.0]}, None),
    ("Upsample", 9, {}, [1.0, 1.0, 2.0, 3.0]), ("Resize", 10, {}, [1.0, 1.0, 2.0, 3.0]),
])  # fmt: skip
def test_nearest_upsampling_before_opset_11(tmp_path, op, opset, attrs, scales):
    x = X.reshape(1, 2, 3, 4)
    constants = {} if scales is None else {"s": np.array(scales, np.float32)}
    y = run(tmp_path, [node(op, "x s" if constants else "x", "y", **attrs)], {"x": x}, constants,
            opset)
    assert (y == x.repeat(2, 2).repeat(3, 3)).all()


def test_resizing_of_channels_last_needs_no_transpose(tmp_path):
    nodes = [node("Resize", "x - s", "y", coordinate_transformation_mode="asymmetric",
                  nearest_mode="floor")]
    graph = load(tmp_path, nodes, {"x": (1, 2, 3, 4)}, constants={"s": np.array([1, 2, 2, 1], "f")})
    assert [n.op for n in graph.nodes] == ["Resize"] and graph.shape("y") == (1, 4, 6, 4)


def test_a_computed_size_is_an_operand_of_resize(tmp_path):
    nodes = [node("Shape", "z", "s"), node("Slice", "s lo hi", "hw"),
             node("Shape", "x", "t"), node("Slice", "t zero lo", "nc"),
             node("Concat", "nc hw", "sizes", axis=0), node("Resize", "x - - sizes", "y")]
    constants = {"lo": np.array([2]), "hi": np.array([4]), "zero": np.array([0])}
    graph = load(tmp_path, nodes, {"x": (1, 2, 3, 3), "z": (1, 7, 6, 5)}, constants=constants)
    assert graph.shape("y") == (1, 2, 6, 5)


@pytest.mark.parametrize("group, multiplier", [(4, 1), (4, 2), (2, 1)])
def test_grouped_convolution(tmp_path, group, multiplier):
    """Against the sum written out."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1, 4, 5, 5)).astype(np.float32)
    w = rng.normal(size=(4 * multiplier, 4 // group, 3, 3)).astype(np.float32)
    y = run(tmp_path, [node("Conv", "x w", "y", group=group)], {"x": x}, {"w": w})
    per = 4 // group
    for o in range(4 * multiplier):
        first = o // (4 * multiplier // group) * per
        want = sum(x[0, first + i, r : r + 3, c : c + 3].ravel() @ w[o, i].ravel()
                   for i in range(per) for r in [1] for c in [2])
        np.testing.assert_allclose(y[0, o, 1, 2], want, rtol=1e-4)


def test_every_importer_function_is_registered_once_and_by_discovery():
    from mace_tools.convert.importers.onnx import registry

    names = registry.supported()
    assert {"Conv", "Gemm", "Resize", "Slice"} <= set(names) and len(names) == len(set(names))
