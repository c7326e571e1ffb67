"""Reads the text of a network: its layers in today's form, those of the TEST phase only.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import Message

from mace_tools.support import protos
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_text

PROTO = Path(__file__).with_name("caffe.proto")

# Types of before Caffe 1.0 whose names are not those of today with capitals and underscores.
_V1_TYPES = {
    "ABSVAL": "AbsVal", "ARGMAX": "ArgMax", "BNLL": "BNLL", "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output", "LRN": "LRN", "MVN": "MVN", "RELU": "ReLU", "TANH": "TanH",
    "SOFTMAX_LOSS": "SoftmaxWithLoss", "IM2COL": "Im2col",
}
_UPGRADE = ("upgrade both files with Caffe's own tools, upgrade_net_proto_text for the network and "
            "upgrade_net_proto_binary for its weights")
OLD = f"is of 2013, in a form that is no longer read; {_UPGRADE}"


@dataclass
class LayerText:
    """A layer of the file. `message` has the fields of its kind, such as `pooling_param`."""

    name: str
    type: str
    bottoms: list[str]
    tops: list[str]
    message: Any
    shared: list[str] = field(default_factory=list)  # names of its parameters, "" without one


@dataclass
class Net:
    """A network. Inputs that it declares without a layer are layers of the type Input."""

    name: str
    layers: list[LayerText]


def read_net(path: Path) -> Net:
    """Errors: ModelError naming the file, the line and what is wrong there."""
    proto = _parse(path)
    if proto.layer and proto.layers:
        raise ModelError(f"{path} has layers of two forms, `layer` and `layers`; {_UPGRADE}")
    layers = _declared_inputs(proto, path)
    layers += [_layer(m, k) for k, m in enumerate(proto.layer) if _is_used(m, proto.state, path)]
    layers += [_v1_layer(m, k, path) for k, m in enumerate(proto.layers)
               if _is_used(m, proto.state, path)]
    if not layers:
        raise ModelError(f"{path} is no Caffe network: it has no layers"
                         + (" of the phase TEST" if proto.layer or proto.layers else ""))
    return Net(proto.name or path.stem, layers)


def _parse(path: Path) -> Any:
    try:
        text = read_text(path)
    except OSError as e:
        raise ModelError(f"cannot read {path}: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise ModelError(f"{path} is no text, as the network of a Caffe model (.prototxt) is: byte "
                         f"{e.start} is not UTF-8") from e
    proto = protos.load(PROTO).NetParameter()
    try:
        text_format.Parse(text, proto)
    except text_format.ParseError as e:
        raise ModelError(f"{path}:{e.GetLine() or 1}: {_plain(str(e), proto)}") from e
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as e:
        raise ModelError(f"{path} is no Caffe network: {type(e).__name__}: {e}") from e
    return proto


def _plain(message: str, proto: Message) -> str:
    """What protobuf says, in words that need no knowledge of it."""
    message = re.sub(r"^\d+:\d+ : ", "", message)
    found = re.search(r'Message type "caffe\.(\S+)" has no field named "(.*?)"', message)
    if found is None:
        return re.sub(r"^'.*': ", "", message.replace("caffe.", ""), flags=re.DOTALL)
    kind, name = found[1], found[2]
    if kind == "V0LayerParameter":
        return f"this layer {OLD}"
    known = getattr(protos.load(PROTO), kind).DESCRIPTOR.fields_by_name if "." not in kind else {}
    near = get_close_matches(name, list(known), 1)
    mean = f"; did you mean '{near[0]}'?" if near else ""
    where = "a layer" if kind in ("LayerParameter", "V1LayerParameter") else (
        "a network" if kind == "NetParameter" else kind.removesuffix("Parameter"))
    return (f"{where} has no field '{name}' that the converter knows{mean} If it matters in "
            "training only, remove it; else the layer cannot be converted: end the model before it")


def _is_used(message: Any, state: Any, path: Path) -> bool:
    """Whether the rules of a layer include it in the TEST phase."""
    if message.include and message.exclude:
        raise ModelError(f"{path}: layer '{message.name}' has rules to include and to exclude it; "
                         "Caffe allows one kind")
    if message.include:
        return any(_meets(rule, state) for rule in message.include)
    return not any(_meets(rule, state) for rule in message.exclude)


def _meets(rule: Any, state: Any) -> bool:
    return not (rule.HasField("phase") and rule.phase != protos.load(PROTO).TEST
                or rule.HasField("min_level") and state.level < rule.min_level
                or rule.HasField("max_level") and state.level > rule.max_level
                or any(stage not in state.stage for stage in rule.stage)
                or any(stage in state.stage for stage in rule.not_stage))


def _declared_inputs(proto: Any, path: Path) -> list[LayerText]:
    """The fields `input`, `input_dim` and `input_shape` of a network, as layers."""
    names, dims, shapes = list(proto.input), list(proto.input_dim), list(proto.input_shape)
    if dims and shapes:
        raise ModelError(f"{path}: both input_dim and input_shape are given; keep one")
    if dims and len(dims) != 4 * len(names):
        raise ModelError(f"{path}: {len(dims)} input_dim for {len(names)} input(s): each has four")
    if shapes and len(shapes) != len(names):
        raise ModelError(f"{path}: {len(shapes)} input_shape for {len(names)} input(s)")
    layers = []
    for k, name in enumerate(names):
        message = protos.load(PROTO).LayerParameter(name=name, type="Input")
        extents = dims[4 * k : 4 * k + 4] or (list(shapes[k].dim) if shapes else [])
        if extents:
            message.input_param.shape.add().dim.extend(extents)
        layers.append(LayerText(name, "Input", [], [name], message))
    return layers


def _layer(m: Any, k: int) -> LayerText:
    kind = m.type or "(without a type)"
    return LayerText(m.name or f"{kind}_{k}", kind, list(m.bottom), list(m.top), m,
                     [p.name for p in m.param])


def _v1_layer(m: Any, k: int, path: Path) -> LayerText:
    if m.HasField("layer"):
        raise ModelError(f"{path}: its {_ordinal(k)} layer {OLD}")
    name = m.DESCRIPTOR.fields_by_name["type"].enum_type.values_by_number[m.type].name
    kind = _V1_TYPES.get(name) or "".join(word.capitalize() for word in name.split("_"))
    return LayerText(m.name or f"{kind}_{k}", kind, list(m.bottom), list(m.top), m, list(m.param))


def _ordinal(k: int) -> str:
    return {0: "first", 1: "second", 2: "third"}.get(k, f"{k + 1}th")


def settings(layer: LayerText, own: str) -> tuple[dict[str, Any], frozenset[str]]:
    """The fields of the message `own` of a layer, with defaults, and which are at their default.

    Those of messages that belong to layers of other types have the name of the message before
    theirs, so that they are refused."""
    values: dict[str, Any] = {}
    at_default: set[str] = set()
    for name, message in _messages(layer.message, own):
        prefix = "" if name == own else f"{name}."
        for key, value, default in _fields(message, prefix):
            values[key] = value
            if default:
                at_default.add(key)
    return values, frozenset(at_default)


def _messages(message: Any, own: str) -> Iterator[tuple[str, Any]]:
    for field_ in message.DESCRIPTOR.fields:
        if field_.name == own or (field_.name.endswith("_param") and message.HasField(field_.name)):
            yield field_.name, getattr(message, field_.name)


def _fields(message: Any, prefix: str) -> Iterator[tuple[str, Any, bool]]:
    """Name, value, and whether it is the default."""
    for f in message.DESCRIPTOR.fields:
        value = getattr(message, f.name)
        if isinstance(value, MutableSequence):  # a repeated field, in every release of protobuf
            if len(value):
                yield prefix + f.name, [_value(f, v) for v in value], False
        elif f.message_type is not None:
            if not message.HasField(f.name):
                continue
            if f.message_type.name in ("BlobShape", "FillerParameter"):
                yield prefix + f.name, _value(f, value), False
            else:
                yield from _fields(value, f"{prefix}{f.name}.")
        elif message.HasField(f.name) or f.has_default_value:
            yield prefix + f.name, _value(f, value), f.has_default_value and (
                value == f.default_value)


def _value(f: Any, value: Any) -> Any:
    if f.enum_type is not None:
        return f.enum_type.values_by_number[value].name
    if f.message_type is None:
        return value
    return list(value.dim) if f.message_type.name == "BlobShape" else "(a filler)"


def listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(f"'{n}'" for n in names[:most])
    return shown + (f", ... {len(names) - most} more" if len(names) > most else "")
