"""Reads an ONNX file into a SourceModel, and checks everything on which it relies.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from mace_tools.convert.importers.onnx.functions import inlined
from mace_tools.convert.importers.onnx.operators import registry
from mace_tools.convert.importers.onnx.opsets import newer
from mace_tools.convert.importers.onnx.tensors import (
    BFLOAT16,
    NARROW,
    NARROWED,
    RETYPED,
    Opaque,
    held_as,
    sparse_tensor,
    tensor,
    type_name,
)
from mace_tools.convert.importers.source import SourceGraph, SourceModel, SourceNode, ValueInfo
from mace_tools.graph.ir import Shape, dtype_name
from mace_tools.support import protos
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_bytes

PROTO = Path(__file__).with_name("onnx.proto")

MAX_BYTES = (1 << 31) - 1
CUT = ("end or begin the model where its tensors hold numbers (input_tensors and output_tensors in "
       "the YAML)")


def read(path: Path) -> SourceModel:
    """Errors: ModelError naming the file and what is wrong with it."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ModelError(f"{path} has {size} bytes, more than the {MAX_BYTES} that protobuf "
                             "allows: store the weights in a file beside it: onnx.save(model, "
                             "path, save_as_external_data=True)")
        data = read_bytes(path)
    except OSError as e:
        raise ModelError(f"cannot read {path}: {e.strerror}") from e
    try:
        proto = protos.load(PROTO).ModelProto.FromString(data)
    except DecodeError as e:
        raise ModelError(f"{path} is not an ONNX model or is truncated ({len(data)} bytes)") from e
    if not proto.HasField("graph") or not proto.graph.output:
        raise ModelError(f"{path} is not an ONNX model: it holds no graph with outputs")
    return _model(proto, path)


def _model(proto: Any, path: Path) -> SourceModel:
    opset = max((o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), default=0)
    own = any(n.domain in ("", "ai.onnx") for n in proto.graph.node)
    if opset == 0 and (own or not proto.opset_import):
        raise ModelError(f"{path} names no operator set version: it is truncated, or older than "
                         "ONNX 1.0")
    graph = inlined(proto, path)
    _check_names(graph, path)
    model = SourceModel("ONNX", graph.name or path.stem, [], {}, {},
                        [v.name for v in graph.output], {}, "NCHW", opset)
    domains = {o.domain: o.version for o in proto.opset_import}
    model.versions = {f"{n.domain}.{n.op_type}": domains.get(n.domain, 1)
                      for n in graph.node if n.domain not in ("", "ai.onnx")}
    model.nodes = Scope.of_model(graph, path, model).nodes(graph)
    model.notes += newer(proto)
    _check_producers(model.nodes, path)
    stored = {*model.constants, *model.unusable}
    model.inputs = {v.name: _info(model, v) for v in graph.input if v.name not in stored}
    model.info.update({v.name: _info(model, v) for v in graph.output})
    model.info.update({v.name: _info(model, v, inner=True) for v in graph.value_info
                       if v.name not in model.info})
    return model


class Scope:
    """The names that nodes of a graph see. In a graph that is an attribute of a node, its own names
    hide those outside. All graphs become one model, so each tensor gets a unique name there."""

    def __init__(self, path: Path, model: SourceModel, taken: set[str],
                 outside: Scope | None = None) -> None:
        self.path = path
        self.model = model  # receives the constants of all graphs
        self.taken = taken
        self.outside = outside  # None: the graph of the model, whose names are the model's
        self.meaning: dict[str, str] = {}
        self.captured: list[str] = []  # what the graph reads from outside, by the model's names

    @classmethod
    def of_model(cls, graph: Any, path: Path, model: SourceModel) -> Scope:
        names = [*_given(graph), *(o for n in graph.node for o in n.output)]
        return cls(path, model, set(names))

    def nodes(self, graph: Any) -> list[SourceNode]:
        """The nodes of a graph except constants, which are added to the model's."""
        self._add_initializers(graph)
        nodes, known = [], registry.functions()
        for k, n in enumerate(graph.node):
            op = n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}.{n.op_type}"
            outputs = [self.meaning.get(o, o) for o in n.output]
            name = n.name or (outputs[0] if outputs else f"{op}_{k}")
            attrs = {a.name: _attribute(a, self.path.parent) for a in n.attribute}
            if len(attrs) < len(n.attribute):
                raise ModelError(f"{self.path} is damaged: {op} '{name}' has an attribute twice")
            if op == "Constant" and outputs:
                _add_constant(self.model, outputs[0], _constant(attrs, n.name))
                for a in n.attribute:
                    _note_type(self.model, outputs[0], a.t.data_type if a.name == "value" else 0)
                continue
            _note_types(self.model, outputs, attrs)
            captures: list[str] = []
            for a in n.attribute:
                if a.HasField("g"):
                    attrs[a.name], read = self._inner(a.g, name)
                    captures += read
            nodes.append(SourceNode(name, op, [self.read(i) for i in n.input], outputs, attrs,
                                    captures=captures, opset=n.mace_opset,
                                    raw=b"" if op in known else n.SerializeToString()))
        return nodes

    def read(self, name: str) -> str:
        """The model's name of what a node calls `name`."""
        if self.outside is None or not name:
            return name
        if name not in self.meaning:
            outer = self.outside.read(name)
            self.captured.append(outer)
            return outer
        return self.meaning[name]

    def _add_initializers(self, graph: Any) -> None:
        for t in graph.initializer:
            name = self.meaning.get(t.name, t.name)
            _add_constant(self.model, name, tensor(t, self.path.parent))
            if t.data_type == BFLOAT16:
                self.model.stored[name] = "bf16"
            elif t.data_type in NARROW:
                _note_type(self.model, name, t.data_type)
        for sparse in graph.sparse_initializer:
            name = self.meaning.get(sparse.values.name, sparse.values.name)
            _add_constant(self.model, name, sparse_tensor(sparse, self.path.parent, name))

    def _inner(self, graph: Any, node: str) -> tuple[SourceGraph, list[str]]:
        """A graph that is an attribute of a node, and the tensors that it reads from outside."""
        _check_names(graph, self.path)
        inner = Scope(self.path, self.model, self.taken, self)
        given = set(_given(graph))
        made = [o for n in graph.node for o in n.output if o]
        twice = next((o for o, count in Counter(made).items() if count > 1 or o in given), None)
        if twice is not None:
            raise ModelError(f"{self.path}: tensor '{twice}' is produced twice in a graph of "
                             f"'{node}'")
        inner.meaning = {name: self._free(name, node) for name in (*sorted(given), *made)}
        nodes = inner.nodes(graph)
        outputs = [inner.read(v.name) for v in graph.output]
        stored = {t.name for t in graph.initializer}
        formal = [v for v in graph.input if v.name not in stored]
        for v in formal:
            self.model.info.setdefault(inner.meaning[v.name], _info(self.model, v, inner=True))
        inputs = [inner.meaning[v.name] for v in formal]
        return SourceGraph(nodes, outputs, inputs), inner.captured

    def _free(self, name: str, node: str) -> str:
        """A name that no tensor of the model has; `name`, if possible."""
        free, k = name, 0
        while free in self.taken:
            free = f"{node}/{name}" + (f"_{k}" if k else "")
            k += 1
        self.taken.add(free)
        return free


def _given(graph: Any) -> list[str]:
    """The names of a graph's inputs and initializers."""
    return [*(t.name for t in (*graph.input, *graph.initializer)),
            *(t.values.name for t in graph.sparse_initializer)]


def _check_names(graph: Any, path: Path) -> None:
    tensors = [*graph.input, *graph.output, *graph.value_info, *graph.initializer]
    names = [graph.name, *(t.name for t in tensors)]
    for n in graph.node:
        names += [n.name, n.op_type, n.domain, *n.input, *n.output, *(a.name for a in n.attribute)]
    for name in names:
        if not isinstance(name, str):  # protobuf returns bytes if text is not UTF-8
            raise ModelError(f"{path} is damaged: the name {name!r} is no text")
    if any(not t.name for t in [*graph.input, *graph.output]):
        raise ModelError(f"{path} is damaged: an input or output has no name")


def _check_producers(nodes: list[SourceNode], path: Path) -> None:
    seen: dict[str, str] = {}
    for node in nodes:
        for out in filter(None, node.outputs):
            if out in seen:
                raise ModelError(f"{path}: tensor '{out}' is produced by both '{seen[out]}' and "
                                 f"'{node.name}'")
            seen[out] = node.name


def _info(model: SourceModel, v: Any, inner: bool = False) -> ValueInfo:
    """What a file says about a tensor; one that cannot be used is entered in `model.unusable`.

    Inner values that are no tensors are judged by the nodes that make them."""
    t, kind = v.type.tensor_type, v.type.tensor_type.elem_type
    others = [f.name for f, _ in v.type.ListFields() if f.name != "tensor_type"]
    if others and not inner:
        what = others[0].removesuffix("_type").replace("_", " ")
        model.unusable[v.name] = (f"a value of the kind '{what}'", CUT)
    elif kind and held_as(kind) is None:
        model.unusable[v.name] = (f"a tensor of {type_name(kind)}", CUT)
    _note_type(model, v.name, kind)
    shape: Shape | None = None
    if t.HasField("shape"):
        shape = tuple(d.dim_value if d.HasField("dim_value") and d.dim_value > 0 else None
                      for d in t.shape.dim)
    return ValueInfo(dtype_name(held_as(kind) or np.float32), shape)


def _note_type(model: SourceModel, name: str, number: int) -> None:
    """Notes a tensor of a type that the engine lacks, and which another one holds."""
    if number in RETYPED or number in NARROW:
        model.retyped[name] = type_name(number)


def _note_types(model: SourceModel, outputs: list[str], attrs: dict[str, Any]) -> None:
    """Notes the outputs of a node to which attributes give types that the engine lacks."""
    for value in attrs.values():
        if isinstance(value, Opaque):
            model.unusable.update((out, (f"a constant of {value.kind}", CUT)) for out in outputs)
        if isinstance(value, np.ndarray) and value.dtype in NARROWED and outputs:
            model.retyped[outputs[0]] = value.dtype.name
    for key in ("to", "dtype"):
        kind = attrs.get(key)
        if isinstance(kind, int) and kind in RETYPED and outputs:
            model.retyped[outputs[0]] = RETYPED[kind]


def _add_constant(model: SourceModel, name: str, value: np.ndarray | Opaque) -> None:
    if isinstance(value, Opaque):
        model.unusable[name] = (f"a constant of {value.kind}", CUT)
        return
    model.constants[name] = value
    if value.dtype in NARROWED:
        model.retyped[name] = value.dtype.name


def _attribute(a: Any, folder: Path) -> Any:
    kind = a.type or _guess(a)
    if kind == 4:
        return tensor(a.t, folder)
    if kind == 11:
        return sparse_tensor(a.sparse_tensor, folder, a.name)
    if kind == 3:
        return _text(a.s)
    if kind == 8:
        return [_text(s) for s in a.strings]
    return {1: a.f, 2: a.i, 5: a.g, 6: list(a.floats), 7: list(a.ints)}.get(kind)


def _text(value: bytes) -> str | bytes:
    """Bytes that are no text stay bytes: only a custom op may read them."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _guess(a: Any) -> int:
    """The kind of an attribute in files older than the field `type`."""
    for kind, name in ((1, "f"), (2, "i"), (3, "s"), (4, "t"), (5, "g")):
        if a.HasField(name):
            return kind
    return 6 if a.floats else 8 if a.strings else 7


def _constant(attrs: dict[str, Any], name: str) -> np.ndarray | Opaque:
    if "value" in attrs:
        return attrs["value"]
    if "sparse_value" in attrs:
        return attrs["sparse_value"]
    for key in ("value_string", "value_strings"):
        if key in attrs:
            return Opaque(key.removeprefix("value_").replace("_", " "))
    for key, kind in (("value_float", np.float32), ("value_floats", np.float32),
                      ("value_int", np.int64), ("value_ints", np.int64)):
        if key in attrs:
            return np.asarray(attrs[key], kind)
    raise ModelError(f"Constant '{name}' holds no numbers ({', '.join(attrs) or 'no value'})")
