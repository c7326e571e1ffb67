"""Models of onnxruntime-genai become decoders that keep their caches, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0

The model has the nodes that its builder writes for the CPU.
"""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto as T
from onnx import helper, numpy_helper

from mace_tools.convert import importers, reference
from mace_tools.convert.importers import kv_caches
from mace_tools.convert.importers.huggingface.logits_test import empty_states
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import ModelError
from mace_tools.support.model_format import GENAI_FOLDER, detect
from mace_tools.testing.by_onnxruntime import Session

HEADS, SHARED, DEPTH, WORDS, LAYERS, PLACES = 4, 2, 16, 41, 2, 32
WIDTH, MS, DYNAMIC = HEADS * DEPTH, "com.microsoft", "past"
PROMPT = [3, 1, 4, 1, 5]
CONFIG = {"model": {"type": "llama", "vocab_size": WORDS, "context_length": PLACES, "decoder": {
    "filename": "model.onnx", "head_size": DEPTH, "num_key_value_heads": SHARED,
    "num_hidden_layers": LAYERS,
    "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask",
               "past_key_names": "past_key_values.%d.key",
               "past_value_names": "past_key_values.%d.value"},
    "outputs": {"logits": "logits", "present_key_names": "present.%d.key"}}}}


class Writer:
    """Nodes and weights of a model."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.rng = np.random.default_rng(5)

    def op(self, op, inputs, count=1, domain="", **attrs):
        names = [f"t{len(self.nodes)}_{k}" for k in range(count)]
        self.nodes.append(helper.make_node(op, inputs, names, f"{op}_{len(self.nodes)}",
                                           domain=domain, **attrs))
        return names if count > 1 else names[0]

    def const(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *shape):
        return self.const((self.rng.normal(size=shape) * shape[0] ** -0.5).astype(np.float32))

    def product(self, x, rows, columns):
        """MatMulNBits of 4 bits in blocks of 32."""
        packed = self.rng.integers(0, 256, (columns, rows // 32, 16), np.uint8)
        scales = self.rng.uniform(0.01, 0.05, (columns, rows // 32)).astype(np.float32)
        return self.op("MatMulNBits", [x, self.const(packed), self.const(scales)], domain=MS,
                       K=rows, N=columns, bits=4, block_size=32)

    def norm(self, x, skip=""):
        gamma = self.const(self.rng.uniform(0.5, 1.5, WIDTH).astype(np.float32))
        if not skip:
            return self.op("SimplifiedLayerNormalization", [x, gamma], epsilon=1e-5), x
        y, _, _, total = self.op("SkipSimplifiedLayerNormalization", [x, skip, gamma], 4, MS,
                                 epsilon=1e-5)
        self.nodes[-1].output[1:3] = ["", ""]
        return y, total


def lengths(w):
    """seqlens_k and total_sequence_length of the mask."""
    one = w.const(np.int64([1]))
    count = w.op("Sub", [w.op("ReduceSum", ["attention_mask", one]), one])
    total = w.op("Gather", [w.op("Shape", ["attention_mask"]), w.const(np.int64(1))], axis=0)
    return w.op("Cast", [count], to=T.INT32), w.op("Cast", [total], to=T.INT32)


def model():
    w, presents = Writer(), []
    seqlens, total = lengths(w)
    angles = np.arange(PLACES)[:, None] * 100.0 ** -(np.arange(DEPTH // 2) / (DEPTH // 2))
    cos, sin = (w.const(f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    x, y = w.op("Gather", [w.weight(WORDS, WIDTH), "input_ids"]), ""
    for k in range(LAYERS):
        h, x = w.norm(x, y)
        qkv = w.product(h, WIDTH, (HEADS + 2 * SHARED) * DEPTH)
        y, *present = w.op("GroupQueryAttention", [
            qkv, "", "", f"past_key_values.{k}.key", f"past_key_values.{k}.value", seqlens, total,
            cos, sin], 3, MS, num_heads=HEADS, kv_num_heads=SHARED, do_rotary=1)
        presents += present
        h, x = w.norm(x, w.product(y, WIDTH, WIDTH))
        gate = w.product(h, WIDTH, 2 * WIDTH)
        gate = w.op("Mul", [gate, w.op("Sigmoid", [gate])])
        y = w.product(w.op("Mul", [gate, w.product(h, WIDTH, 2 * WIDTH)]), 2 * WIDTH, WIDTH)
    logits = w.product(w.norm(x, y)[0], WIDTH, WORDS)
    w.nodes.append(helper.make_node("Identity", [logits], ["logits"], "last"))
    inputs = [helper.make_tensor_value_info(n, T.INT64, ["batch", s]) for n, s in (
        ("input_ids", "tokens"), ("attention_mask", "total"))]
    inputs += [helper.make_tensor_value_info(f"past_key_values.{k}.{kind}", T.FLOAT,
                                             ["batch", SHARED, DYNAMIC, DEPTH])
               for k in range(LAYERS) for kind in ("key", "value")]
    outputs = [helper.make_tensor_value_info("logits", T.FLOAT, ["batch", "tokens", WORDS])]
    outputs += [helper.make_tensor_value_info(p, T.FLOAT, None) for p in presents]
    graph = helper.make_graph(w.nodes, "decoder", inputs, outputs, w.weights)
    return helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid(MS, 1)])


@pytest.fixture
def folder(tmp_path):
    onnx.save(model(), tmp_path / "model.onnx")
    (tmp_path / "genai_config.json").write_text(json.dumps(CONFIG))
    return tmp_path


def by_onnx_runtime(parts):
    """Logits of runs whose caches grow."""
    session, found = Session(model().SerializeToString()), []
    past = {f"past_key_values.{k}.{kind}": np.zeros((1, SHARED, 0, DEPTH), np.float32)
            for k in range(LAYERS) for kind in ("key", "value")}
    total = 0
    for part in parts:
        total += len(part)
        logits, *present = session.run(None, {
            "input_ids": np.int64([part]), "attention_mask": np.ones((1, total), np.int64),
            **past})
        past = dict(zip(past, present))
        found.append(logits[0])
    return np.concatenate(found)


def test_prompts_and_tokens(folder):
    assert detect(folder) is GENAI_FOLDER
    read = importers.read("onnx", folder)
    assert list(read.inputs) == ["input_ids", "logits_at"] and read.outputs == ["logits"]
    graph = convert(importers.translate("onnx", read))
    assert graph.tensors["past_key.1"].shape == (1, SHARED, PLACES, DEPTH)
    states, found, parts = empty_states(graph), [], [PROMPT, [9], [2], [6, 5, 3]]
    for part in parts:
        made = reference.run(graph, {"input_ids": np.int64([part]),
                                     "logits_at": np.arange(len(part)), **states})
        states = {name: made[state.next] for name, state in graph.states.items()}
        found.append(made["logits"][0])
    wanted, found = by_onnx_runtime(parts), np.concatenate(found)
    assert states["position"] == sum(map(len, parts))
    assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()
    last = reference.run(graph, {"input_ids": np.int64([PROMPT]), "logits_at": np.array([-1]),
                                 **empty_states(graph)})["logits"][0]
    assert np.abs(last - wanted[len(PROMPT) - 1]).max() < 1e-4 * np.abs(wanted).max()


def test_caches_have_the_size_asked_for(folder):
    read = kv_caches.sized(importers.read("onnx", folder), 8, "fp16")
    assert {a.shape for _, a in kv_caches.of(read)} == {(1, SHARED, 8, DEPTH)}
    assert {a.dtype for _, a in kv_caches.of(read)} == {np.dtype(np.float16)}


@pytest.mark.parametrize(("change", "words"), [
    (lambda d: d.update(filename="../model.onnx"), "is no file of its folder"),
    (lambda d: d.update(filename="gone.onnx"), "is no file of its folder"),
    (lambda d: d.pop("head_size"), "head_size"), (lambda d: d.update(head_size=0), "head_size"),
    (lambda d: d.update(num_hidden_layers=2**40), "num_hidden_layers"),
    (lambda d: d.update(num_hidden_layers=1), "which decoders of onnxruntime-genai"),
    (lambda d: d["inputs"].update(attention_mask="mask"), "the input 'attention_mask'"),
    (lambda d: d.update(inputs=["input_ids"]), r'inputs is \["input_ids"\]'),
    (lambda d: d["outputs"].update(logits=5), 'outputs is {"logits": 5'),
])
def test_configs_that_do_not_fit(folder, change, words):
    config = json.loads(json.dumps(CONFIG))
    change(config["model"]["decoder"])
    (folder / "genai_config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=words):
        importers.read("onnx", folder)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_configs_that_are_none(folder, text):
    (folder / "genai_config.json").write_text(text)
    with pytest.raises(ModelError, match="genai_config.json: cannot read it"):
        importers.read("onnx", folder)
