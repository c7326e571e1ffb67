"""A source model in a form for every framework: nodes, constants and typed inputs.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.graph.ir import Quant, Shape
from mace_tools.support.errors import ModelError, Unsupported, cut_short


class Attributes(Mapping[str, Any]):
    """A node's attributes. It remembers which of them were read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._asked: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._asked.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def unread(self) -> dict[str, Any]:
        """The attributes that have not been read."""
        return {name: v for name, v in self._values.items() if name not in self._asked}


@dataclass(eq=False)
class SourceNode:
    """A node as the source file has it; attrs hold plain Python and NumPy values."""

    name: str
    op: str
    inputs: list[str]
    outputs: list[str]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    # Attributes that have the default of the format's definition.
    at_default: frozenset[str] = frozenset()
    captures: list[str] = field(default_factory=list)  # what its graphs read from outside
    after: list[str] = field(default_factory=list)  # nodes that only must run before it
    opset: int = 0  # 0: that of the model
    raw: bytes = b""  # the node as an ONNX file has it, where no importer knows its operator

    def attr(self, name: str, default: Any = None) -> Any:
        return self.attrs.get(name, default)

    def flag(self, name: str, default: int = 0) -> int:
        """An attribute that is 0 or 1. Errors: Unsupported for any other value."""
        value = self.attrs.get(name, default)
        if value not in (0, 1):
            raise Unsupported(f"its attribute {name} is {shown(value)}; 0 or 1 is allowed")
        return int(value)

    def unread(self) -> dict[str, Any]:
        """The attributes that have not been read and do not have their default."""
        rest = self.attrs.unread() if isinstance(self.attrs, Attributes) else self.attrs
        return {name: value for name, value in rest.items() if name not in self.at_default}

    def mark_read(self, names: Iterable[str]) -> None:
        for name in names:
            self.attrs.get(name)

    def only(self, name: str, allowed: Any, help: str = "") -> None:
        """Accepts the attribute at the one value that can be converted, or absent.

        Errors: Unsupported naming the attribute and its value."""
        value = self.attrs.get(name, allowed)
        if value != allowed:
            raise Unsupported(f"its attribute {name} is {shown(value)}; only {shown(allowed)} can "
                              "be converted", help)


def shown(value: Any, most: int = 60) -> str:
    """An attribute's value for messages."""
    return f"'{cut_short(value, most)}'" if isinstance(value, str) else cut_short(value, most)


@dataclass
class SourceGraph:
    """A graph that is an attribute of a node. The names of its tensors are unique in the model; its
    constants are among the model's."""

    nodes: list[SourceNode]
    outputs: list[str]
    inputs: list[str] = field(default_factory=list)


@dataclass
class ValueInfo:
    """The type and shape that a file states for a tensor. shape None: the rank is unknown."""

    dtype: str = "f32"
    shape: Shape | None = None
    quant: Quant | None = None
    # Of an input, for drafts: names of the dimensions that each run chooses, and which values make
    # sense.
    dims: tuple[str, ...] = ()
    range: tuple[int, int] | None = None


@dataclass
class SourceModel:
    """A model before translation. `nodes` need not be sorted."""

    framework: str
    name: str
    nodes: list[SourceNode]
    constants: dict[str, np.ndarray]
    inputs: dict[str, ValueInfo]
    outputs: list[str]
    info: dict[str, ValueInfo] = field(default_factory=dict)  # of inner tensors, as far as known
    data_format: str = "NONE"  # order of 4-D inputs: NHWC or NCHW
    opset: int = 0
    # Tensors that no importer function can handle (of strings, sparse, quantized, ...): why not,
    # and the cure. Nodes that touch one are refused.
    unusable: dict[str, tuple[str, str]] = field(default_factory=dict)
    # Quantized tensors that become the numbers for which these stand: they can be no inputs or
    # outputs of the model.
    quantized: set[str] = field(default_factory=set)
    # Tensors whose element type the engine does not have: the name of that type in the source.
    retyped: dict[str, str] = field(default_factory=dict)
    # Tensors that keep their contents from run to run, with their first ones.
    variables: dict[str, np.ndarray] = field(default_factory=dict)
    # By variable: results of nodes that only write it, which are needed where it is.
    writers: dict[str, list[str]] = field(default_factory=dict)
    # By variable: the tensor that it becomes after a run, where no node assigns to it.
    next_values: dict[str, str] = field(default_factory=dict)
    # Operators that close the loops of a graph: their readers may come before them.
    loop_ops: frozenset[str] = frozenset()
    # The cure, if the file says more about an operator than its name does.
    help: dict[str, str] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)  # constants widened when read: bf16, f16
    # Constants that are written quantized: the type, and the bytes (quantized_weights.pack).
    packed: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)
    # Operators that pass through because the app computes them (importers/custom.py), and the
    # versions of operators that have one other than 1.
    custom_ops: tuple[str, ...] = ()
    versions: dict[str, int] = field(default_factory=dict)
    # The types and shapes that the file states for outputs of nodes. Only those of custom operators
    # are used: others are inferred, whatever the file states.
    stated: dict[str, ValueInfo] = field(default_factory=dict)
    # Other names of tensors: those that a signature gives its inputs and outputs.
    aliases: dict[str, str] = field(default_factory=dict)
    # The names that the deployment file gives tensors, which go before the others.
    renamed: dict[str, str] = field(default_factory=dict)
    # As aliases where drafts keep the tensors' own names and only mention these.
    roles: dict[str, str] = field(default_factory=dict)
    # Inputs that need not be given, which nodes make of a default.
    optional: dict[str, ValueInfo] = field(default_factory=dict)
    reshaped: bool = False  # inputs have other shapes than the file states
    notes: list[str] = field(default_factory=list)  # for users, about what the file says

    def named(self, name: str) -> str:
        """The tensor that a name of the deployment file or the signature stands for; other names
        are the tensor's own."""
        name = self.renamed.get(name, name)
        return self.aliases.get(name) or self.roles.get(name, name)

    def own_shape(self, name: str) -> Shape | None:
        """The shape that the file states for a tensor, or None."""
        name = self.named(name)
        name = name if name in self.inputs or name in self.info else name.removesuffix(":0")
        info = self.inputs.get(name) or self.info.get(name)
        return None if info is None else info.shape

    def signed(self, tensor: str) -> str:
        """The name of a tensor in the signature, or its own."""
        return next((a for a, own in self.aliases.items() if own == tensor), tensor)

    def role(self, tensor: str) -> str:
        """What a signature calls a tensor whose own name drafts keep; empty if nothing."""
        return ", ".join(role for role, own in self.roles.items() if own == tensor)

    def producers(self) -> dict[str, SourceNode]:
        return {out: n for n in self.nodes for out in n.outputs if out}

    def known_tensors(self) -> list[str]:
        return [*self.inputs, *self.producers()]


MAX_EXTENT = 1 << 31
MAX_RANK = 255


def check_model(model: SourceModel, path: Path) -> None:
    """Checks that what an importer has read is of the kinds that all others rely on, whatever the
    file holds. Errors: ModelError naming the tensor or node."""
    for name, info in (*model.inputs.items(), *model.info.items(), *model.stated.items(),
                       *model.optional.items()):
        _check_info(name, info, path)
    for node in model.nodes:
        for tensor in (node.name, node.op, *node.inputs, *node.outputs):
            if not isinstance(tensor, str):
                raise ModelError(f"{path}: {shown(node.op)} {shown(node.name)} names a tensor "
                                 f"{shown(tensor)}; the file is damaged")
    for tensor in model.outputs:
        if not isinstance(tensor, str) or not tensor:
            raise ModelError(f"{path}: an output has the name {shown(tensor)}; the file is damaged")


def _check_info(name: str, info: ValueInfo, path: Path) -> None:
    if not isinstance(name, str) or not name:
        raise ModelError(f"{path}: a tensor has the name {shown(name)}; the file is damaged")
    shape = info.shape
    if shape is not None and not (isinstance(shape, tuple) and len(shape) <= MAX_RANK and all(
            e is None or type(e) is int and 0 <= e < MAX_EXTENT for e in shape)):
        raise ModelError(f"{path}: the tensor {shown(name)} has the shape {shown(shape)}; the file "
                         "is damaged")
    if not isinstance(info.dtype, str):
        raise ModelError(f"{path}: the tensor {shown(name)} has the element type "
                         f"{shown(info.dtype)}; the file is damaged")


def renamed(model: SourceModel, names: Mapping[str, str]) -> SourceModel:
    """The model with other names of these tensors, by their names now. One whose new name another
    tensor has keeps its own, and has the new one as an alias."""
    taken = {*model.known_tensors(), *model.constants, *model.variables, *model.info} - names.keys()
    new = {own: name for own, name in names.items() if name not in taken}

    def each(tensors: Sequence[str]) -> list[str]:
        return [new.get(name, name) for name in tensors]

    def keyed(table: Mapping[str, Any]) -> dict[str, Any]:
        return {new.get(name, name): value for name, value in table.items()}

    nodes = [replace(node, inputs=each(node.inputs), outputs=each(node.outputs))
             for node in model.nodes]
    aliases = {name: own for own, name in names.items() if own not in new}
    return replace(model, nodes=nodes, outputs=each(model.outputs), inputs=keyed(model.inputs),
                   info=keyed(model.info), unusable=keyed(model.unusable),
                   retyped=keyed(model.retyped), stated=keyed(model.stated),
                   quantized=set(each(sorted(model.quantized))),
                   aliases={**model.aliases, **aliases})


def cut(
    model: SourceModel,
    inputs: Mapping[str, Shape | None] | None,
    outputs: Sequence[str] | None,
) -> SourceModel:
    """The part of a model between `inputs` (with new shapes where given) and `outputs`.

    Inputs and outputs may be inner tensors. Nodes come back sorted, and only those needed.
    Errors: ModelError for a name that the model does not have or a loose end."""
    made = model.producers()
    shapes = {_spelled(model, made, n): s for n, s in (inputs or {}).items()}
    ends = [_spelled(model, made, n) for n in outputs or model.outputs]
    starts = {n: _input_info(model, n, shapes.get(n))
              for n in (model.inputs if inputs is None else shapes)}
    order = _in_file_order(model, _needed(model, made, starts, ends), made)
    constants = {n: a for n, a in model.constants.items() if n not in starts}
    reshaped = any(_contradicts(model, n, info.shape) for n, info in starts.items())
    return replace(model, nodes=order, constants=constants, inputs=starts, outputs=ends,
                   reshaped=reshaped)


def _contradicts(model: SourceModel, name: str, shape: Shape | None) -> bool:
    """Whether an input has another shape than the file states."""
    known = model.inputs.get(name) or model.info.get(name)
    if known is None or known.shape is None or shape is None:
        return False
    return any(k is not None and k != s for k, s in zip(known.shape, shape))


def _spelled(model: SourceModel, made: Mapping[str, SourceNode], name: str) -> str:
    """The model's form of a name: users of TensorFlow write 'node:0' for 'node'.

    Errors: ModelError for a name that the model does not have."""
    for spelling in (name, name.removesuffix(":0")):
        if any(spelling in names
               for names in (made, model.inputs, model.constants, model.unusable)):
            return spelling
    raise ModelError(_no_such_tensor(model, name))


def _input_info(model: SourceModel, name: str, shape: Shape | None) -> ValueInfo:
    known = model.inputs.get(name) or model.info.get(name) or ValueInfo()
    if shape is None:
        return known
    if known.shape is not None and len(known.shape) != len(shape):
        raise ModelError(f"input '{name}': the model has rank {len(known.shape)} "
                         f"{list(known.shape)}, the shape given is {list(shape)}")
    return ValueInfo(known.dtype, tuple(shape), known.quant)


def _needed(
    model: SourceModel, made: dict[str, SourceNode], starts: Mapping[str, Any], ends: Sequence[str]
) -> list[SourceNode]:
    """Depth-first from the ends, without recursion: models may be thousands of nodes deep."""
    order: list[SourceNode] = []
    state: dict[SourceNode, int] = {}  # 1: open, 2: done
    stack: list[tuple[str, str]] = [(end, "the outputs") for end in reversed(ends)]
    loops: list[tuple[str, str]] = []  # edges that close a loop, to be checked later
    while stack or loops:
        tensor, reader = (stack or loops).pop()
        if tensor in model.variables:
            written = [*model.writers.get(tensor, ()), *filter(None, [
                model.next_values.get(tensor)])]
            loops += [(writer, reader) for writer in written]
        if tensor in starts or tensor in model.constants or tensor in model.variables:
            continue
        node = made.get(tensor)
        if node is None:
            if tensor in model.unusable:
                continue
            hint = "; give it as an input tensor" if tensor in model.inputs else ""
            raise ModelError(f"{reader}: tensor '{tensor}' comes from nowhere{hint}")
        if state.get(node) == 2:
            continue
        if state.get(node) == 1:
            state[node] = 2
            order.append(node)
            continue
        state[node] = 1
        stack.append((tensor, reader))
        for i in (*node.inputs, *node.captures):
            if not i:
                continue
            maker = made.get(i)
            if maker is not None and maker.op in model.loop_ops:
                loops.append((i, f"{node.op} '{node.name}'"))
                continue
            if maker is not None and state.get(maker) == 1 and i not in starts:
                raise ModelError(f"{node.op} '{node.name}' is part of a cycle")
            stack.append((i, f"{node.op} '{node.name}'"))
    return order


def _in_file_order(
    model: SourceModel, order: list[SourceNode], made: dict[str, SourceNode]
) -> list[SourceNode]:
    """The same nodes as the file lists them, if it lists them sorted."""
    place = {node: k for k, node in enumerate(model.nodes)}
    needed = set(order)
    for node in order:
        for i in (*node.inputs, *node.captures):
            maker = made.get(i)
            if maker in needed and place[maker] >= place[node]:
                return order
    return sorted(order, key=place.__getitem__)


def _no_such_tensor(model: SourceModel, name: str) -> str:
    names = model.known_tensors()
    near = get_close_matches(name, names, 1) or get_close_matches(name.split(":")[0], names, 1)
    mean = f"; did you mean '{near[0]}'?" if near else ""
    return (f"the model has no tensor '{name}'{mean} Its inputs: {listed(list(model.inputs))}; "
            f"its outputs: {listed(model.outputs)}")


def listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(f"'{n}'" for n in names[:most])
    return shown + (f", ... {len(names) - most} more" if len(names) > most else "")
