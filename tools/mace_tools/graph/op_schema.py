"""The schemas of the engine's ops: tools/ops.json, so that converting needs no compiler.

SPDX-License-Identifier: Apache-2.0

The file is what `mace_run --list_ops` prints of mace/ops, where each property is stated once;
generate_test.py keeps it so. Nothing here or elsewhere in Python repeats one: a default, the values
and the types that an op takes, whether it is a view, how it depends on the order of axes.
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

LIST = Path(__file__).resolve().parents[2] / "ops.json"

Value = Union[int, float, str, list[int], list[float]]


@dataclass(frozen=True)
class AttrSchema:
    type: str  # int, bool, float, string, ints or floats
    default: Any  # see OpSchema.default
    choices: dict[str, Any]  # the values by name; empty: all values of the type
    names_axes: bool  # one or more axes of input 0


@dataclass(frozen=True)
class TypesWith:
    """If an attribute has one of these values, input 0 has these types instead."""

    attr: str
    values: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True)
class OpSchema:
    min_inputs: int
    max_inputs: int  # -1: no limit
    outputs: int  # -1: one or more
    attrs: dict[str, AttrSchema]
    types: tuple[Any, ...]  # by input, the last for all further ones: types, (): any, or an input
    types_with: TypesWith | None
    view: str  # always, where contiguous, or never: output 0 has the bytes of input 0
    axis_order: str  # fixed, any, or named: see AxisOrder in mace/ops/common/op.h
    cpu: tuple[str, ...]  # types of the first input for which the CPU has a kernel
    cpu_quantized: tuple[str, ...]  # the same for a quantized first input
    on_quantized: str  # refuses, moves or computes: see OnQuantized in mace/ops/common/op.h
    known: dict[int, str]  # inputs that must be known before the model runs, with their names
    reads_types_only: bool  # what it computes is known before the model runs

    def default(self, attr: str) -> Value:
        """The default of an attribute that a node does not give."""
        value = self.attrs[attr].default
        return list(value) if isinstance(value, list) else value

    def defaults(self) -> dict[str, Value]:
        return {attr: self.default(attr) for attr in self.attrs}

    def axes(self) -> list[str]:
        """The attributes that name axes of input 0."""
        return [name for name, attr in self.attrs.items() if attr.names_axes]


@functools.cache
def all_ops() -> dict[str, OpSchema]:
    return {o["name"]: _schema(o) for o in json.loads(LIST.read_text())["ops"]}


@functools.cache
def max_rank() -> int:
    """The most dimensions of a tensor: the engine refuses files with more."""
    return json.loads(LIST.read_text())["max_rank"]


def numbers(op: str, attr: str) -> dict[str, int]:
    """The names of an attribute's values: PADDING["SAME"]."""
    return all_ops()[op].attrs[attr].choices


def ops_with(attr: str) -> tuple[str, ...]:
    """The ops that have an attribute of this name."""
    return tuple(name for name, op in all_ops().items() if attr in op.attrs)


def views() -> tuple[str, ...]:
    """The ops whose output has the elements of input 0 and another shape."""
    return tuple(name for name, op in all_ops().items() if op.view == "always")


def in_order(axis_order: str) -> tuple[str, ...]:
    """The ops with this axis order; see OpSchema."""
    return tuple(name for name, op in all_ops().items() if op.axis_order == axis_order)


def _schema(o: dict[str, Any]) -> OpSchema:
    with_ = o["types_with"]
    return OpSchema(
        o["min_inputs"], o["max_inputs"], o["outputs"],
        {name: _attr(a) for name, a in o["attrs"].items()},
        tuple(t if isinstance(t, int) else tuple(t) for t in o["types"]),
        TypesWith(with_["attr"], tuple(with_["values"]), tuple(with_["types"])) if with_ else None,
        o["view"], o["axis_order"], tuple(o["cpu"]), tuple(o["cpu_quantized"]), o["on_quantized"],
        {int(k): name for k, name in o["known_inputs"].items()}, o["reads_types_only"])


def _attr(a: dict[str, Any]) -> AttrSchema:
    default = float(a["default"]) if a["type"] == "float" else a["default"]  # "inf" is a text
    return AttrSchema(a["type"], default, a.get("choices", {}), a.get("names_axes", False))
