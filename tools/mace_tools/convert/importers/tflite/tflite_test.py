"""Tests of the TFLite importer on models made here; whole models are in test/golden.

SPDX-License-Identifier: Apache-2.0
"""

import struct

import numpy as np
import pytest
import tflite

from mace_tools.convert import reference
from mace_tools.convert.importers import load
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.reader import read
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.by_litert import litert
from mace_tools.testing.tflite_cases import CASES
from mace_tools.testing.tflite_file import CODE_FIELDS, Maker

RNG = np.random.default_rng(11)


def run(maker, folder, feeds, outputs=("y",)):
    feeds = {k: np.asarray(v) for k, v in feeds.items()}
    path = maker.save(folder, list(feeds), outputs)
    graph = load("tflite", path, {k: v.shape for k, v in feeds.items()}, outputs)
    results = reference.run(graph, feeds)
    return [results[name] for name in outputs]


def uniform(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def conv_model(x, w, kind="CONV_2D", options="Conv2DOptions", **fields):
    m = Maker()
    m.tensor("x", x.shape)
    fields = {"Padding": 1, "StrideH": 1, "StrideW": 1, **fields}
    m.op(kind, ["x", m.const("w", w)], ["y"], options, **fields)
    return m


def test_convolution_filters_change_from_ohwi(tmp_path):
    x, w = uniform(1, 4, 5, 2), uniform(3, 2, 2, 2)
    y, = run(conv_model(x, w, StrideW=2), tmp_path, {"x": x})
    want = np.array([[[np.einsum("hwi,ohwi->o", x[0, i : i + 2, j : j + 2], w)
                       for j in (0, 2)] for i in range(3)]])
    np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-6)


def test_grouped_convolution(tmp_path):
    x, w = uniform(1, 3, 3, 4), uniform(2, 1, 1, 2)
    y, = run(conv_model(x, w), tmp_path, {"x": x})
    want = np.stack([x[..., :2] @ w[0, 0, 0], x[..., 2:] @ w[1, 0, 0]], -1)
    np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-6)


def test_depthwise_multiplier_and_dilation(tmp_path):
    x, w = uniform(1, 5, 5, 2), uniform(1, 2, 2, 6)
    m = conv_model(x, w, "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", DepthMultiplier=3,
                   DilationHFactor=2, DilationWFactor=3)
    y, = run(m, tmp_path, {"x": x})
    for c in range(6):
        want = sum(w[0, i, j, c] * x[0, 2 * i : 2 * i + 3, 3 * j : 3 * j + 2, c // 3]
                   for i in range(2) for j in range(2))
        np.testing.assert_allclose(y[0, ..., c], want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind, low, high", [
    ("RELU", 0, np.inf), ("RELU6", 0, 6), ("RELU_N1_TO_1", -1, 1), ("NONE", -np.inf, np.inf)])
def test_fused_activations(tmp_path, kind, low, high):
    m = Maker()
    x = np.float32([-9, -0.5, 0.5, 3, 9])
    m.tensor("x", x.shape)
    m.op("ADD", ["x", m.const("k", np.float32([0.25]))], ["y"], "AddOptions",
         FusedActivationFunction=getattr(tflite.ActivationFunctionType, kind))
    assert run(m, tmp_path, {"x": x})[0].tolist() == np.clip(x + 0.25, low, high).tolist()


def test_float16_constants_are_widened(tmp_path):
    m = Maker()
    m.tensor("x", (2, 3))
    w = RNG.uniform(-1, 1, (4, 3)).astype(np.float16)
    m.op("DEQUANTIZE", [m.const("w16", w)], ["w"], "DequantizeOptions")
    m.op("FULLY_CONNECTED", ["x", "w"], ["y"], "FullyConnectedOptions")
    graph = load("tflite", m.save(tmp_path, ["x"], ["y"]))
    assert [n.op for n in graph.nodes] == ["FullyConnected"]
    assert {t.dtype for t in graph.tensors.values()} == {"f32"}
    x = uniform(2, 3)
    np.testing.assert_allclose(reference.run(graph, {"x": x})["y"], x @ w.T.astype(np.float32),
                               rtol=1e-5, atol=1e-6)


def test_fully_connected_flattens_unless_told_not_to(tmp_path):
    x, w = uniform(2, 3, 4), uniform(5, 4)
    for keep, shape in ((False, (6, 5)), (True, (2, 3, 5))):
        m = Maker()
        m.tensor("x", x.shape)
        m.op("FULLY_CONNECTED", ["x", m.const("w", w)], ["y"], "FullyConnectedOptions",
             KeepNumDims=keep)
        y, = run(m, tmp_path, {"x": x})
        np.testing.assert_allclose(y, (x @ w.T).reshape(shape), rtol=1e-5, atol=1e-6)


def test_shape_chains_stay_dynamic(tmp_path):
    m = Maker()
    m.tensor("x", (1, 2, 3, 4))
    m.op("SHAPE", ["x"], ["s"], "ShapeOptions", OutType=2)
    one = [m.const(n, np.int32([v])) for n, v in (("b", 0), ("e", 1), ("st", 1))]
    m.op("STRIDED_SLICE", ["s", *one], ["n"], "StridedSliceOptions", ShrinkAxisMask=1)
    m.op("PACK", ["n", m.const("k", np.int32(-1)), m.const("c", np.int32(2))], ["d"],
         "PackOptions", ValuesCount=3)
    m.op("RESHAPE", ["x", "d"], ["y"], "ReshapeOptions")
    graph = load("tflite", m.save(tmp_path, ["x"], ["y"]))
    assert graph.tensors["y"].shape == (1, 12, 2)
    assert reference.run(graph, {"x": uniform(3, 2, 3, 4)})["y"].shape == (3, 12, 2)


def test_names_are_made_unique(tmp_path):
    m = Maker()
    m.tensor("x", (2,))
    m.tensor("same", (2,))
    m.op("NEG", ["x"], ["same"])
    m.index["second"] = len(m.tensors)
    m.tensors.append(("same", (2,), "float32", None, None))
    m.op("ABS", ["same"], ["second"])
    model = read(m.save(tmp_path, ["x"], ["second"]))
    assert len(set(model.producers())) == 2 and model.outputs[0] != "same"


def test_quantized_tensors_and_unknown_operators_at_once(tmp_path):
    m = Maker()
    m.tensor("x", (1, 4), "int4", scale=0.5)
    m.tensor("q", (1, 4), "int4", scale=0.25)
    m.op("ADD", ["x", "x"], ["q"], "AddOptions")
    m.op("RFFT2D", ["q"], ["f"], "Rfft2dOptions")
    m.op("Blur", ["f"], ["y"])
    with pytest.raises(UnsupportedOps) as e:
        load("tflite", m.save(tmp_path, ["x"], ["y"]))
    text = str(e.value)
    assert "ADD x1: 'q'" in text and "computed tensor of INT4" in text
    assert "quantize activations to 8 or 16 bits" in text
    assert "RFFT2D x1" in text and "'Blur' x1" in text


@pytest.mark.parametrize("op, case", {c.op: c for c in CASES}.items(), ids=str)
def test_numbers_of_operators_are_in_either_field(tmp_path, op, case):
    m, feeds, outputs = case.model()
    path = m.save(tmp_path, list(feeds), outputs)
    want = [n.op for n in read(path).nodes]
    for m.code_fields in CODE_FIELDS[1:], CODE_FIELDS[:1]:
        if getattr(tflite.BuiltinOperator, op) < 127 or m.code_fields == CODE_FIELDS[1:]:
            assert [n.op for n in read(m.save(tmp_path, list(feeds), outputs)).nodes] == want


@pytest.mark.parametrize("op, want", [("MUL", [4, 10]), ("SUB", [0, 3]), ("ADD", [4, 7])])
def test_a_number_in_the_wide_field_alone_computes_what_litert_does(tmp_path, op, want):
    m, feeds = Maker(), {"a": np.float32([2, 5]), "b": np.float32([2, 2])}
    m.code_fields = ("BuiltinCode",)
    m.tensor("a", (2,))
    m.tensor("b", (2,))
    m.op(op, ["a", "b"], ["y"], f"{op.capitalize()}Options")
    assert run(m, tmp_path, feeds)[0].tolist() == want
    assert litert(m.bytes(["a", "b"], ["y"]), feeds)[0].tolist() == want


def test_what_the_schema_does_not_have_is_refused(tmp_path, monkeypatch):
    def add(kind, slots, slot, value):
        monkeypatch.setattr(tflite, f"{kind}Start", lambda b: (
            b.StartObject(slots), b.PrependUint32Slot(slot, value, 0)))

    add("Tensor", 11, 10, 1)  # external_buffer
    path = small().save(tmp_path, ["x"], ["y"])
    monkeypatch.undo()
    with pytest.raises(UnsupportedOps, match="number 10 of Tensor, which this converter does not"):
        load("tflite", path)
    add("Operator", 20, 19, 1)
    path = small().save(tmp_path, ["x"], ["y"])
    monkeypatch.undo()
    with pytest.raises(UnsupportedOps, match="attribute number 19 of Operator = 'set'"):
        load("tflite", path)


def test_options_and_contents_behind_the_table_are_read(tmp_path, monkeypatch):
    end, blob = tflite.OperatorEnd, struct.pack("<3i", 1, 2, 2)
    path = tmp_path / "model.tflite"
    for offset in (1 << 20, 0):  # the second file has the length of the first
        at = offset or len(path.read_bytes())
        monkeypatch.setattr(tflite, "OperatorEnd", lambda b, at=at: (
            tflite.OperatorAddLargeCustomOptionsOffset(b, at),
            tflite.OperatorAddLargeCustomOptionsSize(b, len(blob)), end(b))[-1])
        m = Maker()
        m.tensor("x", (2, 3))
        m.op("Odd", ["x"], ["y"])
        m.save(tmp_path, ["x"], ["y"])
        if offset:
            with pytest.raises(ModelError, match="the options of a custom operator end at byte"):
                read(path)
    path.write_bytes(path.read_bytes() + blob)
    assert read(path).nodes[0].attrs["custom_options"] == blob


def test_schemes_of_quantization_other_than_scales_are_refused(tmp_path, monkeypatch):
    m = Maker()
    m.tensor("x", (2, 3))
    m.tensor("w", (4, 3), "int8", np.ones((4, 3), np.int8), scale=[1.0])
    m.op("FULLY_CONNECTED", ["x", "w"], ["y"], "FullyConnectedOptions")
    end = tflite.QuantizationParametersEnd
    for number, text in ((1, "custom"), (2, "by block"), (9, "of the kind 9")):
        monkeypatch.setattr(tflite, "QuantizationParametersEnd", lambda b, number=number: (
            tflite.QuantizationParametersAddDetailsType(b, number), end(b))[-1])
        with pytest.raises(UnsupportedOps, match=f"INT8 whose quantization is {text}"):
            load("tflite", m.save(tmp_path, ["x"], ["y"]))


def small():
    m = Maker()
    m.tensor("x", (2, 3))
    m.op("FULLY_CONNECTED", ["x", m.const("w", uniform(4, 3))], ["y"], "FullyConnectedOptions")
    return m


def test_wrong_contents_and_tensor_numbers(tmp_path):
    m = small()
    m.tensors[1] = ("w", (4, 5), "float32", uniform(4, 3), None)
    with pytest.raises(ModelError, match="48 bytes of contents for 'w'.*takes 80"):
        read(m.save(tmp_path, ["x"], ["y"]))
    m = small()
    m.index["z"] = 77
    with pytest.raises(ModelError, match="tensor 77 of 3"):
        read(m.save(tmp_path, ["x"], ["z"]))


@pytest.mark.parametrize("data, message", [
    (b"", "the file is empty"),
    (b"GIF89a" + bytes(100), "not a TFLite model"),
    (b"\x08\x01" * 30, "not a TFLite model"),
    (b"\xff\xff\xff\x7fTFL3" + bytes(20), "broken TFLite model"),
], ids=["empty", "picture", "protobuf", "root"])
def test_foreign_files(tmp_path, data, message):
    path = tmp_path / "bad.tflite"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=f"bad.tflite.*{message}"):
        read(path)


def test_no_cut_or_flipped_file_escapes_as_another_error(tmp_path):
    """Any damage is a MaceError or goes unnoticed; never another exception, never a hang."""
    whole = small().bytes(["x"], ["y"])
    path = tmp_path / "bad.tflite"
    refused = 0
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refused += _refused(path)
    assert refused > len(whole) // 2
    for at in range(len(whole)):
        for value in (0, 0x7F, 0xFF):
            path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            _refused(path)


def _refused(path):
    try:
        load("tflite", path)
    except (ModelError, UnsupportedOps):
        return 1
    return 0


def test_the_contracts_operators_are_there():
    """What TFLite's first release had, bar recurrent cells, hashing and sparse embeddings."""
    wanted = """ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE
        DEQUANTIZE EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED L2_NORMALIZATION L2_POOL_2D
        LOCAL_RESPONSE_NORMALIZATION LOGISTIC MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE
        RESIZE_BILINEAR SOFTMAX SPACE_TO_DEPTH TANH PAD MEAN SUB DIV SQUEEZE STRIDED_SLICE
        BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE""".split()
    assert set(wanted) <= set(registry.supported())


def test_dimensions_that_the_file_leaves_open(tmp_path):
    m = Maker()
    for name, shape in (("x", (1, 1, 3)), ("fixed", (1, 1, 3)), ("odd", (1, 1, 3))):
        m.tensor(name, shape)
    m.shape_signatures = {"x": (-1, -1, 3), "odd": (-1, 3)}
    m.op("ADD_N", ["x", "fixed", "odd"], ["y"], "AddNOptions")
    path = m.save(tmp_path, ["x", "fixed", "odd"], ["y"])
    assert {name: info.shape for name, info in read(path).inputs.items()} == {
        "x": (None, None, 3), "fixed": (1, 1, 3), "odd": (1, 1, 3)}
    graph = load("tflite", path, {"x": (2, 5, 3), "fixed": (2, 5, 3), "odd": (1, 1, 3)})
    x = uniform(2, 5, 3)
    got = reference.run(graph, {"x": x, "fixed": x, "odd": x[:1, :1]})["y"]
    np.testing.assert_allclose(got, x + x + x[:1, :1], rtol=1e-6)
