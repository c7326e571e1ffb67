"""Decoders with random weights, as GGUF files of Q4_0 and as our models of the same weights.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from mace_tools.convert.tokenizers import byte_alphabet
from mace_tools.testing.decoders import SIZES, Sizes
from mace_tools.testing.gguf_file import KINDS, Written, content

ROOT = Path(__file__).resolve().parents[2]
CAPACITY = 1024  # tokens of a KV cache
_BLOCK, _BYTES, _ALIGNMENT = 32, 18, 32  # of Q4_0, of a file
_LONGEST = 10  # bytes of a token
_CONTROL, _NORMAL = 3, 1
MODELS = ("small", "qwen3_0.6b")


@dataclass(frozen=True)
class Files:
    gguf: Path
    pb: Path

    @property
    def data(self) -> Path:
        return self.pb.with_suffix(".data")

    @property
    def tokenizer(self) -> Path:
        return self.pb.with_suffix(".tokenizer")


def bytes_per_token(name: str, context: int) -> int:
    """What a step reads: all matrices but the table of the tokens, and the caches in fp16."""
    s = SIZES[name]
    weights = sum(rows * depth for role, (rows, depth) in _matrices(s) if role != "token_embd"
                  or s.tied) * _BYTES // _BLOCK
    return weights + cache_bytes(name, context)


def operations(name: str) -> int:
    """Of the matrices of the blocks, for a token of a prompt."""
    return 2 * sum(rows * depth for role, (rows, depth) in _matrices(SIZES[name])
                   if role.startswith("blk."))


def cache_bytes(name: str, tokens: int) -> int:
    s = SIZES[name]
    return 2 * s.blocks * s.kv_heads * s.head * 2 * tokens


def made(name: str, folder: Path, mace_run: str) -> Files:
    """Packed for this CPU. The GGUF file is written once, our model each time, because the
    converter may change."""
    plain = unpacked(name, folder)
    files = Files(plain.gguf, folder / f"{name}.pb")
    subprocess.run([mace_run, "--model_file", str(plain.pb), "--model_data_file",
                    str(plain.data), "--pack_weights=host",
                    f"--packed_model={files.pb.with_suffix('')}"], check=True,
                   stdout=subprocess.DEVNULL)
    plain.tokenizer.rename(files.tokenizer)
    plain.pb.unlink()
    plain.data.unlink()
    return files


def unpacked(name: str, folder: Path) -> Files:
    """The same for any CPU."""
    folder.mkdir(parents=True, exist_ok=True)
    files = Files(folder / f"{name}.gguf", folder / f"{name}_plain.pb")
    if not files.gguf.is_file():
        part = files.gguf.with_suffix(".part")
        _write_gguf(name, part)
        part.rename(files.gguf)
    _convert(files)
    return files


def _convert(files: Files) -> None:
    from mace_tools.analyze.quantize.weight_only import store_weights
    from mace_tools.convert import importers
    from mace_tools.convert.emit import write_model
    from mace_tools.convert.importers import kv_caches
    from mace_tools.convert.passes.pipeline import convert
    from mace_tools.convert.tokenizers.convert import tokenizer_file
    from mace_tools.graph.dynamic_dims import OpenDims

    read = kv_caches.sized(importers.read("gguf", files.gguf), CAPACITY, "fp16")
    graph = convert(importers.translate("gguf", read))
    graph.open_dims = {"input_ids": OpenDims(("", "tokens")), "logits_at": OpenDims(("rows",))}
    write_model(store_weights(graph, "int4", [], {}, True).graph, files.pb, files.data, {})
    files.tokenizer.write_bytes(tokenizer_file(files.gguf))


def _matrices(s: Sizes) -> list[tuple[str, tuple[int, int]]]:
    """All of a model: names in GGUF, with rows and depth."""
    q, kv = s.heads * s.head, s.kv_heads * s.head
    block = {"attn_q": (q, s.features), "attn_k": (kv, s.features), "attn_v": (kv, s.features),
             "attn_output": (s.features, q), "ffn_gate": (s.feed_forward, s.features),
             "ffn_up": (s.feed_forward, s.features), "ffn_down": (s.features, s.feed_forward)}
    found = [("token_embd", (s.words, s.features))]
    if not s.tied:
        found.append(("output", (s.words, s.features)))
    return found + [(f"blk.{k}.{role}", shape) for k in range(s.blocks)
                    for role, shape in block.items()]


def _norms(s: Sizes) -> list[tuple[str, int]]:
    roles = {"attn_norm": s.features, "ffn_norm": s.features,
             **({"attn_q_norm": s.head, "attn_k_norm": s.head} if s.norms else {})}
    return [("output_norm", s.features), *(
        (f"blk.{k}.{role}", size) for k in range(s.blocks) for role, size in roles.items())]


def _tensors(s: Sizes) -> Iterator[tuple[str, int, tuple[int, ...], int]]:
    """Names, types, dimensions with the fastest first, and bytes."""
    for name, (rows, depth) in _matrices(s):
        yield name, KINDS["Q4_0"], (depth, rows), rows * depth // _BLOCK * _BYTES
    for name, size in _norms(s):
        yield name, KINDS["F32"], (size,), 4 * size


def _write_gguf(name: str, path: Path) -> None:
    s, rng, infos, end = SIZES[name], np.random.default_rng(0), [], 0
    for tensor, kind, dims, size in _tensors(s):
        infos.append((f"{tensor}.weight", Written(kind, dims, b"", end)))
        end += size + -size % _ALIGNMENT
    with path.open("wb") as file:
        file.write(content(_keys(s), infos))
        for _, kind, dims, size in _tensors(s):
            if kind == KINDS["F32"]:
                file.write(np.ones(dims, "<f4").tobytes())
            else:
                file.write(_blocks(rng, size // _BYTES, dims[0]).tobytes())
            file.write(bytes(-size % _ALIGNMENT))


def _blocks(rng: np.random.Generator, count: int, depth: int) -> np.ndarray:
    """Uniform values with the variance 1 / depth, of which each is its scale times -8 to 7."""
    blocks = rng.integers(0, 256, (count, _BYTES), np.uint8)
    scales = rng.uniform(0.8, 1.2, count) / (4.6 * np.sqrt(depth))
    blocks[:, :2] = scales.astype("<f2").view(np.uint8).reshape(count, 2)
    return blocks


def _keys(s: Sizes) -> list[tuple[str, Any]]:
    arch = "qwen3" if s.norms else "llama"
    keys = {"context_length": 4096, "embedding_length": s.features, "block_count": s.blocks,
            "feed_forward_length": s.feed_forward, "attention.head_count": s.heads,
            "attention.head_count_kv": s.kv_heads, "attention.key_length": s.head,
            "attention.value_length": s.head, "attention.layer_norm_rms_epsilon": 1e-5,
            "rope.dimension_count": s.head, "rope.freq_base": 10000.0, "vocab_size": s.words}
    return [("general.architecture", arch), ("general.file_type", 2),
            ("general.quantization_version", 2),
            *((f"{arch}.{key}", value) for key, value in keys.items()),
            *_vocabulary(s.words, "qwen2" if s.norms else "llama-bpe")]


def _vocabulary(words: int, pre: str) -> list[tuple[str, Any]]:
    """Random merges of bytes other than digits, so that each digit of a text is a token."""
    rng = np.random.default_rng(1)
    tokens = [byte_alphabet.CHARACTERS[k] for k in range(256)]
    known, merges = set(tokens), []
    while len(tokens) < words - 1:
        for a, b in rng.integers(0, len(tokens), (4096, 2)):
            token = tokens[a] + tokens[b]
            if (len(tokens) < words - 1 and len(token) <= _LONGEST and token not in known
                    and not any(c.isdigit() for c in token)):
                known.add(token)
                tokens.append(token)
                merges.append(f"{tokens[a]} {tokens[b]}")
    end = len(tokens)
    types = [_NORMAL] * end + [_CONTROL]
    return [("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", pre),
            ("tokenizer.ggml.tokens", [*tokens, "<|endoftext|>"]),
            ("tokenizer.ggml.token_type", types), ("tokenizer.ggml.merges", merges),
            ("tokenizer.ggml.eos_token_id", end), ("tokenizer.ggml.bos_token_id", end),
            ("tokenizer.ggml.add_bos_token", False)]
