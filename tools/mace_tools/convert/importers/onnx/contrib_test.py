"""Attention and ONNX Runtime's fused operators with optional operands, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.grid import SAME as EQUAL
from mace_tools.testing.onnx_cases import RNG, Case, save, uniform
from mace_tools.testing.onnx_grid import outcome

MS = "com.microsoft."
IDS, LOWER = np.int32([[1, 0, 2]]), np.tril(np.ones((2, 3, 3), np.int32))
SAME = [
    ("Attention", Case([uniform(2, 4, 3, 8), uniform(2, 2, 5, 8), uniform(2, 2, 5, 6),
                        uniform(3, 5)], opset=23)),
    ("Attention", Case([uniform(2, 4, 3, 8), uniform(2, 2, 5, 8), uniform(2, 2, 5, 6),
                        uniform(3, 5) > -0.5], {"softcap": 2.0}, opset=23)),
    ("Attention", Case([uniform(2, 3, 8), uniform(2, 5, 4), uniform(2, 5, 4),
                        uniform(2, 1, 3, 5)],
                       {"q_num_heads": 4, "kv_num_heads": 2, "is_causal": 1}, opset=23)),
    ("Attention", Case([uniform(2, 3, 8), uniform(2, 3, 4), uniform(2, 3, 4)],
                       {"q_num_heads": 4, "kv_num_heads": 2, "is_causal": 1}, opset=24)),
    ("RotaryEmbedding", Case([uniform(2, 3, 16), uniform(2, 3, 4), uniform(2, 3, 4)],
                             {"num_heads": 2}, opset=23)),
    ("RotaryEmbedding", Case([uniform(2, 3, 16), uniform(2, 3, 2), uniform(2, 3, 2)],
                             {"num_heads": 2, "rotary_embedding_dim": 4, "interleaved": 1},
                             opset=23)),
    *((f"{MS}RotaryEmbedding", Case([x, places, uniform(9, 2), uniform(9, 2)], attrs))
      for x in (uniform(2, 3, 8), uniform(2, 2, 3, 4))
      for places in (np.int64([[0, 1, 2], [6, 7, 8]]), np.int64([4]))
      for attrs in ({}, {"interleaved": 1})),
    *((f"{MS}RotaryEmbedding", Case(
        [x, np.int64([[2, 1, 0], [8, 0, 3]]), uniform(9, 2), uniform(9, 2)],
        {"num_heads": 2, "rotary_embedding_dim": 4, "interleaved": pairs}))
      for x in (uniform(2, 3, 16), uniform(2, 2, 3, 8)) for pairs in (0, 1)),
    (f"{MS}Attention", Case([uniform(2, 3, 8), uniform(8, 24), uniform(24), LOWER],
                            {"num_heads": 2, "mask_filter_value": -100.0})),
    (f"{MS}Attention", Case([uniform(2, 3, 8), uniform(8, 40), uniform(40)],
                            {"num_heads": 2, "qkv_hidden_sizes": [16, 16, 8],
                             "unidirectional": 1})),
    (f"{MS}MultiHeadAttention", Case([uniform(2, 3, 8), uniform(2, 5, 8), uniform(2, 5, 12),
                                      uniform(28), np.int32([[1, 1, 1, 0, 0], [1] * 5]),
                                      uniform(1, 2, 3, 5)], {"num_heads": 2})),
    (f"{MS}EmbedLayerNormalization", Case([IDS, None, uniform(4, 8), uniform(5, 8), None,
                                           uniform(8), uniform(8)], outputs=3)),
    (f"{MS}EmbedLayerNormalization", Case([IDS, None, uniform(4, 8), uniform(5, 8), None,
                                           uniform(8), uniform(8), None,
                                           np.int32([[3, 0, 1]])], outputs=3)),
    (f"{MS}SkipLayerNormalization", Case([uniform(2, 3, 8), uniform(2, 3, 8), uniform(8)])),
    (f"{MS}SkipLayerNormalization", Case([uniform(2, 3, 8), uniform(3, 8), *[uniform(8)] * 2])),
    (f"{MS}FastGelu", Case([uniform(2, 3, 8), uniform(8)])),
    (f"{MS}FusedConv", Case([uniform(1, 4, 6, 6), uniform(2, 4, 3, 3)],
                            {"activation": "LeakyRelu", "activation_params": [0.1],
                             "strides": [2, 2], "pads": [1, 1, 1, 1]})),
    (f"{MS}FusedConv", Case([uniform(1, 4, 6, 6), uniform(2, 4, 3, 3), None,
                             uniform(1, 2, 4, 4)],
                            {"activation": "HardSigmoid", "activation_params": [0.2, 0.4]})),
    (f"{MS}FusedConv", Case([uniform(1, 4, 6, 6), uniform(2, 4, 3, 3)],
                            {"activation": "Clip", "activation_params": [-0.2, 0.4]})),
    (f"{MS}FusedGemm", Case([uniform(3, 4), uniform(3, 5), uniform(5)],
                            {"activation": "LeakyRelu", "activation_alpha": 0.3, "transA": 1,
                             "alpha": 2.0, "beta": 0.5})),
]
SAME += [(f"{MS}FusedMatMul", Case([uniform(*a), uniform(*b)], attrs)) for a, b, attrs in (
    ((5, 3, 8), (3, 8, 6), {"transBatchA": 1}),
    ((8, 3, 5), (3, 8, 6), {"transBatchA": 1, "transA": 1}),
    ((2, 3, 5, 8), (6, 2, 3, 8), {"transBatchB": 1, "transB": 1}),
    ((5, 3, 8), (8, 3, 6), {"transBatchA": 1, "transBatchB": 1, "alpha": 0.5}),
    ((5, 2, 3, 8), (1, 3, 8, 6), {"transBatchA": 1}),
    ((8,), (3, 8, 6), {"transA": 1}), ((3, 5, 8), (8,), {"transB": 1}))]
REFUSED = [
    ("a mask of lengths", f"{MS}Attention",
     Case([uniform(2, 3, 8), uniform(8, 24), uniform(24), np.int32([2, 3])], {"num_heads": 2})),
    ("more keys than queries", f"{MS}MultiHeadAttention",
     Case([uniform(2, 3, 8), uniform(2, 5, 8), uniform(2, 5, 8)],
          {"num_heads": 2, "unidirectional": 1})),
    ("packed or cached keys", f"{MS}MultiHeadAttention",
     Case([uniform(2, 3, 2, 3, 8)], {"num_heads": 2})),
    ("earlier runs", f"{MS}MultiHeadAttention",
     Case([*[uniform(2, 3, 8)] * 3, None, None, None, *[uniform(2, 2, 1, 4)] * 2],
          {"num_heads": 2})),
    ("a bias, which versions", f"{MS}SkipSimplifiedLayerNormalization",
     Case([uniform(2, 3, 8), uniform(2, 3, 8), uniform(8), uniform(8)])),
]


@pytest.mark.parametrize("op, case", SAME, ids=[f"{row[0]}{k}" for k, row in enumerate(SAME)])
def test_optional_operands(tmp_path, op, case):
    assert outcome(save(tmp_path / "m.onnx", op, case), case).kind == EQUAL


@pytest.mark.parametrize("why, op, case", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_refused(tmp_path, why, op, case):
    with pytest.raises(UnsupportedOps, match=why):
        importers.load("onnx", save(tmp_path / "m.onnx", op, case))


def encoder() -> onnx.ModelProto:
    """A layer of a transformer as PyTorch exports it, for ONNX Runtime to fuse."""
    rng = np.random.default_rng(2)
    nodes, weights = [], []

    def add(op, *inputs, **attrs):
        names = []
        for value in inputs:
            if not isinstance(value, str):
                weights.append(numpy_helper.from_array(np.asarray(value), f"w{len(weights)}"))
                value = weights[-1].name
            names.append(value)
        nodes.append(helper.make_node(op, names, [f"t{len(nodes)}"], **attrs))
        return f"t{len(nodes) - 1}"

    def w(*shape):
        return rng.uniform(-0.5, 0.5, shape).astype(np.float32)

    def norm(x):
        return add("LayerNormalization", x, w(16), w(16))

    def gelu(x):
        erf = add("Erf", add("Div", x, np.float32(2**0.5)))
        return add("Mul", add("Mul", x, add("Add", erf, np.float32(1))), np.float32(0.5))

    x = norm(add("Add", add("MatMul", "x", w(16, 16)), w(16)))
    heads = [add("Transpose", add("Reshape", add("Add", add("MatMul", x, w(16, 16)), w(16)),
                                  np.int64([0, 0, 2, 8])), perm=perm)
             for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])]
    scores = add("Div", add("MatMul", heads[0], heads[1]), np.float32(8**0.5))
    y = add("MatMul", add("Softmax", scores, axis=-1), heads[2])
    y = add("Reshape", add("Transpose", y, perm=[0, 2, 1, 3]), np.int64([0, 0, 16]))
    x = norm(add("Add", add("Add", add("MatMul", y, w(16, 16)), w(16)), x))
    y = gelu(add("Add", add("MatMul", x, w(16, 32)), w(32)))
    norm(add("Add", add("Add", add("MatMul", y, w(32, 16)), w(16)), x))
    nodes[-1].output[0] = "y"
    shape = [2, 5, 16]
    graph = helper.make_graph(
        nodes, "encoder", [helper.make_tensor_value_info("x", 1, shape)],
        [helper.make_tensor_value_info("y", 1, shape)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_a_model_that_onnxruntime_optimized(tmp_path):
    plain, path = encoder(), tmp_path / "optimized.onnx"
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(path)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    session = onnxruntime.InferenceSession(plain.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    assert any(n.domain == "com.microsoft" for n in onnx.load(path).graph.node)
    x = uniform(2, 5, 16)
    wanted, = session.run(None, {"x": x})
    got = reference.run(convert(importers.load("onnx", path)), {"x": x})
    np.testing.assert_allclose(got["y"], wanted, 1e-4, 1e-5)


def lstm(steps: int, directions: int, kind: type = np.int8, each: bool = False,
         more: Sequence[np.ndarray | None] = (None,) * 4) -> Case:
    def weights(rows: int) -> list[np.ndarray]:
        count = (directions, 16) if each else (directions,)
        zeros = np.full(count, 0 if kind is np.int8 else 128, kind)
        low, high = (98, 158) if kind is np.uint8 else (-30, 30)
        return [RNG.integers(low, high, (directions, rows, 16)).astype(kind),
                (0.01 + 0.01 * np.abs(uniform(*count))), zeros]

    (w, *of_w), (r, *of_r) = weights(5), weights(4)
    return Case([uniform(steps, 2, 5), w, r, uniform(directions, 32), *more, *of_w, *of_r],
                {"hidden_size": 4, "direction": "bidirectional" if directions == 2 else "forward"},
                3)


@pytest.mark.parametrize("case", [
    lstm(1, 1), lstm(1, 2, each=True), lstm(1, 1, np.uint8), lstm(1, 2, np.uint8, each=True),
    lstm(1, 1, more=(np.int32([1, 1]), None, None, uniform(1, 12)))])
def test_a_step_of_a_quantized_lstm(tmp_path, case):
    path = save(tmp_path / "m.onnx", f"{MS}DynamicQuantizeLSTM", case)
    assert outcome(path, case).kind == EQUAL


@pytest.mark.parametrize("case", [lstm(6, 1), lstm(6, 2)])
def test_the_state_of_a_quantized_lstm_stays_in_floats(tmp_path, case):
    """ONNX Runtime rounds it to 255 steps, in groups that depend on its threads."""
    path = save(tmp_path / "m.onnx", f"{MS}DynamicQuantizeLSTM", case)
    wanted = Session(path.read_bytes()).run(None, {"x": case.x})
    graph = importers.load("onnx", path)
    assert any("keeps its state in float32" in note for note in graph.notes)
    got = reference.run(graph, {"x": case.x})
    for name, want in zip(graph.outputs, wanted):
        np.testing.assert_allclose(got[name], want, atol=0.01)
