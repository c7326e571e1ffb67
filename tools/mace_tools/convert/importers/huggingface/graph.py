"""The graph of a decoder, which computes a whole prompt and one token after the other.

SPDX-License-Identifier: Apache-2.0

Keys and values of all tokens so far are states of a fixed capacity, and so is their number, from
which positions follow. Sources: Vaswani et al. 2017; Su et al. 2021; Zhang and Sennrich 2019;
Shazeer 2020.
"""

import math
from typing import Any

import numpy as np

from mace_tools.convert.decoders.checkpoint import Checkpoint
from mace_tools.convert.decoders.describe import Layer
from mace_tools.convert.decoders.rotary import Rotation
from mace_tools.convert.decoders.stored import Stored
from mace_tools.convert.decoders.weights import Weights
from mace_tools.convert.importers import kv_caches
from mace_tools.convert.importers.source import SourceModel, SourceNode, ValueInfo

FRAMEWORK = "language model"
IDS, ROWS, LOGITS, POSITION = "input_ids", "logits_at", "logits", "position"
# Ops of the graphs.
OPS = ("Activation", "Attention", "Cast", "Compare", "Eltwise", "ExpandDims",
       "FullyConnected", "Gather", "LayerNorm", "Range", "Reshape", "RotaryEmbedding", "Select",
       "Shape", "Squeeze", "Transpose", "Unary", "UpdateKvCache")


def model(checkpoint: Checkpoint, name: str) -> SourceModel:
    """The model, whose weights stay in the mapped file where they are float32.

    Errors: ModelError for a tensor that is missing, of another shape, or of no use."""
    return _Writer(checkpoint).model(name)


class _Writer:
    """Makes nodes call by call; tensors are names."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.d, self.checkpoint = checkpoint.decoder, checkpoint
        self.nodes: list[SourceNode] = []
        self.constants = Weights()
        self.states: dict[str, np.ndarray] = {POSITION: np.zeros(1, np.int64)}
        self.next_values: dict[str, str] = {}
        self._scope = self.total = ""
        self._taken: set[str] = {IDS, ROWS}

    def model(self, name: str) -> SourceModel:
        checkpoint, layers = self.checkpoint, self.d.layers
        words = self.const("embedding", checkpoint.matrix("embedding"))
        x = self.op("Gather", words, IDS, name="embedded")
        if self.d.table.scaled_embedding:
            x = self.times(x, math.sqrt(self.d.width))
        positions = self._positions()
        if checkpoint.has("positions"):
            table = self.const("positions", checkpoint.matrix("positions"))
            x = self.sum(x, self.op("Gather", table, positions))
        rotations = {id(r): r for r in (layer.rotation for layer in layers) if r is not None}
        angles = {key: self._angle(rotation, positions) for key, rotation in rotations.items()}
        for k, layer in enumerate(layers):
            self._scope = f"block.{k}/"
            x = self._block(x, k, layer, angles.get(id(layer.rotation)))
        self._scope = ""
        self.next_values[POSITION] = self.total
        x = self.op("Gather", x, ROWS, name="chosen", axis=1)
        x = self._norm(x, "final_norm")
        head = words if self.d.tied else self.const("head", checkpoint.matrix("head"))
        x = self.op("FullyConnected", x, head)
        if self.d.final_cap:
            x = self._capped(x, self.d.final_cap)
        self.nodes.append(SourceNode(LOGITS, "Identity", [x], [LOGITS]))
        checkpoint.check_all_used()
        return SourceModel(
            FRAMEWORK, name, self.nodes, self.constants.floats,
            {IDS: ValueInfo("i64", (1, None), None, ("", "tokens"), (0, self.d.words - 1)),
             ROWS: ValueInfo("i64", (None,), None, ("rows",), (0, 0))}, [LOGITS],
            stored=self.constants.stored, packed=self.constants.packed, variables=self.states,
            next_values=self.next_values, notes=self.constants.notes())

    # --- nodes ---

    def _vacant(self, name: str) -> str:
        found, k = f"{self._scope}{name}", 0
        while found in self._taken:
            k += 1
            found = f"{self._scope}{name}.{k}"
        self._taken.add(found)
        return found

    def op(self, op: str, *inputs: str, name: str = "", **attrs: Any) -> str:
        out = self._vacant(name or op)
        self.nodes.append(SourceNode(out, op, list(inputs), [out], attrs))
        return out

    def const(self, name: str, value: np.ndarray | Stored) -> str:
        return self.constants.add(self._vacant(f"{name}.constant"), value)

    def number(self, value: float) -> str:
        return self.constants.add(f"{value!r}.constant", np.array(value, np.float32))

    def sum(self, a: str, b: str) -> str:
        return self.op("Eltwise", a, b, type="SUM", name="sum")

    def times(self, x: str, factor: float) -> str:
        return x if factor == 1 else self.op("Eltwise", x, self.number(factor), type="PROD")

    # --- parts ---

    def _positions(self) -> str:
        """i64 [tokens]: those of this run, behind those of the caches. `total`: how many they hold
        then, [1]."""
        count = self.op("Shape", IDS, start=1, end=2, name="tokens")
        self.total = self.sum(POSITION, count)
        zero, one = (self.const(name, np.array(k)) for k, name in enumerate(("zero", "one")))
        own = self.op("Range", zero, self.op("Squeeze", count, axis=[0]), one)
        return self.op("Eltwise", own, POSITION, type="SUM", name="positions")

    def _angle(self, rotation: Rotation, positions: str) -> tuple[str, str]:
        """Cosines and sines, [tokens, size / 2]."""
        factors = self.checkpoint.factors()
        frequencies = rotation.frequencies if factors is None else rotation.frequencies / factors
        used = self.const("frequencies", frequencies.astype(np.float32)[None])
        places = self.op("ExpandDims", self.op("Cast", positions, to="f32"), axis=[1])
        if rotation.long is not None:  # which of the two: by how long the text is so far
            switch = self.const("switch", np.array([rotation.switch]))
            is_long = self.op("Compare", self.total, switch, type="GREATER")
            used = self.op("Select", is_long, self.const("long", rotation.long[None]), used)
        angles = self.op("Eltwise", places, used, type="PROD", name="angles")
        cos, sin = (self.times(self.op("Unary", angles, type=kind), rotation.factor)
                    for kind in ("COS", "SIN"))
        return cos, sin

    def _cached(self, kind: str, layer: int, rows: str) -> str:
        """The cache with the keys or values of this run behind the earlier ones."""
        name, d = f"{kind}.{layer}", self.d
        capacity = min(d.context, kv_caches.USUAL_CAPACITY)
        self.states[name] = kv_caches.zeros((1, d.kv_heads, capacity, d.head_size))
        updated = self.op("UpdateKvCache", name, rows, POSITION)
        self.next_values[name] = updated
        return updated

    def _norm(self, x: str, role: str, layer: int = 0) -> str:
        weight, bias = self.checkpoint.norm(role, layer)
        operands = [self.const(role, weight)]
        if bias is not None:
            operands.append(self.const(f"{role}.bias", bias))
        return self.op("LayerNorm", x, *operands, name=role, axis=-1, epsilon=self.d.epsilon,
                       centered=int(self.d.table.norm == "layer"))

    def _linear(self, x: str, role: str, layer: int) -> str:
        operands = [self.const(role, self.checkpoint.matrix(role, layer))]
        bias = self.checkpoint.bias(role, layer)
        if bias is not None:
            operands.append(self.const(f"{role}.bias", bias))
        return self.op("FullyConnected", x, *operands, name=role)

    def _capped(self, x: str, cap: float) -> str:
        x = self.op("Activation", self.times(x, 1 / cap), activation="TANH")
        return self.times(x, cap)

    def _block(self, x: str, k: int, layer: Layer, angles: tuple[str, str] | None) -> str:
        sandwich = self.d.table.residual == "sandwich"
        y = self._attention(self._norm(x, "attention_norm", k), k, layer, angles)
        if self.d.parallel:
            return self.sum(self.sum(x, y), self._feed_forward(self._norm(x, "ffn_norm", k), k))
        x = self.sum(x, self._norm(y, "attention_post_norm", k) if sandwich else y)
        y = self._feed_forward(self._norm(x, "ffn_norm", k), k)
        return self.sum(x, self._norm(y, "ffn_post_norm", k) if sandwich else y)

    def _attention(self, x: str, k: int, layer: Layer, angles: tuple[str, str] | None) -> str:
        d = self.d
        q, key, value = (self._heads(x, role, count, k) for role, count in (
            ("q", d.heads), ("k", d.kv_heads), ("v", d.kv_heads)))
        if angles is not None:
            turn = {"size": d.turned if d.turned < d.head_size else 0, "interleaved": 0}
            q, key = (self.op("RotaryEmbedding", *angles, y, name=f"{role}.turned", **turn)
                      for role, y in (("q", q), ("k", key)))
        key, value = self._cached("past_key", k, key), self._cached("past_value", k, value)
        y = self.op("Attention", q, key, value, "", POSITION, scale=float(d.scale),
                    softcap=d.attention_cap, right_window=0,
                    left_window=layer.window - 1 if layer.window else -1)
        y = self.op("Transpose", y, dims=[0, 2, 1, 3])
        return self._linear(self.op("Reshape", y, dim=[0, 0, d.heads * d.head_size]), "o", k)

    def _heads(self, x: str, role: str, count: int, k: int) -> str:
        """Queries, keys or values as [1, heads, tokens, head_size]."""
        y = self.op("Reshape", self._linear(x, role, k), dim=[0, 0, count, self.d.head_size])
        if self.checkpoint.has(f"{role}_norm"):
            y = self._norm(y, f"{role}_norm", k)
        return self.op("Transpose", y, dims=[0, 2, 1, 3])

    def _feed_forward(self, x: str, k: int) -> str:
        if not self.d.table.gated:
            y = self.op("Activation", self._linear(x, "up", k), activation=self.d.activation)
        else:
            gate = self.op("Activation", self._linear(x, "gate", k), activation=self.d.activation)
            y = self.op("Eltwise", gate, self._linear(x, "up", k), type="PROD")
        return self._linear(y, "down", k)
