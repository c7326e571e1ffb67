"""A decoder as its table and its options describe it.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.convert.decoders import rotary
from mace_tools.convert.decoders.tables import Table
from mace_tools.support.errors import ModelError

MAX_LAYERS, MAX_SIZE = 1024, 1 << 24
# What config.json calls activations, and what the engine does.
ACTIVATIONS = {"silu": "SWISH", "swish": "SWISH", "gelu": "GELU", "gelu_new": "GELU_TANH",
               "gelu_pytorch_tanh": "GELU_TANH", "gelu_fast": "GELU_TANH", "relu": "RELU"}


@dataclass(frozen=True)
class Layer:
    """`window`: how many keys a query sees, itself included; 0: all before it."""

    window: int
    rotation: rotary.Rotation | None


@dataclass(frozen=True)
class Decoder:
    """All that the graph depends on besides the weights."""

    table: Table
    words: int
    width: int
    heads: int
    kv_heads: int
    head_size: int
    turned: int  # elements of each head that rotate
    hidden: int  # the width of the feed-forward part
    context: int
    epsilon: float
    activation: str
    parallel: bool
    scale: float
    attention_cap: float
    final_cap: float
    tied: bool
    biased: frozenset[str]  # roles
    layers: tuple[Layer, ...]


class Describer:
    """Reads options, and names the one that is wrong."""

    def __init__(self, table: Table, options: Mapping[str, Any], where: Path) -> None:
        self.table, self.options, self.where = table, options, where

    def wrong(self, what: str) -> ModelError:
        return ModelError(f"{self.where}: {what}")

    def whole(self, name: str, default: int | None = None, most: int = MAX_SIZE) -> int:
        value = self.options.get(name) or default
        if type(value) is not int or not 0 < value <= most:
            raise self.wrong(f"{name} is {value!r}; it is a whole number from 1 to {most}")
        return value

    def number(self, name: str, default: float = 0.0) -> float:
        value = self.options.get(name, default)
        value = 0.0 if value is None else value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not (
                math.isfinite(value) and value >= 0):
            raise self.wrong(f"{name} is {value!r}; it is a finite number, and not negative")
        return float(value)

    def flag(self, name: str) -> bool:
        value = self.options.get(name)
        if value not in (True, False, None):
            raise self.wrong(f"{name} is {value!r}; it is true or false")
        return bool(value)

    def decoder(self) -> Decoder:
        """Errors: ModelError for options that contradict one another or cannot be converted."""
        width, heads = self.whole("hidden_size"), self.whole("num_attention_heads")
        kv_heads = self.whole("num_key_value_heads", heads)
        if heads % kv_heads:
            raise self.wrong(f"num_attention_heads, {heads}, is no multiple of "
                             f"num_key_value_heads, {kv_heads}")
        if not self.options.get("head_dim") and width % heads:
            raise self.wrong(f"hidden_size, {width}, is no multiple of num_attention_heads, "
                             f"{heads}, and head_dim is not given")
        size = self.whole("head_dim", width // heads or 1)
        self._refuse()
        turned = self._turned(size)
        scaled = self.number("query_pre_attn_scalar", size) or size
        return Decoder(
            self.table, self.whole("vocab_size"), width, heads, kv_heads, size, turned,
            self.whole("intermediate_size", 0 if self.table.gated else 4 * width),
            self.whole("max_position_embeddings", most=1 << 31), self.number("norm_eps"),
            self._activation(), self.flag("use_parallel_residual"), scaled**-0.5,
            self.number("attn_logit_softcapping"), self.number("final_logit_softcapping"),
            self.flag("tie_word_embeddings"), self._biased(),
            tuple(self._layers(turned)))

    def _refuse(self) -> None:
        """What no graph is written for."""
        if self.options.get("scale_attn_weights") is False:
            raise self.wrong("scale_attn_weights is false, with which attention is not scaled; "
                             "only true can be converted")
        if self.flag("use_bidirectional_attention"):
            raise self.wrong("use_bidirectional_attention is true: the model is an encoder, and "
                             "decoders can be converted")

    def _activation(self) -> str:
        name = self.options.get("hidden_act")
        if name not in ACTIVATIONS:
            raise self.wrong(f"hidden_act is {name!r}; {', '.join(ACTIVATIONS)} can be converted")
        return ACTIVATIONS[name]

    def _biased(self) -> frozenset[str]:
        return frozenset(role for role, told in self.table.biases.items()
                         if told is True or isinstance(told, str) and self.flag(told))

    def _turned(self, size: int) -> int:
        parameters = self._rope("full_attention")
        share = parameters.get("partial_rotary_factor")
        if share is None:
            share = self.number("partial_rotary_factor", 1.0)
        if not isinstance(share, (int, float)) or not 0 < share <= 1:
            raise self.wrong(f"partial_rotary_factor is {share!r}; it is above 0 and at most 1")
        turned = int(size * share)
        if self.table.rotates and (turned < 2 or turned % 2):
            raise self.wrong(f"{turned} of {size} elements of each head rotate; it is an even "
                             "number above 0")
        return turned

    def _rope(self, kind: str) -> dict[str, Any]:
        """The parameters of layers of a type, in either spelling of config.json."""
        new, old = self.options.get("rope_parameters"), self.options.get("rope_scaling")
        if not isinstance(new or {}, dict) or not isinstance(old or {}, dict):
            raise self.wrong("rope_parameters and rope_scaling are to be JSON objects")
        if new:
            found = new.get(kind, new) if any(isinstance(v, dict) for v in new.values()) else new
            return {"rope_theta": self.options.get("rope_theta"), **found}
        local = kind == "sliding_attention" and self.options.get("rope_local_base_freq")
        if local:
            return {"rope_theta": local}
        return {**(old or {}), "rope_theta": self.options.get("rope_theta")}

    def _rotation(self, kind: str, turned: int) -> rotary.Rotation:
        parameters = self._rope(kind)
        theta = parameters.get("rope_theta")
        if isinstance(theta, bool) or not isinstance(theta, (int, float)) or not theta > 1:
            raise self.wrong(f"rope_theta is {theta!r}; it is a number above 1")
        original = self.options.get("original_max_position_embeddings") or 0
        try:
            return rotary.rotation(parameters, theta, turned,
                                   self.whole("max_position_embeddings", most=1 << 31), original)
        except rotary.Refused as e:
            raise self.wrong(str(e)) from e

    def _layers(self, turned: int) -> list[Layer]:
        count = self.whole("num_hidden_layers", most=MAX_LAYERS)
        rotations = {kind: self._rotation(kind, turned) if self.table.rotates else None
                     for kind in ("full_attention", "sliding_attention")}
        if rotations["full_attention"] is not None and self._rope("full_attention") == self._rope(
                "sliding_attention"):
            rotations["sliding_attention"] = rotations["full_attention"]
        window, kinds = int(self.number("sliding_window")), self._kinds(count)
        rotating = self._rotating(count)
        if "sliding_attention" in kinds and not window:
            raise self.wrong("layer_types has sliding_attention, and sliding_window is not given")
        return [Layer(window if kind == "sliding_attention" else 0, rotations[kind] if turns else
                      None) for kind, turns in zip(kinds, rotating)]

    def _kinds(self, count: int) -> list[str]:
        given = self.options.get("layer_types")
        if given:
            if not isinstance(given, list) or len(given) != count:
                raise self.wrong(f"layer_types is to be a list of {count}, one for each layer")
            other = next((k for k in given if k not in ("full_attention", "sliding_attention")),
                         None)
            if other is not None:
                raise self.wrong(f"layer_types has {other!r}; full_attention and "
                                 "sliding_attention can be converted")
            if self.options.get("use_sliding_window", True):
                return given
            return ["full_attention"] * count
        window = self.number("sliding_window") and self.options.get("use_sliding_window", True)
        every = int(self.number("sliding_window_pattern"))
        first = int(self.number("max_window_layers"))
        return ["full_attention" if not window or i < first or every and (i + 1) % every == 0
                else "sliding_attention" for i in range(count)]

    def _rotating(self, count: int) -> list[bool]:
        given = self.options.get("no_rope_layers")
        if given:
            if not isinstance(given, list) or len(given) != count:
                raise self.wrong(f"no_rope_layers is to be a list of {count}, one for each layer")
            return [bool(g) for g in given]
        every = int(self.number("no_rope_layer_interval"))
        return [not every or (i + 1) % every != 0 for i in range(count)]
