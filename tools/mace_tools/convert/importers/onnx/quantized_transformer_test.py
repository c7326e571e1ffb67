"""QAttention and QEmbedLayerNormalization, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers, reference
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import UnsupportedOps
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.onnx_file import model, node, onnx

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 3, 8)).astype(np.float32)
MASK = np.int32([[1, 1, 0], [1, 1, 1]])
BIAS = RNG.normal(size=24).astype(np.float32)
AT = {"domain": "com.microsoft"}


def words(names):
    return " ".join(name or "-" for name in names)


def drawn(kind, *shape):
    ends = np.iinfo(kind)
    return RNG.integers(ends.min, ends.max + 1, shape).astype(kind)


def check(path, feeds, outputs):
    ours = importers.load("onnx", path)
    convert(ours)
    found = reference.run(ours, feeds)
    for name, right in zip(outputs, Session(path.read_bytes()).run(outputs, feeds)):
        np.testing.assert_allclose(found[name], right, rtol=1e-4, atol=2e-5)


def attention(path, kind, columns, more=(), constants=None, dynamic=False, **attrs):
    """Of a quantized X; scales of weights are those of `columns` columns."""
    scale = (0.002 * RNG.uniform(0.5, 2, columns)).astype(np.float32)
    signed = {"wz": np.zeros(columns, np.int8)} if kind == np.int8 else {
        "wz": np.full(columns, 117, np.uint8)}
    given = {"w": drawn(kind, 8, 24), "b": BIAS, **signed, "ws": scale}
    if columns == 1:
        given = {k: v.reshape(()) if k in ("wz", "ws") else v for k, v in given.items()}
    quantizer = node("DynamicQuantizeLinear", "x", "q xs xz")
    if not dynamic:
        given |= {"xs": np.float32(0.03), "xz": np.uint8(121)}
        quantizer = node("QuantizeLinear", "x xs xz", "q")
    inputs = ["q", "w", "b", "xs", "ws", "m" if "m" in more else "", "xz", "wz"]
    one = node("QAttention", words(inputs), "y", num_heads=2, **attrs, **AT)
    return model(path, [quantizer, one], {"x": X.shape}, ["y"], {**given, **(constants or {})})


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind, columns, more, attrs", [
    (np.int8, 1, "", {}), (np.uint8, 1, "", {"unidirectional": 1}), (np.int8, 24, "m", {}),
    (np.uint8, 1, "m", {"mask_filter_value": -100.0}), (np.int8, 24, "", {"scale": 0.7}),
])
def test_attention(tmp_path, kind, columns, more, attrs, dynamic):
    path = attention(tmp_path / "m.onnx", kind, columns, more, {"m": MASK} if more else {},
                     dynamic, **attrs)
    check(path, {"x": X}, ["y"])


def test_attention_with_a_cache_is_refused(tmp_path):
    path = attention(tmp_path / "m.onnx", np.int8, 1)
    proto = onnx().ModelProto.FromString(path.read_bytes())
    proto.graph.node[1].output.append("present")
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(UnsupportedOps, match="export the model without key and value caches"):
        importers.load("onnx", path)


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_embeddings(tmp_path, kind, segments):
    names = ["words", "places", "kinds", "gamma", "beta"]
    shapes = [(6, 8), (4, 8), (2, 8), (8,), (8,)]
    tables = {name: drawn(kind, *shape) for name, shape in zip(names, shapes)}
    tables |= {f"{name}_s": np.float32(0.01 + 0.003 * k) for k, name in enumerate(names)}
    tables |= {f"{name}_z": np.array(3 * k + (0 if kind == np.int8 else 120), kind)
               for k, name in enumerate(names)}
    ids = {"ids": np.int32([[1, 5, 0], [2, 2, 4]]), "kind": np.int32([[0, 0, 1], [1, 0, 0]])}
    used = names if segments else [name if name != "kinds" else "" for name in names]

    def each(ending):
        return [f"{name}{ending}" if name else "" for name in used]

    inputs = ["ids", "kind" if segments else "", *used, "", *each("_s"), *each("_z")]
    one = node("QEmbedLayerNormalization", words(inputs), "y lengths", epsilon=1e-5, **AT)
    feeds = ids if segments else {"ids": ids["ids"]}
    if not segments:
        tables = {k: v for k, v in tables.items() if not k.startswith("kinds")}
    path = model(tmp_path / "m.onnx", [one], {name: a.shape for name, a in feeds.items()},
                 ["y", "lengths"], tables)
    proto = onnx().ModelProto.FromString(path.read_bytes())
    for info in (*proto.graph.input, proto.graph.output[1]):
        info.type.tensor_type.elem_type = 6
    path.write_bytes(proto.SerializeToString())
    check(path, feeds, ["y", "lengths"])
