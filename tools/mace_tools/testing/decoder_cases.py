"""Small decoders of every architecture with random weights, as their checkpoints are on disk.

SPDX-License-Identifier: Apache-2.0

What transformers computes of them is in test/golden/testdata/decoders, written by
test/golden/decoder_logits.py, with the names and the shapes of their tensors.
"""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

PROMPT, STEPS, WORDS = 24, 32, 101
_SMALL = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96,
          "vocab_size": WORDS, "max_position_embeddings": 256, "num_hidden_layers": 2}
_GROUPED = {**_SMALL, "num_key_value_heads": 2}
_ROTATION = {"rope_theta": 10000.0, "original_max_position_embeddings": 64}
_LONG = {**_GROUPED, "pad_token_id": 0, "rope_parameters": {
    "rope_type": "longrope", "rope_theta": 10000.0, "partial_rotary_factor": 0.75,
    "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5],
    "long_factor": [2.0, 2.7, 3.4, 4.1, 4.8, 5.5]}}
# By case: model_type, and the options in which it differs from the architecture's defaults.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", _GROUPED),
    "llama3": ("llama", {**_GROUPED, "tie_word_embeddings": True, "rope_parameters": {
        **_ROTATION, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "rope_theta": 500000.0}}),
    "llama_yarn": ("llama", {**_GROUPED, "attention_bias": True, "mlp_bias": True,
                             "rope_parameters": {**_ROTATION, "rope_type": "yarn",
                                                 "factor": 4.0}}),
    "llama_linear": ("llama", {**_GROUPED, "rope_parameters": {
        "rope_theta": 10000.0, "rope_type": "linear", "factor": 4.0}}),
    "mistral": ("mistral", {**_GROUPED, "head_dim": 24, "sliding_window": 7}),
    "qwen2": ("qwen2", {**_GROUPED, "num_hidden_layers": 3, "use_sliding_window": True,
                        "sliding_window": 6, "max_window_layers": 1}),
    "qwen3": ("qwen3", {**_GROUPED, "head_dim": 32}),
    "gemma": ("gemma", {**_GROUPED, "head_dim": 16}),
    "gemma2": ("gemma2", {**_GROUPED, "head_dim": 32, "sliding_window": 6,
                          "query_pre_attn_scalar": 24}),
    "gemma3": ("gemma3_text", {**_GROUPED, "num_hidden_layers": 7, "head_dim": 32,
                               "sliding_window": 6, "query_pre_attn_scalar": 24}),
    "phi3": ("phi3", {**_GROUPED, "sliding_window": 9, "pad_token_id": 0}),
    # On either side of the switch.
    "phi3_short": ("phi3", {**_LONG, "original_max_position_embeddings": 64}),
    "phi3_long": ("phi3", {**_LONG, "original_max_position_embeddings": 16}),
    "smollm3": ("smollm3", {**_GROUPED, "num_hidden_layers": 5, "pad_token_id": 0}),
    "gpt2": ("gpt2", {"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 256,
                      "vocab_size": WORDS}),
    "gpt_neox": ("gpt_neox", _SMALL),
    "gpt_neox_sequential": ("gpt_neox", {**_SMALL, "use_parallel_residual": False,
                                         "hidden_act": "gelu_fast"}),
    "stablelm": ("stablelm", {**_GROUPED, "use_qkv_bias": True}),
}


def ids() -> np.ndarray:
    """[1, PROMPT + STEPS], of which the last STEPS come one by one."""
    return np.random.default_rng(2).integers(0, WORDS, (1, PROMPT + STEPS))


def values(model_type: str, shapes: Mapping[str, list[int]]) -> dict[str, np.ndarray]:
    """Tensors with these names: matrices that keep magnitudes, norms around the identity."""
    found = {}
    for name, shape in shapes.items():
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        is_norm = len(shape) == 1 and name.endswith("weight")
        spread = 0.3 if len(shape) == 1 else shape[-1] ** -0.5
        center = 1.0 if is_norm and not model_type.startswith("gemma") else 0.0
        found[name] = (center + spread * rng.standard_normal(shape)).astype(np.float32)
    return found


def write_safetensors(path: Path, tensors: Mapping[str, tuple[str, list[int], bytes]]) -> None:
    """Tensors by name: element type, shape and bytes."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    write_parts(path, json.dumps(header).encode(), b"".join(d for _, _, d in tensors.values()))


def write_parts(path: Path, header: bytes, data: bytes) -> None:
    """A safetensors file with any header."""
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)


def write_folder(folder: Path, config: Mapping[str, Any], tensors: Mapping[str, np.ndarray],
                 shards: int = 1) -> None:
    """A checkpoint in float32, in so many files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    named = list(tensors.items())
    if shards == 1:
        _write_floats(folder / "model.safetensors", named)
        return
    weight_map = {}
    for k in range(shards):
        file = f"model-{k + 1:05}-of-{shards:05}.safetensors"
        _write_floats(folder / file, named[k::shards])
        weight_map |= {name: file for name, _ in named[k::shards]}
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": weight_map}))


def _write_floats(path: Path, named: list[tuple[str, np.ndarray]]) -> None:
    write_safetensors(path, {n: ("F32", list(a.shape), a.astype("<f4").tobytes())
                             for n, a in named})
