"""Tests of the TFLite importer on models made here; whole models are in test/golden.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import flatbuffers
import numpy as np
import pytest
import tflite

from mace_tools import reference
from mace_tools.errors import ModelError, UnsupportedOps
from mace_tools.importers import load
from mace_tools.importers.tflite import registry
from mace_tools.importers.tflite.reader import read

_TYPES = {"float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4, "int8": 9}
RNG = np.random.default_rng(11)


class Maker:
    """A TFLite model made tensor by tensor; tensors are known by name."""

    def __init__(self):
        self.tensors, self.ops, self.index = [], [], {}
        self.variables = set()  # names of tensors that keep their contents between runs

    def tensor(self, name, shape=(), dtype="float32", data=None, scale=None):
        self.index[name] = len(self.tensors)
        self.tensors.append((name, shape, dtype, data, scale))
        return name

    def const(self, name, data):
        data = np.asarray(data)
        return self.tensor(name, data.shape, data.dtype.name, data)

    def op(self, kind, inputs, outputs, options="", **fields):
        for out in outputs:
            if out not in self.index:
                self.tensor(out)
        self.ops.append((kind, inputs, outputs, options, fields))

    def save(self, folder, inputs, outputs):
        path = folder / "model.tflite"
        path.write_bytes(self.bytes(inputs, outputs))
        return path

    def bytes(self, inputs, outputs):
        b = flatbuffers.Builder()
        kinds = sorted({op[0] for op in self.ops})
        codes = [self._code(b, k) for k in kinds]
        buffers = [self._buffer(b, None)] + [self._buffer(b, t[3]) for t in self.tensors]
        tensors = [self._tensor(b, k, t) for k, t in enumerate(self.tensors)]
        ops = [self._operator(b, kinds, op) for op in self.ops]
        lists = [_offsets(b, tensors), self._ids(b, inputs), self._ids(b, outputs),
                 _offsets(b, ops)]
        tflite.SubGraphStart(b)
        for name, value in zip(("Tensors", "Inputs", "Outputs", "Operators"), lists):
            getattr(tflite, f"SubGraphAdd{name}")(b, value)
        graphs = _offsets(b, [tflite.SubGraphEnd(b)])
        codes, buffers = _offsets(b, codes), _offsets(b, buffers)
        tflite.ModelStart(b)
        tflite.ModelAddVersion(b, 3)
        tflite.ModelAddOperatorCodes(b, codes)
        tflite.ModelAddSubgraphs(b, graphs)
        tflite.ModelAddBuffers(b, buffers)
        b.Finish(tflite.ModelEnd(b), b"TFL3")
        return bytes(b.Output())

    def _ids(self, b, names):
        return b.CreateNumpyVector(np.array([self.index.get(n, -1) for n in names], np.int32))

    @staticmethod
    def _code(b, kind):
        number = getattr(tflite.BuiltinOperator, kind, tflite.BuiltinOperator.CUSTOM)
        name = b.CreateString(kind)
        tflite.OperatorCodeStart(b)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(b, min(number, 127))
        tflite.OperatorCodeAddBuiltinCode(b, number)
        if number == tflite.BuiltinOperator.CUSTOM:
            tflite.OperatorCodeAddCustomCode(b, name)
        return tflite.OperatorCodeEnd(b)

    @staticmethod
    def _buffer(b, data):
        raw = None if data is None else b.CreateNumpyVector(np.frombuffer(data.tobytes(), np.uint8))
        tflite.BufferStart(b)
        if raw is not None:
            tflite.BufferAddData(b, raw)
        return tflite.BufferEnd(b)

    def _tensor(self, b, k, tensor):
        name, shape, dtype, _, scale = tensor
        its_name, dims = b.CreateString(name), b.CreateNumpyVector(np.array(shape, np.int32))
        quant = None
        if scale is not None:
            scales = b.CreateNumpyVector(np.array([scale], np.float32))
            tflite.QuantizationParametersStart(b)
            tflite.QuantizationParametersAddScale(b, scales)
            quant = tflite.QuantizationParametersEnd(b)
        tflite.TensorStart(b)
        tflite.TensorAddShape(b, dims)
        tflite.TensorAddType(b, _TYPES[dtype])
        tflite.TensorAddBuffer(b, k + 1)
        tflite.TensorAddName(b, its_name)
        tflite.TensorAddIsVariable(b, name in self.variables)
        if quant is not None:
            tflite.TensorAddQuantization(b, quant)
        return tflite.TensorEnd(b)

    def _operator(self, b, kinds, op):
        kind, inputs, outputs, options, fields = op
        ins, outs, table, custom = self._ids(b, inputs), self._ids(b, outputs), None, None
        if "CustomOptions" in fields:
            custom = b.CreateByteVector(fields["CustomOptions"])
        if options:
            fields = {k: b.CreateNumpyVector(np.array(v, np.int32)) if isinstance(v, list) else v
                      for k, v in fields.items()}
            getattr(tflite, f"{options}Start")(b)
            for key, value in fields.items():
                getattr(tflite, f"{options}Add{key}")(b, value)
            table = getattr(tflite, f"{options}End")(b)
        tflite.OperatorStart(b)
        tflite.OperatorAddOpcodeIndex(b, kinds.index(kind))
        tflite.OperatorAddInputs(b, ins)
        tflite.OperatorAddOutputs(b, outs)
        if table is not None:
            tflite.OperatorAddBuiltinOptionsType(b, getattr(tflite.BuiltinOptions, options))
            tflite.OperatorAddBuiltinOptions(b, table)
        if custom is not None:
            tflite.OperatorAddCustomOptions(b, custom)
        return tflite.OperatorEnd(b)


def _offsets(b, items):
    b.StartVector(4, len(items), 4)
    for item in reversed(items):
        b.PrependUOffsetTRelative(item)
    return b.EndVector()


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
    m.tensor("x", (1, 4), "int8", scale=0.5)
    m.tensor("q", (1, 4), "int8", scale=0.25)
    m.op("ADD", ["x", "x"], ["q"], "AddOptions")
    m.op("RFFT2D", ["q"], ["f"], "Rfft2dOptions")
    m.op("Blur", ["f"], ["y"])
    with pytest.raises(UnsupportedOps) as e:
        load("tflite", m.save(tmp_path, ["x"], ["y"]))
    text = str(e.value)
    assert "ADD x1: 'q'" in text and "quantized" in text and "use the float model" in text
    assert "RFFT2D x1" in text and "'Blur' x1" in text


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
