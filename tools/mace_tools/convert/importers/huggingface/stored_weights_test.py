"""In which types weights of checkpoints are stored, and that caches have the type asked for.

SPDX-License-Identifier: Apache-2.0
"""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mace_tools.convert import emit, importers
from mace_tools.convert.decoders import blocks
from mace_tools.convert.decoders.stored import Stored
from mace_tools.convert.decoders.weights import Weights
from mace_tools.convert.importers import kv_caches
from mace_tools.convert.importers.huggingface.logits_test import (
    error,
    logits,
    logits_of,
    stated,
    tensors,
)
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.quantized_weights import BLOCK, unpack
from mace_tools.support.errors import ModelError
from mace_tools.testing import decoder_cases as cases
from mace_tools.testing import gguf_file

UP = "blk.0.ffn_up.weight"


def written(path, kinds, name="llama", beside=False):
    """A file whose tensors have these types; F32 else."""
    case = stated(name)
    if beside:
        path.with_name("config.json").write_text(json.dumps(case["config"]))
    keys, weights = gguf_file.decoder(case["config"], tensors(case))
    parts = {n: gguf_file.floats(a) for n, a in weights.items()} | {
        n: make(weights[n]) for n, make in kinds.items() if n in weights}
    path.write_bytes(gguf_file.content(keys, [*parts.items()]))
    return parts, convert(importers.load("gguf", path))


def the_weight(graph, role):
    (name,) = (n for n in graph.tensors if n.startswith(f"block.0/{role}.constant"))
    return graph.tensors[name]


def test_blocks_of_q4_0_are_kept_bit_for_bit(tmp_path):
    parts, graph = written(tmp_path / "m.gguf", {UP: gguf_file.q4_0})
    tensor = the_weight(graph, "up")
    rows, depth = tensor.shape
    raw = np.frombuffer(parts[UP].data, np.uint8).reshape(-1, 18)
    assert tensor.stored == "i4"
    assert tensor.packed[: rows * depth // 2].tobytes() == raw[:, 2:].tobytes()
    assert tensor.packed[-rows * depth // BLOCK * 2 :].tobytes() == raw[:, :2].tobytes()
    np.testing.assert_array_equal(
        tensor.data, blocks.dequantized("Q4_0", raw.reshape(rows, -1)).reshape(rows, depth))
    assert graph.notes == []


@pytest.mark.parametrize(("kind", "block"), [("Q4_0", 18), ("Q8_0", 34)])
def test_blocks_are_converted_without_their_floats(tmp_path, kind, block):
    """In less than half the memory that these would take."""
    words, case = 60000, stated("llama")
    config = {**case["config"], "vocab_size": words}
    keys, found = gguf_file.decoder(config, tensors(case))
    parts = {n: gguf_file.floats(a) for n, a in found.items()}
    width = config["hidden_size"]
    for name in ("token_embd.weight", "output.weight"):
        raw = np.random.default_rng(len(name)).integers(
            0, 60, (words * width // BLOCK, block), np.uint8)
        parts[name] = gguf_file.Written(gguf_file.KINDS[kind], (width, words), raw.tobytes())
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_file.content(keys, [*parts.items()]))
    tracemalloc.start()
    graph = convert(importers.load("gguf", path))
    graph.open_dims = {"input_ids": OpenDims(("", "tokens")), "logits_at": OpenDims(("rows",))}
    emit.write_model(graph, tmp_path / "m.pb", tmp_path / "m.data")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * words * width * 4 / 2


def test_narrow_floats_stay_as_they_are(tmp_path):
    _, graph = written(tmp_path / "m.gguf", {
        UP: lambda a: gguf_file.floats(a, "BF16"),
        "blk.0.ffn_down.weight": lambda a: gguf_file.floats(a, "F16")})
    assert the_weight(graph, "up").stored == "bf16" and the_weight(graph, "down").stored == "f16"


def test_blocks_of_q8_0_are_kept_bit_for_bit(tmp_path):
    path = tmp_path / "m.gguf"
    parts, graph = written(path, {UP: gguf_file.q8_0})
    tensor = the_weight(graph, "up")
    count = tensor.data.size
    raw = np.frombuffer(parts[UP].data, np.uint8).reshape(-1, 34)
    assert tensor.stored == "i8b" and graph.notes == []
    assert tensor.packed[:count].tobytes() == raw[:, 2:].tobytes()
    assert tensor.packed[-count // BLOCK * 2 :].tobytes() == raw[:, :2].tobytes()
    assert error(stated("llama"), logits("gguf", path)) < 0.02


@pytest.mark.parametrize("kind", [k for k in blocks.KINDS if k not in ("Q4_0", "Q8_0")])
def test_other_blocks_become_the_nearest_type_with_a_note(kind):
    rng = np.random.default_rng(6)
    raw = rng.integers(0, 256, (4, 512 // blocks.KINDS[kind].values, blocks.KINDS[kind].bytes),
                       np.uint8)
    for at in {"Q6_K": [208], "Q5_0": [0]}.get(kind, [0, 2]):  # fp16 of 0.01 to 0.02
        raw[..., at : at + 2] = rng.uniform(0.01, 0.02, raw.shape[:2]).astype("<f2")[
            ..., None].view(np.uint8)
    given = Stored("w", Path("m.gguf"), kind, (4, 512), raw.reshape(-1))
    weights = Weights()
    weights.add("w", given)
    stored, packed = weights.packed["w"]
    assert stored == ("i4z" if kind in ("Q4_1", "Q4_K") else "i8b")
    found = unpack(stored, packed, (4, 512))
    np.testing.assert_array_equal(weights.floats["w"], found)
    ratio = 10 * np.log10(np.square(given.floats()).sum() / np.square(
        found - given.floats()).sum())
    assert ratio > 40 and weights.notes()[0].endswith(f"{ratio:.1f} dB")


def test_blocks_of_one_value():
    """Q4_1 without a scale: what int4 keeps is the offset."""
    raw = np.zeros((1, 20), np.uint8)
    raw[0, 2:4] = np.float16([1.5]).view(np.uint8)
    weights = Weights()
    weights.add("w", Stored("w", Path("m.gguf"), "Q4_1", (1, 32), raw.reshape(-1)))
    _, packed = weights.packed["w"]
    assert (packed[:16] == 0x11).all()
    assert packed[64:].view("<f2").tolist() == [1.5, 0]  # the scale, the zero point


@pytest.mark.parametrize(("kind", "bound"), [("fp32", 1e-6), ("fp16", 2e-3), ("int8", 3e-2)])
def test_caches_of_each_type(tmp_path, kind, bound):
    case = stated("gemma3")
    cases.write_folder(tmp_path, case["config"], tensors(case))
    read = kv_caches.sized(importers.read("huggingface", tmp_path), 60, kind)
    graph = convert(importers.translate("huggingface", read))
    cache = graph.tensors["past_key.6"]
    more = 4 if kind == "int8" else 0
    assert cache.shape == (1, 2, 60, 32 + more)
    assert cache.dtype == {"fp32": "f32", "fp16": "f16", "int8": "i8"}[kind]
    found = error(case, logits_of(graph))
    assert bound / 50 < found < bound or kind == "fp32" and found < 1e-4


def test_a_tied_matrix_is_stored_once(tmp_path):
    """Gemma 2 divides logits by 30, which must not become a second, scaled copy."""
    _, graph = written(tmp_path / "m.gguf", {"token_embd.weight": gguf_file.q4_0,
                                             "output.weight": gguf_file.q4_0}, "gemma2", True)
    matrices = [t for t in graph.tensors.values() if t.is_const and t.shape == (101, 64)]
    assert [t.stored for t in matrices] == ["i4"]


def test_models_without_caches(tmp_path):
    case = stated("gpt2")
    cases.write_folder(tmp_path, case["config"], tensors(case))
    read = importers.read("huggingface", tmp_path)
    read.nodes = []
    with pytest.raises(ModelError, match="no KV cache"):
        kv_caches.sized(read, 8, "fp16")
