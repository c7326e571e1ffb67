"""Writes GGUF files for tests: keys and tensors of any kind, and the decoders of decoder_cases.py.

SPDX-License-Identifier: Apache-2.0
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10
KINDS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8, "Q4_K": 12,
         "Q5_K": 13, "Q6_K": 14, "BF16": 30}


@dataclass
class Written:
    """A tensor: the type's number, dimensions with the fastest first, bytes; where it is to be."""

    kind: int
    dims: Sequence[int]
    data: bytes
    offset: int | None = None


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def typed(value: Any) -> bytes:
    """A value behind its type."""
    if isinstance(value, bytes):
        return value  # as it is
    if isinstance(value, bool):
        return struct.pack("<I?", BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", U32, value)
    if isinstance(value, float):
        return struct.pack("<If", F32, value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + text(value)
    kind = STRING if isinstance(value[0], str) else F32 if isinstance(value[0], float) else I32
    parts = b"".join(text(v) if kind == STRING else struct.pack("<f" if kind == F32 else "<i", v)
                     for v in value)
    return struct.pack("<IIQ", ARRAY, kind, len(value)) + parts


def content(keys: Sequence[tuple[str, Any]], tensors: Sequence[tuple[str, Written]],
            version: int = 3, alignment: int = 32, counts: tuple[int, int] | None = None) -> bytes:
    """The bytes of a file. `counts`: what the header says of tensors and keys."""
    count = counts or (len(tensors), len(keys))
    head = b"GGUF" + struct.pack("<IQQ", version, *count)
    head += b"".join(text(name) + typed(value) for name, value in keys)
    data = b""
    for name, tensor in tensors:
        offset = len(data) if tensor.offset is None else tensor.offset
        head += text(name) + struct.pack(f"<I{len(tensor.dims)}QIQ", len(tensor.dims),
                                         *tensor.dims, tensor.kind, offset)
        data += tensor.data + bytes(-len(tensor.data) % alignment)
    return head + bytes(-len(head) % alignment) + data


def floats(array: np.ndarray, kind: str = "F32") -> Written:
    if kind == "BF16":
        raw = (np.ascontiguousarray(array, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    else:
        raw = array.astype({"F32": "<f4", "F16": "<f2"}[kind]).tobytes()
    return Written(KINDS[kind], array.shape[::-1], raw)


def q8_0(array: np.ndarray) -> Written:
    return _blocks("Q8_0", array, lambda x, d: (np.rint(x / d).astype(np.int8).tobytes()), 127)


def q4_0(array: np.ndarray) -> Written:
    def packed(x: np.ndarray, d: float) -> bytes:
        n = np.clip(np.rint(x / d) + 8, 0, 15).astype(np.uint8)
        return (n[:16] | n[16:] << 4).tobytes()

    return _blocks("Q4_0", array, packed, 7)


def _blocks(kind: str, array: np.ndarray, packed: Any, largest: int) -> Written:
    data = b""
    for block in array.reshape(-1, 32):
        d = np.float16(np.abs(block).max() / largest)
        data += d.tobytes() + packed(block, np.float32(d) or np.float32(1))
    return Written(KINDS[kind], array.shape[::-1], data)


# --- decoders ---

_NAMES = (
    ("model.embed_tokens", "token_embd"), ("gpt_neox.embed_in", "token_embd"),
    ("transformer.wte", "token_embd"), ("transformer.wpe", "position_embd"),
    ("model.norm", "output_norm"), ("gpt_neox.final_layer_norm", "output_norm"),
    ("transformer.ln_f", "output_norm"), ("lm_head", "output"), ("embed_out", "output"),
    ("model.layers.", "blk."), ("gpt_neox.layers.", "blk."), ("transformer.h.", "blk."),
    ("self_attn.", "attn_"), ("attention.query_key_value", "attn_qkv"),
    ("attention.dense", "attn_output"), ("attn.c_attn", "attn_qkv"),
    ("attn.c_proj", "attn_output"), ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down"),
    ("mlp.dense_h_to_4h", "ffn_up"), ("mlp.dense_4h_to_h", "ffn_down"),
    ("attn_o_proj", "attn_output"), ("_proj", ""), ("mlp.gate_up", "ffn_up"), ("mlp.", "ffn_"),
    ("input_layernorm", "attn_norm"), (".ln_1", ".attn_norm"), (".ln_2", ".ffn_norm"),
    ("pre_feedforward_layernorm", "ffn_norm"), ("post_feedforward_layernorm", "post_ffw_norm"),
)
_ARCHITECTURES = {"gemma3_text": "gemma3", "gpt_neox": "gptneox", "mistral": "llama"}


def decoder(config: Mapping[str, Any], tensors: Mapping[str, np.ndarray]
            ) -> tuple[list[tuple[str, Any]], dict[str, np.ndarray]]:
    """The keys and the tensors of a checkpoint, as convert_hf_to_gguf.py writes them."""
    model_type = config["model_type"]
    heads = config.get("num_attention_heads", config.get("n_head"))
    found = {}
    for name, array in tensors.items():
        new = name
        for old, other in _NAMES:
            new = new.replace(old, other)
        after = "post_attention_norm" if model_type.startswith("gemma") and model_type != (
            "gemma") else "ffn_norm"
        new = new.replace("post_attention_layernorm", after)
        if model_type == "gpt2" and array.ndim == 2 and "blk" in new:
            array = array.T
        if model_type == "gpt_neox" and "attn_qkv" in new:
            array = array.reshape(heads, 3, -1, *array.shape[1:]).swapaxes(0, 1).reshape(
                array.shape)
        if model_type.startswith("gemma") and new.endswith("norm.weight"):
            array = array + np.float32(1)
        if model_type in ("llama", "mistral", "smollm3") and ("attn_q." in new or "attn_k." in new):
            count = heads if "attn_q." in new else config["num_key_value_heads"]
            array = array.reshape(count, 2, -1, *array.shape[1:]).swapaxes(1, 2).reshape(
                array.shape)
        found[new] = np.ascontiguousarray(array)
    return _keys(config, heads, found), found


def _keys(config: Mapping[str, Any], heads: int, tensors: dict[str, np.ndarray]
          ) -> list[tuple[str, Any]]:
    """Adds the tensors of factors of the rotation, too."""
    arch = _ARCHITECTURES.get(config["model_type"], config["model_type"])
    rope = config.get("rope_parameters") or {}
    local = rope.get("sliding_attention")
    rope = rope.get("full_attention", rope)
    width = config.get("hidden_size", config.get("n_embd"))
    context = config.get("max_position_embeddings", config.get("n_positions"))
    size = config.get("head_dim") or width // heads
    hidden = config.get("intermediate_size") or 4 * width
    epsilon = next(v for k, v in config.items() if "epsilon" in k or k.endswith("norm_eps"))
    rms = "rms_" if "rms_norm_eps" in config else ""
    keys: dict[str, Any] = {
        "context_length": context, "embedding_length": width, "feed_forward_length": hidden,
        "block_count": config.get("num_hidden_layers", config.get("n_layer")),
        "attention.head_count": heads,
        "attention.head_count_kv": config.get("num_key_value_heads", heads),
        "attention.key_length": size, "attention.value_length": size,
        f"attention.layer_norm_{rms}epsilon": epsilon}
    if rope:
        keys |= {"rope.freq_base": rope["rope_theta"],
                 "rope.dimension_count": int(size * rope.get("partial_rotary_factor", 1))}
    if "use_parallel_residual" in config:
        keys["use_parallel_residual"] = config["use_parallel_residual"]
    if config["model_type"].startswith(("gemma2", "gemma3", "phi3")) and config["sliding_window"]:
        keys["attention.sliding_window"] = config["sliding_window"]
    if local:
        keys["rope.freq_base_swa"] = local["rope_theta"]
    keys |= _scaling(rope, context, size, tensors)
    return [("general.architecture", arch), *((f"{arch}.{k}", v) for k, v in keys.items()),
            ("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.tokens", ["a", "b"])]


def _scaling(rope: Mapping[str, Any], context: int, size: int, tensors: dict[str, np.ndarray]
             ) -> dict[str, Any]:
    kind = rope.get("rope_type", "default")
    original = rope.get("original_max_position_embeddings", context)
    if kind in ("linear", "yarn"):
        return {"rope.scaling.type": kind, "rope.scaling.factor": rope["factor"],
                **({"rope.scaling.original_context_length": original} if kind == "yarn" else {})}
    if kind == "llama3":
        angles = rope["rope_theta"] ** (-np.arange(0, size, 2) / size)
        waves, factor = 2 * np.pi / angles, rope["factor"]
        smooth = (original / waves - rope["low_freq_factor"]) / (
            rope["high_freq_factor"] - rope["low_freq_factor"])
        between = 1 / ((1 - smooth) / factor + smooth)
        tensors["rope_freqs.weight"] = np.where(
            waves < original / rope["high_freq_factor"], 1,
            np.where(waves > original / rope["low_freq_factor"], factor, between)
        ).astype(np.float32)
    if kind == "longrope":
        for word in ("long", "short"):
            tensors[f"rope_factors_{word}.weight"] = np.array(rope[f"{word}_factor"], np.float32)
        return {"rope.scaling.original_context_length": original, "rope.scaling.attn_factor":
                float(np.sqrt(1 + np.log(context / original) / np.log(original)))}
    return {}


def write_decoder(path: Path, config: Mapping[str, Any], tensors: Mapping[str, np.ndarray]
                  ) -> None:
    """A GGUF file of float32."""
    keys, found = decoder(config, tensors)
    path.write_bytes(content(keys, [(n, floats(a)) for n, a in found.items()]))
