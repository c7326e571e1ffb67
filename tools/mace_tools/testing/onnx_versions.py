"""The cases of ONNX in every opset from 7 on in which the definition of their operator changed.

SPDX-License-Identifier: Apache-2.0
"""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from onnxruntime.capi import onnxruntime_pybind11_state

from mace_tools.testing.onnx_cases import CASES, IMG, Case, X, i64

FIRST = 7
_HALF = np.array(0.5, np.float32)
# Uses that the operator has in several versions, besides the one of CASES.
MORE: dict[str, list[Case]] = {
    "Clip": [Case([X, -_HALF, _HALF])], "Pad": [Case([X, i64(0, 1, 0, 0, 0, 2), _HALF])],
    "Resize": [Case([IMG, None, np.float32([1, 1, 2, 2])], {"mode": mode})
               for mode in ("nearest", "linear")],
    "Slice": [Case([X, i64(1, 0), i64(3, 2), i64(2, 0)])], "Dropout": [Case([X, _HALF])],
    "Split": [Case([X, i64(1, 3)], {"axis": 2}, 2)], "Unsqueeze": [Case([X, i64(0, 2)])],
    "Squeeze": [Case([X[:1, :, :1], i64(0, 2)]), Case([X[:1, :, :1]])],
    "TopK": [Case([X, i64(2)], {"axis": 1}, 2)],
    **{op: [Case([X])] for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2")},
}
# Before opset 18 these took optional values only, and no tensors.
OF_OPTIONALS = ("OptionalGetElement", "OptionalHasElement")
# Operands that were attributes of another name.
_RENAMED = {("Pad", "constant_value"): "value", ("TopK", "K"): "k"}


@functools.cache
def _schemas() -> dict[str, dict[int, Any]]:
    """The definitions of operators by name and version, for those of other domains with the domain.
    What the installed onnx does not know, ONNX Runtime does."""
    found: dict[str, dict[int, Any]] = {}
    newest = onnx.defs.onnx_opset_version()
    runtime = [s for s in onnxruntime_pybind11_state.get_all_operator_schema()
               if s.domain or s.since_version > newest or not onnx.defs.has(s.name)]
    for schema in (*runtime, *onnx.defs.get_all_schemas_with_history()):
        name = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
        found.setdefault(name, {})[schema.since_version] = schema
    return found


def schema_of(op: str, opset: int) -> Any:
    """The definition in an opset; None if there is none, or if it is obsolete."""
    known = {v: s for v, s in _schemas().get(op, {}).items() if v <= opset}
    newest = known[max(known)] if known else None
    return None if newest is None or newest.deprecated else newest


def attributes_of(op: str, opset: int | None = None) -> dict[str, tuple[str, Any]]:
    """The attributes of a definition: the kind of each, and its default as far as it is known.
    Without an opset that of the operator's case."""
    schema = schema_of(op, CASES[op].opset if opset is None else opset)
    found = {}
    for name, a in schema.attributes.items():
        default = getattr(a, "default_value", None)
        known = isinstance(default, onnx.AttributeProto) and default.name
        found[name] = (str(a.type).rpartition(".")[2],
                       onnx.helper.get_attribute_value(default) if known else None)
    return found


def versions(op: str) -> list[int]:
    """The opsets from 7 on in which the definition of an operator of ONNX itself changed, and 7."""
    if "." in op:
        return []
    own = _schemas().get(op, {})
    return [v for v in sorted({FIRST, *(v for v in own if v > FIRST)}) if schema_of(op, v)]


def cases() -> list[tuple[str, Case]]:
    """Each case in each version of its operator."""
    found = []
    for op, usual in CASES.items():
        for opset in versions(op):
            found += [(op, old) for case in (usual, *MORE.get(op, ()))
                      for old in [at(op, case, opset)] if old is not None]
    return found


def at(op: str, case: Case, opset: int) -> Case | None:
    """The case as this opset writes it; None if it cannot be written."""
    if op in OF_OPTIONALS and opset < 18:
        return None
    then, now = schema_of(op, opset), schema_of(op, case.opset)
    if op == "GroupNormalization" and opset < 21:  # factors of groups, not of channels
        case = replace(case, operands=[case.operands[0], *(a[:2] for a in case.operands[1:])])
    if op == "Equal" and opset < 11:
        case = replace(case, operands=[np.int32(4 * a) for a in case.operands])
    if op == "Resize" and 11 <= opset < 13:  # the region must be there
        case = replace(case, operands=[case.operands[0], *(np.float32([]) if a is None else a
                                                           for a in case.operands[1:])])
    if op == "Scan" and opset < 9:  # lengths of sequences come first, and all have a batch
        batches = [None, *(a[None] for a in case.operands if a is not None)]
        case = replace(case, operands=batches, fed=case.fed + 1)
    attrs = {name: v for name, v in case.attrs.items() if name in then.attributes}
    if len(then.inputs) == len(now.inputs) or _is_list(then):
        return replace(case, attrs=attrs, opset=opset)
    given = {name: a for name, a in zip(_names(now), case.operands) if a is not None}
    operands = []
    for name in _names(then):
        operands.append(given.pop(name, None))
    for name, value in given.items():
        name = _RENAMED.get((op, name), name)
        if name not in then.attributes:
            return None
        single = attributes_of(op, opset)[name][0] in ("INT", "FLOAT")
        attrs[name] = value.item() if single else value.tolist()
    while operands and operands[-1] is None:
        operands.pop()
    return replace(case, operands=operands, attrs=attrs, opset=opset)


def _names(schema: Any) -> list[str]:
    return [i.name for i in schema.inputs]


def _is_list(schema: Any) -> bool:
    return bool(schema.inputs) and "Variadic" in str(schema.inputs[-1].option)
