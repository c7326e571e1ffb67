"""The weights of a decoder by their roles, in one order whatever the file's is.

SPDX-License-Identifier: Apache-2.0

Matrices are [out, in]; projections that a file fuses come apart; rows of queries and keys are in
the order in which halves of a head rotate.
"""

import fnmatch
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mace_tools.convert.decoders.describe import Decoder
from mace_tools.convert.decoders.stored import Stored
from mace_tools.support.errors import ModelError

# By role: the name in GGUF.
GGUF_NAMES = {
    "embedding": "token_embd", "positions": "position_embd", "final_norm": "output_norm",
    "head": "output", "attention_norm": "blk.{n}.attn_norm", "q": "blk.{n}.attn_q",
    "k": "blk.{n}.attn_k", "v": "blk.{n}.attn_v", "qkv": "blk.{n}.attn_qkv",
    "o": "blk.{n}.attn_output", "q_norm": "blk.{n}.attn_q_norm", "k_norm": "blk.{n}.attn_k_norm",
    "attention_post_norm": "blk.{n}.post_attention_norm", "ffn_norm": "blk.{n}.ffn_norm",
    "ffn_post_norm": "blk.{n}.post_ffw_norm", "gate": "blk.{n}.ffn_gate", "up": "blk.{n}.ffn_up",
    "down": "blk.{n}.ffn_down", "gate_up": "blk.{n}.ffn_up",
}
_FUSED = {"q": "qkv", "k": "qkv", "v": "qkv", "gate": "gate_up", "up": "gate_up"}


class Checkpoint:
    """Finds tensors, checks their shapes, and knows which were used."""

    def __init__(self, decoder: Decoder, tensors: Mapping[str, Stored], where: Path,
                 is_gguf: bool = False) -> None:
        self.decoder, self.tensors, self.where = decoder, tensors, where
        self.is_gguf = is_gguf
        self._used: set[str] = set()
        d = decoder
        q, kv = d.heads * d.head_size, d.kv_heads * d.head_size
        self._shapes = {
            "embedding": (d.words, d.width), "head": (d.words, d.width), "q": (q, d.width),
            "k": (kv, d.width), "v": (kv, d.width), "qkv": (q + 2 * kv, d.width),
            "o": (d.width, q), "gate": (d.hidden, d.width), "up": (d.hidden, d.width),
            "gate_up": (2 * d.hidden, d.width), "down": (d.width, d.hidden),
            "q_norm": (d.head_size,), "k_norm": (d.head_size,), "positions": (d.context, d.width)}

    def matrix(self, role: str, layer: int = 0) -> Stored:
        """Errors: ModelError for a tensor that is not there or has another shape."""
        return self._part(role, layer, "weight")

    def bias(self, role: str, layer: int = 0) -> np.ndarray | None:
        """None: the architecture has none there."""
        fused = _FUSED.get(role, "")
        if not {role, fused} & self.decoder.biased:
            return None
        return self._part(role, layer, "bias").floats()

    def norm(self, role: str, layer: int = 0) -> tuple[np.ndarray, np.ndarray | None]:
        """The weight of a norm, and its bias where it has one."""
        weight = self._find(role, layer, "weight").floats()
        if self.decoder.table.norm_plus_one and not self.is_gguf:
            weight = weight + np.float32(1)
        centered = self.decoder.table.norm == "layer"
        return weight, self._find(role, layer, "bias").floats() if centered else None

    def factors(self) -> np.ndarray | None:
        """What divides the frequencies of the rotation; only GGUF files have it."""
        if not self.is_gguf or "rope_freqs.weight" not in self.tensors:
            return None
        return self._checked("rope_freqs.weight", (self.decoder.turned // 2,)).floats()

    def has(self, role: str) -> bool:
        return self.decoder.table.has(role)

    def check_all_used(self) -> None:
        """Errors: ModelError for a tensor that the architecture does not have."""
        table = self.decoder.table
        skipped = [name.format(n="*") for name in table.skipped]
        skipped += ["*.rotary_emb.inv_freq"]
        if self.is_gguf:
            skipped = ["rope_factors_long.weight", "rope_factors_short.weight"]
        elif self.decoder.tied:
            skipped += [table.tensors["head"] + ".weight"]
        for name in self.tensors:
            if name in self._used or any(
                    fnmatch.fnmatchcase(n, pattern) for pattern in skipped
                    for n in (name, table.prefix + name)):
                continue
            raise ModelError(f"{self.tensors[name].path}: tensor '{name}' is not one that "
                             f"{table.title} has with the options of {self.where}, so the model "
                             "may compute something else; give a checkpoint without it, or the "
                             "config.json that belongs to it")

    def _part(self, role: str, layer: int, kind: str) -> Stored:
        """A tensor, or its part of one that joins several."""
        fused = _FUSED.get(role)
        if fused is None or not self._is_fused(fused, layer):
            found = self._find(role, layer, kind)
            return self._unpermuted(found, role) if role in "qk" else found
        whole = self._find(fused, layer, kind)
        rows = self._rows(role)
        if (np.diff(rows) == 1).all():  # a view of the file
            part = whole.rows()[rows[0] : rows[-1] + 1].reshape(-1)
            return Stored(f"{whole.name}[{role}]", whole.path, whole.kind,
                          (len(rows), *whole.shape[1:]), part)
        return whole.with_rows(rows)

    def _is_fused(self, fused: str, layer: int) -> bool:
        """GGUF files of any architecture may join queries, keys and values."""
        joined = GGUF_NAMES["qkv"].format(n=layer) + ".weight"
        return self.has(fused) or self.is_gguf and fused == "qkv" and joined in self.tensors

    def _rows(self, role: str) -> np.ndarray:
        """Of a fused matrix."""
        d, table = self.decoder, self.decoder.table
        if role in ("gate", "up"):
            return np.arange(d.hidden) + (role == "up") * d.hidden
        order = table.fused_qkv
        if self.is_gguf:
            order = table.gguf.fused_qkv or order or "parts"
        if order == "heads":  # as many of keys and values as of queries
            first = np.arange(d.heads)[:, None] * 3 + "qkv".index(role)
            return (first * d.head_size + np.arange(d.head_size)).reshape(-1)
        counts = [d.heads, d.kv_heads, d.kv_heads]
        place = "qkv".index(role)
        return np.arange(counts[place] * d.head_size) + sum(counts[:place]) * d.head_size

    def _unpermuted(self, found: Stored, role: str) -> Stored:
        """Halves of each head for neighbours."""
        d = self.decoder
        if not self.is_gguf or not d.table.gguf.permuted:
            return found
        half = d.head_size // 2
        order = np.arange(found.shape[0]).reshape(-1, half, 2).transpose(0, 2, 1).reshape(-1)
        return found.with_rows(order)

    def _name(self, role: str, layer: int, kind: str) -> str:
        names = GGUF_NAMES if self.is_gguf else self.decoder.table.tensors
        name = f"{names[role].format(n=layer)}.{kind}"
        if not self.is_gguf and name not in self.tensors:
            bare = name.removeprefix(self.decoder.table.prefix)
            return bare if bare in self.tensors else name
        return name

    def _find(self, role: str, layer: int, kind: str) -> Stored:
        shape = self._shapes.get(role, (self.decoder.width,))
        shape = shape if kind == "weight" else shape[:1]
        transposed = self.decoder.table.transposed and not self.is_gguf and len(shape) == 2 and (
            role not in ("embedding", "positions", "head"))
        found = self._checked(self._name(role, layer, kind), shape[::-1] if transposed else shape)
        return found.transposed() if transposed else found

    def _checked(self, name: str, shape: tuple[int, ...]) -> Stored:
        found = self.tensors.get(name)
        if found is None:
            raise ModelError(f"{self.where}: there is no tensor '{name}', which "
                             f"{self.decoder.table.title} has; the checkpoint is incomplete, or "
                             "its options belong to another model")
        if found.shape != shape:
            raise ModelError(f"{found.path}: tensor '{name}' is {list(found.shape)}, and the "
                             f"options of {self.where} make it {list(shape)}; one of the two "
                             "belongs to another model")
        self._used.add(name)
        return found
