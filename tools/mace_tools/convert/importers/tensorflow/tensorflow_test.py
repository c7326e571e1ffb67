"""Tests of the TensorFlow importer on graphs made here; op vectors are in test/golden.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.convert.importers.request import RequestError
from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.reader import PROTO, read
from mace_tools.support import protos
from mace_tools.support.errors import ModelError, UnsupportedOps

FLOAT, INT32, STRING, INT64, HALF, BFLOAT16 = 1, 3, 7, 9, 19, 14
_NUMBERS = {"float32": FLOAT, "int32": INT32, "int64": INT64, "float16": HALF}
RNG = np.random.default_rng(7)


class Maker:
    """A GraphDef made node by node."""

    def __init__(self):
        self.graph = protos.load(PROTO).GraphDef()
        self.graph.versions.producer = 27

    def node(self, name, op, *inputs, **attrs):
        n = self.graph.node.add(name=name, op=op)
        n.input.extend(inputs)
        for key, value in attrs.items():
            _set(n.attr[key], value)
        return name

    def const(self, name, value):
        value = np.asarray(value)
        n = self.graph.node.add(name=name, op="Const")
        t = n.attr["value"].tensor
        t.dtype = _NUMBERS[value.dtype.name]
        for d in value.shape:
            t.tensor_shape.dim.add(size=d)
        t.tensor_content = value.tobytes()
        return name

    def placeholder(self, name, *shape):
        n = self.graph.node.add(name=name, op="Placeholder")
        n.attr["dtype"].type = FLOAT
        for d in shape:
            n.attr["shape"].shape.dim.add(size=d)
        return name

    def of_floats(self):
        """States the types, without which TensorFlow does not run the nodes."""
        for n in self.graph.node:
            n.attr["dtype" if n.op in ("Const", "Placeholder") else "T"].type = FLOAT
        return self

    def save(self, folder):
        path = folder / "model.pb"
        path.write_bytes(self.graph.SerializeToString())
        return path


def _set(attr, value):
    if isinstance(value, bool):
        attr.b = value
    elif isinstance(value, int):
        attr.i = value
    elif isinstance(value, float):
        attr.f = value
    elif isinstance(value, str):
        attr.s = value.encode()
    else:
        (attr.list.f if isinstance(value[0], float) else attr.list.i).extend(value)


def run(maker, folder, feeds, outputs=("y",)):
    """The outputs of a graph for given feeds, in NumPy."""
    feeds = {k: np.asarray(v) for k, v in feeds.items()}
    graph = load("tensorflow", maker.save(folder), {k: v.shape for k, v in feeds.items()}, outputs)
    results = reference.run(graph, feeds)
    return [results[name] for name in graph.outputs]


def naive_conv(x, w):
    """Stride 1, no padding, straight from the definition; w is HWIO."""
    n, h, wide, _ = x.shape
    kh, kw, _, o = w.shape
    y = np.zeros((n, h - kh + 1, wide - kw + 1, o), np.float32)
    for i in range(y.shape[1]):
        for j in range(y.shape[2]):
            y[:, i, j] = np.einsum("nhwi,hwio->no", x[:, i : i + kh, j : j + kw], w)
    return y


def uniform(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_convolution_filters_change_from_hwio(tmp_path, data_format):
    x, w, bias = uniform(2, 5, 6, 3), uniform(3, 2, 3, 4), uniform(4)
    want = naive_conv(x, w) + bias
    nchw = data_format == "NCHW"
    m = Maker()
    m.placeholder("x")
    m.node("c", "Conv2D", "x", m.const("w", w), strides=[1, 1, 1, 1], padding="VALID",
           data_format=data_format)
    m.node("y", "BiasAdd", "c", m.const("b", bias), data_format=data_format)
    y, = run(m, tmp_path, {"x": x.transpose(0, 3, 1, 2) if nchw else x})
    np.testing.assert_allclose(y.transpose(0, 2, 3, 1) if nchw else y, want, rtol=1e-5, atol=1e-6)


def test_depthwise_multiplier_is_fastest(tmp_path):
    x, w = uniform(1, 4, 4, 2), uniform(2, 2, 2, 3)
    m = Maker()
    m.placeholder("x")
    m.node("y", "DepthwiseConv2dNative", "x", m.const("w", w), strides=[1, 1, 1, 1],
           padding="VALID")
    y, = run(m, tmp_path, {"x": x})
    for i in range(2):
        want = naive_conv(x[..., i : i + 1], w[:, :, i : i + 1])
        np.testing.assert_allclose(y[..., 3 * i : 3 * i + 3], want, rtol=1e-5, atol=1e-6)


def test_explicit_padding_and_strides_follow_the_format(tmp_path):
    x, w = uniform(1, 2, 5, 5), uniform(2, 2, 2, 1)
    m = Maker()
    m.placeholder("x")
    m.node("y", "Conv2D", "x", m.const("w", w), strides=[1, 1, 2, 1], padding="EXPLICIT",
           explicit_paddings=[0, 0, 0, 0, 1, 0, 0, 2], data_format="NCHW")
    y, = run(m, tmp_path, {"x": x})
    padded = np.pad(x.transpose(0, 2, 3, 1), [(0, 0), (1, 0), (0, 2), (0, 0)])
    want = naive_conv(padded, w)[:, ::2].transpose(0, 3, 1, 2)
    np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-6)


def test_transposed_convolution_is_the_gradient_of_the_convolution(tmp_path):
    w, g = uniform(2, 3, 2, 4), uniform(1, 3, 2, 4)  # HWOI: 4 in, 2 out
    m = Maker()
    m.placeholder("g")
    m.node("y", "Conv2DBackpropInput", m.const("size", np.array([1, 4, 4, 2], np.int32)),
           m.const("w", w), "g", strides=[1, 1, 1, 1], padding="VALID")
    y, = run(m, tmp_path, {"g": g})
    want = np.zeros((1, 4, 4, 2), np.float32)
    for i in range(3):
        for j in range(2):
            want[:, i : i + 2, j : j + 3] += np.einsum("nc,hwoc->nhwo", g[:, i, j], w)
    np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-6)


def test_names_may_have_an_output_number(tmp_path):
    m = Maker()
    m.placeholder("x", 2, 3)
    m.node("y", "Relu", "x:0")
    graph = load("tensorflow", m.save(tmp_path), {"x:0": (2, 3)}, ["y:0"])
    assert graph.inputs == ["x:0"] and graph.outputs == ["y:0"]
    graph.validate()
    assert reference.run(graph, {"x:0": uniform(2, 3)})["y:0"].min() >= 0


def test_later_outputs_of_a_node(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("s", "Split", m.const("axis", np.int32(1)), "x", num_split=3)
    m.node("y", "Sub", "s:2", "s")
    x = np.arange(6, dtype=np.float32).reshape(1, 6)
    y, last = run(m, tmp_path, {"x": x}, ["y", "s:2"])
    assert y.tolist() == [[4, 4]] and last.tolist() == [[4, 5]]


def test_cut_at_an_inner_tensor(tmp_path):
    m = Maker()
    m.placeholder("wav")
    m.node("Mfcc", "Mfcc", "wav")
    m.node("y", "Neg", "Mfcc")
    assert run(m, tmp_path, {"Mfcc": [[1.0, 2.0]]})[0].tolist() == [[-1, -2]]


def test_unknown_names_list_close_ones(tmp_path):
    m = Maker()
    m.placeholder("images", 1, 4)
    m.node("logits", "Relu", "images")
    with pytest.raises(RequestError, match="no tensor 'logit'.*did you mean 'logits'.*'images'"):
        load("tensorflow", m.save(tmp_path), {"images": (1, 4)}, ["logit"])


def test_all_unsupported_operators_at_once(tmp_path):
    m = Maker()
    m.placeholder("x", 1, 4)
    m.node("a", "DecodeWav", "x")
    m.node("b", "Frobnicate", "x")
    m.node("c", "Frobnicate", "b")
    m.node("d", "Pow", "a", "c")
    m.node("e", "FusedBatchNorm", *["x"] * 5, is_training=True)
    m.node("y", "Add", "d", "e")
    with pytest.raises(UnsupportedOps) as e:
        load("tensorflow", m.save(tmp_path), None, ["y"])
    text = str(e.value)
    assert "DecodeWav x1: 'a'" in text and "Frobnicate x2: 'b', 'c'" in text
    assert "is_training" in text and "audio front ends stay outside" in text


@pytest.mark.parametrize("fixed", [True, False])
def test_slice_to_the_end(tmp_path, fixed):
    m = Maker()
    m.placeholder("x")
    begin, size = np.array([1, 2], np.int32), np.array([-1, 3], np.int32)
    if fixed:
        m.const("begin", begin)
    else:  # computed from the operand's shape
        m.node("shape", "Shape", "x")
        m.node("begin", "Sub", "shape", m.const("less", np.array([3, 6], np.int32)))
    m.node("y", "Slice", "x", "begin", m.const("size", size))
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    y, = run(m, tmp_path, {"x": x})
    assert y.tolist() == x[1:, 2:5].tolist()


def test_reduction_over_no_axis_keeps_the_operand(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("y", "Sum", "x", m.const("axes", np.zeros(0, np.int32)))
    assert run(m, tmp_path, {"x": uniform(2, 2)})[0].shape == (2, 2)


def test_select_by_rows(tmp_path):
    m = Maker()
    m.placeholder("x")
    m.node("sum", "Sum", "x", m.const("axes", np.array([1], np.int32)))
    m.node("cond", "Greater", "sum", m.const("zero", np.float32(0)))
    m.node("minus", "Neg", "x")
    m.node("y", "Select", "cond", "x", "minus")
    assert run(m, tmp_path, {"x": np.float32([[1, -2], [3, 1]])})[0].tolist() == [[-1, 2], [3, 1]]


def test_inner_shapes_stay_dynamic(tmp_path):
    """A converted model must take other input shapes: no extent may be baked in."""
    m = Maker()
    m.placeholder("x")
    m.node("shape", "Shape", "x")
    m.node("n", "StridedSlice", "shape", m.const("b", np.array([0], np.int32)),
           m.const("e", np.array([1], np.int32)), m.const("s", np.array([1], np.int32)),
           shrink_axis_mask=1)
    m.node("dims", "Pack", "n", m.const("rest", np.int32(-1)), axis=0)
    m.node("y", "Reshape", "x", "dims")
    graph = load("tensorflow", m.save(tmp_path), {"x": (2, 3, 4)}, ["y"])
    x = uniform(5, 2, 2)
    assert reference.run(graph, {"x": x})["y"].shape == (5, 4)


def test_constants_of_every_form(tmp_path):
    m = Maker()
    for name, dtype, field, values, dims in [
        ("splat", FLOAT, "float_val", [1.5], [2, 2]),
        ("tail", INT32, "int_val", [1, 2], [3]),
        ("half", HALF, "half_val", [0x3C00, 0xC000], [2]),
        ("brain", BFLOAT16, "half_val", [0x3F80, 0x4049], [2]),
        ("text", STRING, "string_val", [b"yes"], []),
    ]:
        t = m.graph.node.add(name=name, op="Const").attr["value"].tensor
        t.dtype = dtype
        getattr(t, field).extend(values)
        for d in dims:
            t.tensor_shape.dim.add(size=d)
    constants = read(m.save(tmp_path)).constants
    assert constants["splat"].tolist() == [[1.5, 1.5], [1.5, 1.5]]
    assert constants["tail"].tolist() == [1, 2, 2]
    assert constants["half"].tolist() == [1, -2] and constants["half"].dtype == np.float16
    assert constants["brain"].tolist() == [1, 3.140625]
    assert "text" not in constants  # fine as long as nothing needs it


def test_text_format(tmp_path):
    m = Maker()
    m.placeholder("x", 1)
    m.node("y", "Relu", "x")
    path = tmp_path / "model.pbtxt"
    path.write_text(str(m.graph))
    assert read(path).outputs == ["y"]
    path.write_text("node { name: 3 }")
    with pytest.raises(ModelError, match="model.pbtxt: broken text"):
        read(path)


def damaged(change):
    m = Maker()
    m.placeholder("x", 1, 4)
    m.const("w", uniform(4, 4))
    m.node("y", "MatMul", "x", "w")
    change(m.graph)
    return m.graph.SerializeToString()


@pytest.mark.parametrize("data, message", [
    (b"", "empty"),
    (b"\xff" * 100, "not a TensorFlow graph"),
    (b"\x18\x00\x00\x00TFL3" + bytes(40), "TensorFlow"),
    (damaged(lambda g: None)[:-30], "cut off"),
    (damaged(lambda g: g.node.add(name="y", op="Relu")), "two nodes are named 'y'"),
    (damaged(lambda g: g.node[2].input.append("z")), "there is no node 'z'"),
    (damaged(lambda g: g.node.add(op="Relu")), "without name"),
    (damaged(lambda g: g.node.add(name="q")), "without operator"),
    (damaged(lambda g: g.node[1].attr["value"].tensor.tensor_shape.dim.add(size=2)),
     "64 bytes of float contents, its shape wants 128"),
    (damaged(lambda g: g.node.add(name="s", op="Split").attr["num_split"].MergeFromString(
        b"\x18\xff\xff\xff\xff\x0f")), "outputs"),
], ids=["empty", "garbage", "tflite", "short", "twice", "dangling", "nameless", "opless", "size",
        "outputs"])
def test_damaged_files(tmp_path, data, message):
    path = tmp_path / "bad.pb"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message) as e:
        read(path)
    assert "bad.pb" in str(e.value) or "'w'" in str(e.value)


def test_missing_file(tmp_path):
    with pytest.raises(ModelError, match="none.pb: cannot be read"):
        read(tmp_path / "none.pb")


def test_a_loop_of_nodes_is_an_error(tmp_path):
    m = Maker()
    m.node("a", "Relu", "b")
    m.node("b", "Relu", "a")
    with pytest.raises(ModelError, match="cycle"):
        load("tensorflow", m.save(tmp_path), None, ["b"])


def test_the_contracts_operators_are_there():
    """The 48 of the documentation that this project follows, bar those that are no operators."""
    wanted = """Conv2D DepthwiseConv2dNative Conv2DBackpropInput BiasAdd Add Sub Mul Div Min Max Neg
        Abs Pow RealDiv SquaredDifference Square Rsqrt Relu Relu6 Tanh Sigmoid FusedBatchNorm
        AvgPool MaxPool MatMul BatchMatMul Identity Reshape Shape Squeeze Transpose Softmax
        ResizeBilinear SpaceToBatchND BatchToSpaceND DepthToSpace SpaceToDepth Pad ConcatV2 Mean
        Gather StridedSlice Slice Pack Stack Cast""".split()
    assert set(wanted) <= set(registry.supported())


def test_unsigned_numbers_wrap_at_their_width(tmp_path):
    m, uint32 = Maker(), 22
    m.placeholder("x", 4)
    m.graph.node[-1].attr["dtype"].type = INT64
    for name, op, inputs, types in (
            ("u", "Cast", ["x"], {"SrcT": INT64, "DstT": uint32}),
            ("v", "Mul", ["u", "u"], {"T": uint32}), ("w", "AddV2", ["v", "u"], {"T": uint32}),
            ("y", "Cast", ["w"], {"SrcT": uint32, "DstT": INT64})):
        m.node(name, op, *inputs)
        for key, code in types.items():
            m.graph.node[-1].attr[key].type = code
    x = np.array([-1, 2**32 - 2, 70_000, 2**40 + 3])
    u = x.astype(np.uint32)
    assert run(m, tmp_path, {"x": x})[0].tolist() == (u * u + u).astype(np.int64).tolist()
