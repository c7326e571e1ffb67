"""Models of onnxruntime-genai: the ONNX model that genai_config.json describes, as a decoder that
keeps its caches itself.

SPDX-License-Identifier: Apache-2.0

It gets the inputs, outputs and states that checkpoints of language models have
(docs/language_models.md). Source: src/config.h of onnxruntime-genai.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.importers import kv_caches
from mace_tools.convert.importers.source import SourceModel, SourceNode, ValueInfo
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_text
from mace_tools.support.model_format import GENAI_CONFIG

ATTENTION = "com.microsoft.GroupQueryAttention"
_PRODUCTS = ("MatMul", "com.microsoft.MatMulNBits", "Gemm")
# Operators that compute each element by itself.
_ELEMENTWISE = ("Cast", "Div", "Identity", "Mul", "Tanh")
_IDS, _ROWS, _LOGITS, _POSITION = "input_ids", "logits_at", "logits", "position"
_LENGTHS, _TOTAL = 5, 6  # operands of attention: how many rows there are
_TOTAL_NOW = f"{_POSITION}/total"
_INT32 = 6  # of TensorProto


@dataclass(frozen=True)
class _Config:
    """What genai_config.json says of a decoder."""

    file: Path
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    layers: int
    heads: int
    size: int
    words: int
    context: int


def folder_of(path: Path) -> Path | None:
    """The folder of a model of onnxruntime-genai; None: it is none."""
    return path if (path / GENAI_CONFIG).is_file() else None


def model_file(folder: Path) -> Path:
    """The ONNX model. Errors: ModelError."""
    return _config(folder).file


def decoder(model: SourceModel, folder: Path) -> SourceModel:
    """The model, which was read from model_file. Errors: ModelError."""
    config = _config(folder)
    names = {key: config.inputs.get(key, default) for key, default in (
        ("input_ids", "input_ids"), ("attention_mask", "attention_mask"),
        ("past_key_names", "past_key_values.%d.key"),
        ("past_value_names", "past_key_values.%d.value"))}
    pasts = {names[f"past_{kind}_names"] % k: f"past_{kind}.{k}"
             for k in range(config.layers) for kind in ("key", "value")}
    other = [n for n in model.inputs
             if n not in (names["input_ids"], names["attention_mask"], *pasts)]
    attentions = [n for n in model.nodes if n.op == ATTENTION]
    if other or len(attentions) != config.layers:
        what = f"the input '{other[0]}'" if other else (
            f"{len(attentions)} nodes of GroupQueryAttention for {config.layers} layers")
        raise ModelError(f"{config.file}: it has {what}, which decoders of onnxruntime-genai's "
                         "builder for the CPU do not have; convert model.onnx itself, with its "
                         "states (docs/engine.md)")
    _count_tokens(model, config, attentions, names)
    shape = (1, config.heads, min(config.context, kv_caches.USUAL_CAPACITY), config.size)
    renamed = {past: state for past, state in pasts.items()} | {names["input_ids"]: _IDS}
    for node in model.nodes:
        node.inputs = [renamed.get(name, name) for name in node.inputs]
    for past, state in pasts.items():
        kind = "fp16" if model.inputs[past].dtype == "f16" else "fp32"
        model.variables[state] = kv_caches.zeros(shape, kind)
    model.variables[_POSITION] = np.zeros(1, np.int64)
    model.next_values = {node.inputs[3 + k]: node.outputs[1 + k]
                         for node in attentions for k in (0, 1)} | {_POSITION: _TOTAL_NOW}
    model.inputs = {_IDS: ValueInfo("i64", (1, None), None, ("", "tokens"),
                                    (0, config.words - 1))}
    model.outputs = [config.outputs.get("logits", _LOGITS)]
    if _choose_rows(model):
        model.inputs[_ROWS] = ValueInfo("i64", (None,), None, ("rows",), (0, 0))
    return model


def _count_tokens(model: SourceModel, config: _Config, attentions: list[SourceNode],
                  names: Mapping[str, str]) -> None:
    """Lets the lengths that attention reads follow from the state and from how many tokens come,
    instead of from a mask of all of them. Errors: ModelError."""
    made = model.producers()
    lengths = {node.inputs[_LENGTHS] for node in attentions}
    totals = {node.inputs[_TOTAL] for node in attentions}
    if len(lengths) != 1 or len(totals) != 1:
        raise ModelError(f"{config.file}: its nodes of GroupQueryAttention read different lengths; "
                         "convert model.onnx itself, with its states (docs/engine.md)")
    dropped, stack = set(), [*lengths, *totals]
    while stack:
        node = made.get(stack.pop())
        if node is not None and node.name not in dropped:
            dropped.add(node.name)
            stack += node.inputs
    model.nodes = [node for node in model.nodes if node.name not in dropped]
    reader = next((node for node in model.nodes if names["attention_mask"] in node.inputs), None)
    if reader is not None:
        raise ModelError(f"{config.file}: {reader.op} '{reader.name}' reads the mask of attention, "
                         "so that it is not a mask of lengths only; export for the CPU")
    one, count, total = f"{_POSITION}/one", f"{_POSITION}/tokens", _TOTAL_NOW
    (length,), (unused,) = lengths, totals
    model.constants[one] = np.ones(1, np.int64)
    model.constants[unused] = np.zeros((), np.int32)  # attention has the caches' own
    model.nodes[:0] = [
        SourceNode(count, "Shape", [_IDS], [count], {"start": 1, "end": 2}, opset=15),
        SourceNode(total, "Add", [_POSITION, count], [total]),
        SourceNode(f"{_POSITION}/last", "Sub", [total, one], [f"{_POSITION}/last"]),
        SourceNode(length, "Cast", [f"{_POSITION}/last"], [length], {"to": _INT32})]


def _choose_rows(model: SourceModel) -> bool:
    """Lets only some tokens pass the output matrix. Returns whether it was found."""
    made, name = model.producers(), model.outputs[0]
    while name in made and made[name].op in _ELEMENTWISE:
        before = [i for i in made[name].inputs if i in made]
        name = before[0] if len(before) == 1 else ""
    if name not in made or made[name].op not in _PRODUCTS:
        return False
    product, chosen = made[name], f"{_ROWS}/hidden"
    model.nodes.insert(model.nodes.index(product), SourceNode(
        chosen, "Gather", [product.inputs[0], _ROWS], [chosen], {"axis": 1}))
    product.inputs[0] = chosen
    for tensor in list(model.info):  # shapes of all tokens
        if tensor in made[name].outputs or tensor in model.outputs:
            del model.info[tensor]
    return True


def _config(folder: Path) -> _Config:
    """Errors: ModelError."""
    path = folder / GENAI_CONFIG
    try:
        config = json.loads(read_text(path))["model"]
        decoder = config["decoder"]
        file = folder / _typed(decoder, "filename", str)
        if file.parent != folder or not file.is_file():
            raise ValueError(f"filename {decoder['filename']!r} is no file of its folder")
        return _Config(
            file, _names(decoder, "inputs"), _names(decoder, "outputs"),
            *(_typed(decoder, key, int) for key in (
                "num_hidden_layers", "num_key_value_heads", "head_size")),
            *(_typed(config, key, int) for key in ("vocab_size", "context_length")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
        raise ModelError(f"{path}: cannot read it: {e!r}; give the folder that onnxruntime-genai's "
                         "model builder wrote") from e


def _typed(section: Any, key: str, kind: type) -> Any:
    value = section[key]
    if type(value) is not kind or kind is int and not 0 < value < 1 << 31:
        raise ValueError(f"{key} is {value!r}")
    return value


def _names(section: Any, key: str) -> dict[str, str]:
    names = section.get(key, {})
    if not isinstance(names, dict) or not all(isinstance(v, str) for v in names.values()):
        raise ValueError(f"{key} is {json.dumps(names)[:60]}")
    return names
