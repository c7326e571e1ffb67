"""Operators without an importer that ONNX defines by a function: the function in their place.

SPDX-License-Identifier: Apache-2.0

The functions are those of the Python package onnx, which is asked only where a model has such an
operator.
"""

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.onnx.functions import placed
from mace_tools.convert.importers.onnx.reader import PROTO, Scope
from mace_tools.convert.importers.onnx.tensors import NUMBERS
from mace_tools.convert.importers.source import SourceGraph, SourceNode
from mace_tools.convert.importers.unsigned import kind_of
from mace_tools.graph.ir import NUMPY
from mace_tools.support import protos
from mace_tools.support.errors import Unsupported

_INSTALL = ("install the Python package onnx, whose functions define operators that no importer "
            "knows (pip install onnx)")


@registry.otherwise
def defined(b: Builder, n: SourceNode) -> list[str] | None:
    """The outputs of the function by which ONNX defines an operator; None: it defines none."""
    domain, _, op = n.op.rpartition(".")
    if domain and not domain.startswith("ai.onnx"):
        return None
    if importlib.util.find_spec("onnx") is None:
        raise Unsupported("no importer knows this operator", _INSTALL)
    onnx = importlib.import_module("onnx")
    opset = b.model.versions.get(n.op, 1) if domain else b.opset
    try:
        schema = onnx.defs.get_schema(op, opset, domain)
    except onnx.defs.SchemaError:
        return None
    body = _body(onnx, schema, b, n, opset)
    if body is None:
        return None
    known = protos.load(PROTO)
    function = known.FunctionProto.FromString(body)
    if len(function.input) < len(n.inputs) or len(function.output) < len(n.outputs):
        raise Unsupported("ONNX has no function for this use of it",
                          "give input_shapes for all model inputs, and only attributes and "
                          "operands that the definition of the operator has")
    call = known.NodeProto.FromString(n.raw)
    _set_defaults(call, schema)
    n.mark_read(schema.attributes)
    call.name = next(filter(None, n.outputs), n.name)
    for k, x in enumerate(n.inputs):
        call.input[k] = f"{call.name}/operand {k}" if x else ""
        b.rename_input(call.input[k], x)
    call.output[:] = [f"{call.name}/result {k}" if y else "" for k, y in enumerate(n.outputs)]
    graph = known.GraphProto(node=placed(call, function))
    inner = Scope(Path(), b.model, set()).nodes(graph)
    return b.inline(n, SourceGraph(inner, list(call.output)))


def _body(onnx: Any, schema: Any, b: Builder, n: SourceNode, opset: int) -> bytes | None:
    """A FunctionProto, of the newest version up to the model's; a torso if ONNX has none for this
    use. Errors: Unsupported."""
    if schema.has_function:
        versions = schema.function_opset_versions
        return bytes(schema.get_function_with_opset_version(_newest(versions, opset)))
    if not schema.has_context_dependent_function:
        return None
    versions = schema.context_dependent_function_opset_versions
    types = [_type(onnx, b, x) for x in n.inputs]
    try:
        return bytes(schema.get_context_dependent_function_with_opset_version(
            _newest(versions, opset), n.raw, types))
    except (RuntimeError, ValueError, onnx.defs.SchemaError) as e:
        raise Unsupported(f"ONNX's own function for it cannot be made: {e}",
                          "give input_shapes for all model inputs") from e


def _newest(versions: list[int], opset: int) -> int:
    return max((v for v in versions if v <= opset), default=min(versions))


def _type(onnx: Any, b: Builder, x: str) -> bytes:
    if not x:
        return b""
    shape = b.shape(x)
    kind = NUMBERS.get(kind_of(b, x)) or NUMBERS[np.dtype(NUMPY[b.dtype(x)]).name]
    proto = onnx.helper.make_tensor_type_proto(kind, shape)
    return bytes(proto.SerializeToString())


def _set_defaults(call: Any, schema: Any) -> None:
    given = {a.name for a in call.attribute}
    for name, attribute in schema.attributes.items():
        if name not in given and attribute.default_value.name:
            call.attribute.add().MergeFromString(attribute.default_value.SerializeToString())
