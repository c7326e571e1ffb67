"""Custom ops of all frameworks: what passes through, and what is refused.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import replace

import numpy as np
import pytest
from flatbuffers import flexbuffers

from mace_tools.convert import emit, importers
from mace_tools.convert.importers.custom import attributes
from mace_tools.convert.importers.tflite import custom_options
from mace_tools.convert.passes import pipeline
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing import onnx_file
from mace_tools.testing.onnx_file import node
from mace_tools.testing.tflite_file import Maker

DOMAIN = "com.acme"


def convert(platform, path, allowed, inputs=None, outputs=None):
    read = replace(importers.read(platform, path), custom_ops=tuple(allowed))
    return pipeline.convert(importers.translate(platform, read, inputs, outputs))


def stored(graph):
    """The nodes as the file has them: op, inputs, outputs, attributes, number of types."""
    net, _ = emit.build(graph)
    names = {1: "f", 2: "i", 3: "s", 4: "floats", 5: "ints"}

    def value(arg):
        found = getattr(arg, names[arg.type])
        return found if arg.type < 4 else list(found)

    return {op.type: (list(op.input), list(op.output), {a.name: value(a) for a in op.arg},
                      len(op.output_shape)) for op in net.op}


def onnx_model(folder, nodes, info=(), version=1, constants=None):
    """A model from x[1,3,4,5] to y."""
    path = onnx_file.model(folder / "model.onnx", nodes, {"x": (1, 3, 4, 5)}, ["y"], constants)
    proto = onnx_file.onnx().ModelProto.FromString(path.read_bytes())
    proto.opset_import.add(domain=DOMAIN, version=version)
    proto.graph.value_info.extend(onnx_file.info(*one) for one in info)
    path.write_bytes(proto.SerializeToString())
    return path


def test_onnx(tmp_path):
    table = np.arange(6, dtype=np.int32).reshape(2, 3)
    path = onnx_model(tmp_path, [
        node("Relu", "x", "a"),
        node("Blur", "a - a", "b c", "blur", DOMAIN, radius=3, sigma=0.5, mode="edge", axes=[2, 3],
             weights=[0.25, 0.5], table=table),
        node("Relu", "b", "y"),
    ], info=[("b", (1, 3, 4, 5))], version=2)
    proto = onnx_file.onnx().ModelProto.FromString(path.read_bytes())
    for name in ("name", "op", "inputs"):  # which functions of the converter have as well
        proto.graph.node[1].attribute.add(name=name, type=2, i=1)
    path.write_bytes(proto.SerializeToString())
    graph = convert("onnx", path, ["com.acme.Blur"])
    ops = stored(graph)
    inputs, outputs, attrs, types = ops["com.acme.Blur"]
    assert inputs == ["a", "", "a"] and outputs == ["b", "c"]
    assert attrs == {
        "radius": 3, "sigma": 0.5, "mode": b"edge", "axes": [2, 3], "weights": [0.25, 0.5],
        "table": table.astype("<i4").tobytes(), "table.shape": [2, 3], "table.type": b"i32",
        "name": 1, "op": 1, "inputs": 1, "op_version": 2}
    assert types == 0, "the app decides about the outputs"
    assert graph.tensors["y"].static_shape == (1, 3, 4, 5)
    assert ops["Activation"][3] == 1


def test_onnx_needs_no_shapes_but_for_what_reads_them(tmp_path):
    path = onnx_model(tmp_path, [node("Blur", "x", "b", "blur", DOMAIN), node("Relu", "b", "y")])
    assert convert("onnx", path, ["all"]).tensors["y"].shape is None
    path = onnx_model(tmp_path, [node("Blur", "x", "b", "blur", DOMAIN),
                                 node("GlobalAveragePool", "b", "y")])
    with pytest.raises(UnsupportedOps, match="rank of its input 'b' is not known"):
        convert("onnx", path, ["all"])


def test_shapes_of_the_file_do_not_hold_for_other_inputs(tmp_path):
    path = onnx_model(tmp_path, [node("Blur", "x", "b", "blur", DOMAIN), node("Relu", "b", "y")],
                      info=[("b", (1, 3, 4, 5))])
    shapes = {"x": (1, 3, 4, 5)}, {"x": (1, 3, 8, 5)}
    assert convert("onnx", path, ["all"], shapes[0]).tensors["y"].shape == (1, 3, 4, 5)
    assert convert("onnx", path, ["all"], shapes[1]).tensors["y"].shape == (None,) * 4


def test_only_what_is_allowed_passes(tmp_path):
    path = onnx_model(tmp_path, [node("Blur", "x", "b", "blur", DOMAIN),
                                 node("Sharpen", "b", "y", "sharpen", DOMAIN)])
    with pytest.raises(UnsupportedOps, match="com.acme.Sharpen x1: 'sharpen'") as e:
        convert("onnx", path, ["com.acme.Blur"])
    assert "com.acme.Blur" not in str(e.value) and "allow_custom_ops" in str(e.value)
    assert len(convert("onnx", path, ["all"]).nodes) == 2


def test_passes_leave_them_alone(tmp_path):
    """Equal nodes may have states, and constants do not fold; no transpose moves past one."""
    path = onnx_model(tmp_path, [
        node("Blur", "x", "a", "one", DOMAIN), node("Blur", "x", "b", "two", DOMAIN),
        node("Transpose", "a", "t", perm=[0, 2, 3, 1]),
        node("Blur", "t", "c", "three", DOMAIN),
        node("Transpose", "c", "u", perm=[0, 3, 1, 2]),
        node("Add", "u b", "s"), node("Blur", "w", "v", "four", DOMAIN), node("Add", "s v", "y"),
    ], [("a", (1, 3, 4, 5)), ("b", (1, 3, 4, 5)), ("c", (1, 4, 5, 3)), ("v", (1,))],
        constants={"w": np.ones(1, np.float32)})
    graph = convert("onnx", path, ["all"])
    kinds = [n.op for n in graph.nodes]
    assert kinds.count("com.acme.Blur") == 4 and kinds.count("Transpose") == 2


def test_fp16_models_give_them_float32(tmp_path):
    path = onnx_model(tmp_path, [
        node("Cast", "x", "h", to=10), node("Relu", "h", "a"),
        node("Blur", "a w", "b", "blur", DOMAIN), node("Relu", "b", "r"),
        node("Cast", "r", "y", to=1),
    ], [("b", (1, 3, 4, 5), np.float16)], constants={"w": np.ones(2, np.float16)})
    graph = convert("onnx", path, ["all"])
    blur = next(n for n in graph.nodes if n.is_custom)
    assert [graph.tensors[i].dtype for i in (*blur.inputs, *blur.outputs)] == ["f32"] * 3


@pytest.mark.parametrize("attrs, message", [
    ({"a": {"b": 1}}, "its attribute a is .*which a custom op cannot be given"),
    ({"a": None}, "its attribute a is None"),
    ({"a": [1, "b"]}, "its attribute a is"),
    ({"a": 1 << 63}, "does not fit in 64 bits"),
    ({"a": ["b\0c"]}, "zero byte"),
    ({"a": 1e39}, "float32 cannot hold"),
    ({"a": [1, 1e39]}, "float32 cannot hold"),
    ({"a": np.zeros(1, np.float32), "a.shape": [1]}, "'a.shape' cannot both"),
    ({"a.shape": [1], "a": np.zeros(1, np.float32)}, "'a.shape' cannot both"),
])  # fmt: skip
def test_attributes_that_the_engine_cannot_have(attrs, message):
    from mace_tools.support.errors import Unsupported

    with pytest.raises(Unsupported, match=message):
        attributes(attrs)


def test_attributes():
    given = {"b": True, "i": np.int64(4), "f": np.float32(0.5), "is": [True, 2], "fs": [1, 0.5],
             "none": [], "texts": ["a", b"\xff"], "shape": (None, 3)}
    assert attributes(given) == {"b": 1, "i": 4, "f": 0.5, "is": [1, 2], "fs": [1.0, 0.5],
                                 "none": [], "texts": b"a\0\xff\0", "shape": [-1, 3]}


def test_names_that_the_app_cannot_register(tmp_path):
    m = Maker()
    m.tensor("x", (1,))
    m.op("Softmax", ["x"], ["y"])  # TFLite's own is called SOFTMAX
    with pytest.raises(UnsupportedOps, match="custom op 'Softmax' has the name of an op of MACE"):
        convert("tflite", m.save(tmp_path, ["x"], ["y"]), ["all"])
    m = Maker()
    m.tensor("x", (1,))
    m.op("an op", ["x"], ["y"])
    with pytest.raises(UnsupportedOps, match="letters, digits"):
        convert("tflite", m.save(tmp_path, ["x"], ["y"]), ["all"])


def flexbuffer():
    b = flexbuffers.Builder()
    with b.Map():
        b.Int("radius", -3)
        b.Float("sigma", 0.5)
        b.Bool("exact", True)
        b.String("mode", "edge")
        b.Add("more", "text")
        b.TypedVectorFromElements("sizes", [1, 2, 3])
        b.Add("floats", [0.5, 2])
        with b.Map("inner"):
            b.Int("lost", 1)
    return bytes(b.Finish())


def test_tflite(tmp_path):
    m = Maker()
    m.tensor("x", (1, 4))
    m.tensor("b", (1, 4))
    m.op("Blur", ["x", "", "x"], ["b"], CustomOptions=flexbuffer())
    m.op("RELU", ["b"], ["y"])
    graph = convert("tflite", m.save(tmp_path, ["x"], ["y"]), ["Blur"])
    inputs, outputs, attrs, _ = stored(graph)["Blur"]
    assert inputs == ["x", "", "x"] and outputs == ["b"]
    assert attrs.pop("custom_options") == flexbuffer()
    assert attrs == {"radius": -3, "sigma": 0.5, "exact": 1, "mode": b"edge", "more": b"text",
                     "sizes": [1, 2, 3], "floats": [0.5, 2.0]}
    assert graph.tensors["y"].static_shape == (1, 4)


def test_tflite_options_that_are_no_flexbuffer_stay_bytes():
    rng = np.random.default_rng(3)
    for data in (b"\1", b"\1\2\3", *(rng.bytes(n) for n in range(1, 200))):
        assert custom_options.attributes(data)["custom_options"] == data
    assert custom_options.attributes(b"") == {}
    damaged = bytearray(flexbuffer())
    for k in range(len(damaged)):
        for value in (0, 127, 255):
            bytes_ = bytes(damaged[:k] + bytes([value]) + damaged[k + 1 :])
            assert custom_options.attributes(bytes_)["custom_options"] == bytes_


def test_tensorflow(tmp_path):
    from mace_tools.convert.importers.tensorflow.reader import PROTO
    from mace_tools.support import protos

    g = protos.load(PROTO).GraphDef()
    g.versions.producer = 24
    x = g.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = 1
    for size in (1, 4):
        x.attr["shape"].shape.dim.add(size=size)
    blur = g.node.add(name="blur", op="Blur", input=["x", "x"])
    blur.attr["T"].type = 1
    blur.attr["radius"].i = 3
    blur.attr["mode"].s = b"edge"
    blur.attr["exact"].b = True
    blur.attr["sizes"].list.i.extend([1, 2])
    shape = blur.attr["_output_shapes"].list.shape.add()
    for size in (1, 4):
        shape.dim.add(size=size)
    blur.attr["Tout"].list.type.extend([1, 3])
    g.node.add(name="y", op="Relu", input=["blur"])
    g.node.add(name="z", op="Identity", input=["blur:1"])
    path = tmp_path / "model.pb"
    path.write_bytes(g.SerializeToString())
    graph = convert("tensorflow", path, ["Blur"], None, ["y", "z"])
    inputs, outputs, attrs, _ = stored(graph)["Blur"]
    assert inputs == ["x", "x"] and len(outputs) == 2
    assert attrs == {"T": b"f32", "radius": 3, "mode": b"edge", "exact": 1, "sizes": [1, 2],
                     "Tout": b"f32\0i32\0"}
    assert graph.tensors["y"].static_shape == (1, 4)
    assert graph.tensors["z"].dtype == "i32"
    with pytest.raises(UnsupportedOps, match="Blur x1"):
        convert("tensorflow", path, [], None, ["y"])
