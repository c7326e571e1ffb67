"""Decoders of LLaMA's kind with random weights, as graphs of the engine: KV caches of fixed
capacity, grouped queries, rotary embeddings, and weights stored as a model file has them.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass

import numpy as np

from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.ir import Graph, Tensor
from mace_tools.graph.quantized_weights import BLOCK, pack
from mace_tools.graph.states import State


@dataclass(frozen=True)
class Sizes:
    """`head`: the depth of one; `capacity`: of KV caches; `prompt`: the most tokens of a run."""

    features: int = 576
    feed_forward: int = 1152
    heads: int = 9
    kv_heads: int = 3
    head: int = 64
    blocks: int = 30
    words: int = 49152
    capacity: int = 1024
    prompt: int = 512
    tied: bool = False
    norms: bool = False  # of queries and keys


SIZES = {
    "small": Sizes(),
    "qwen3_0.6b": Sizes(1024, 3072, 16, 8, 128, 28, 151936, tied=True, norms=True),
    "tiny": Sizes(64, 96, 4, 2, 16, 2, 100, 64, 32),
}


class Decoder:
    """`stored`: f32, or as quantized_weights.STORED_TYPES. `cache`: f32, f16 or i8."""

    def __init__(self, sizes: Sizes, stored: str = "i4", dynamic: bool = True, cache: str = "f16",
                 seed: int = 0) -> None:
        self.sizes, self.stored, self.dynamic, self.cache = sizes, stored, dynamic, cache
        self.random = np.random.default_rng(seed)
        self.graph = Graph("decoder")

    def build(self) -> Graph:
        g, s = self.graph, self.sizes
        g.add_input("tokens", "i64", (1, None))
        g.add_input("position", "i64", (1,))
        g.open_dims["tokens"] = OpenDims(("", "sequence"), (1, s.prompt))
        table = self._weight("table", s.words, s.features)
        angles = self._angles()
        x, nexts = g.add("Gather", [table, "tokens"], ["embedded"], axis=0).outputs[0], []
        for block in range(s.blocks):
            x, made = self._block(f"block{block}", x, angles)
            nexts += made
        last = g.add("Slice", [x], ["last"], starts=[-1], ends=[2**31], axes=[1]).outputs[0]
        head = table if s.tied else self._weight("head", s.words, s.features)
        g.add("FullyConnected", [self._norm("final", last), head], ["logits"], **self._attrs())
        g.outputs = ["logits", *nexts]
        return g

    def _attrs(self) -> dict[str, int]:
        return {"dynamic": 1} if self.dynamic and self.stored != "f32" else {}

    def _angles(self) -> list[str]:
        """The cosines and sines of the positions of the tokens."""
        g, s = self.graph, self.sizes
        rates = 10000.0 ** (-np.arange(0, s.head, 2) / s.head)
        table = np.arange(s.capacity + s.prompt)[:, None] * rates
        g.add("Shape", ["tokens"], ["shape"])
        one = [g.add_const(name, np.array(value, np.int64))
               for name, value in (("index", 1), ("zero", 0), ("step", 1))]
        g.add("Gather", ["shape", one[0]], ["count"], axis=0)
        g.add("Range", [one[1], "count", one[2]], ["places"])
        g.add("Eltwise", ["places", "position"], ["positions"], type="SUM")
        return [g.add("Gather", [g.add_const(f"{name}_table", of(table).astype(np.float32)),
                                 "positions"], [name], axis=0).outputs[0]
                for name, of in (("cos", np.cos), ("sin", np.sin))]

    def _block(self, name: str, x: str, angles: list[str]) -> tuple[str, list[str]]:
        g, s = self.graph, self.sizes
        before = self._norm(f"{name}/norm", x)
        q = self._linear(f"{name}/q", before, s.heads * s.head, s.features)
        k = self._linear(f"{name}/k", before, s.kv_heads * s.head, s.features)
        v = self._linear(f"{name}/v", before, s.kv_heads * s.head, s.features)
        if s.norms:
            q, k = (self._norm_of_heads(f"{name}/{n}_norm", t, count)
                    for n, t, count in (("q", q, s.heads), ("k", k, s.kv_heads)))
        turned = g.add("RotaryEmbedding", [*angles, q, k], [f"{name}/q_turned", f"{name}/k_turned"],
                       heads=[s.heads, s.kv_heads])
        q, k = turned.outputs
        caches = [self._cached(f"{name}/{n}", rows) for n, rows in (("keys", k), ("values", v))]
        g.add("Attention", [q, *caches, "", "position"], [f"{name}/attended"], heads=s.heads,
              right_window=0)
        out = self._linear(f"{name}/out", f"{name}/attended", s.features, s.heads * s.head)
        x = g.add("Eltwise", [x, out], [f"{name}/sum"], type="SUM").outputs[0]
        inner = self._norm(f"{name}/inner_norm", x)
        gate = self._linear(f"{name}/gate", inner, s.feed_forward, s.features, "SWISH")
        up = self._linear(f"{name}/up", inner, s.feed_forward, s.features)
        g.add("Eltwise", [gate, up], [f"{name}/gated"], type="PROD")
        down = self._linear(f"{name}/down", f"{name}/gated", s.features, s.feed_forward)
        return g.add("Eltwise", [x, down], [f"{name}/end"], type="SUM").outputs[0], caches

    def _norm(self, name: str, x: str) -> str:
        scale = self.graph.add_const(f"{name}/scale", np.ones(self.sizes.features, np.float32))
        return self.graph.add("LayerNorm", [x, scale], [name], centered=0).outputs[0]

    def _norm_of_heads(self, name: str, x: str, heads: int) -> str:
        g, depth = self.graph, self.sizes.head
        split = g.add_const(f"{name}/split", np.array([1, -1, heads, depth], np.int64))
        joined = g.add_const(f"{name}/joined", np.array([1, -1, heads * depth], np.int64))
        scale = g.add_const(f"{name}/scale", np.ones(depth, np.float32))
        g.add("Reshape", [x, split], [f"{name}/heads"])
        g.add("LayerNorm", [f"{name}/heads", scale], [f"{name}/normed"], centered=0)
        return g.add("Reshape", [f"{name}/normed", joined], [name]).outputs[0]

    def _linear(self, name: str, x: str, rows: int, depth: int, activation: str = "") -> str:
        attrs: dict[str, int | str] = {**self._attrs()}
        if activation:
            attrs["activation"] = activation
        weight = self._weight(f"{name}/weight", rows, depth)
        return self.graph.add("FullyConnected", [x, weight], [name], **attrs).outputs[0]

    def _cached(self, name: str, rows: str) -> str:
        g, s = self.graph, self.sizes
        shape = (1, s.kv_heads, s.capacity, s.head + (4 if self.cache == "i8" else 0))
        g.add_input(name, self.cache, shape)
        g.states[name] = State(f"{name}_next")
        node = g.add("UpdateKvCache", [name, rows, "position"], [f"{name}_next"])
        g.tensors[node.outputs[0]].dtype, g.tensors[node.outputs[0]].shape = self.cache, shape
        return node.outputs[0]

    def _weight(self, name: str, rows: int, depth: int) -> str:
        """Random values of about the size 1 / sqrt(depth)."""
        if self.stored == "f32":
            values = self.random.standard_normal((rows, depth), np.float32) / np.sqrt(depth)
            return self.graph.add_const(name, values.astype(np.float32))
        bits = 4 if self.stored in ("i4", "i4z") else 8
        low, high = (0, 16) if self.stored == "i4z" else (-(1 << bits - 1), 1 << bits - 1)
        values = self.random.integers(low, high, (rows, depth), np.int8)
        blocks = 1 if self.stored == "i8" else -(-depth // BLOCK)
        step = 2 / (1 << bits) / np.sqrt(depth)
        scales = np.full((rows, blocks), step)
        zeros = np.full((rows, blocks), 7.0) if self.stored == "i4z" else None
        tensor = Tensor(name, "f32", (rows, depth), np.broadcast_to(np.float32(np.nan),
                                                                   (rows, depth)))
        tensor.stored = self.stored
        tensor.packed = pack(self.stored, values, scales, zeros)
        return self.graph.add_tensor(tensor).name
