"""Reads a TensorFlow graph (GraphDef, binary or text) or SavedModel as it stands in the file.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from mace_tools.convert.importers.request import RequestError, needed_inputs
from mace_tools.convert.importers.source import SourceModel, ValueInfo
from mace_tools.convert.importers.tensorflow import assigned, tables
from mace_tools.convert.importers.tensorflow.branches import SWITCHES
from mace_tools.convert.importers.tensorflow.functions import inlined
from mace_tools.convert.importers.tensorflow.nodes import (
    CUT,
    FREEZE,
    check_nodes,
    model_of,
    split_reference,
    tensor_name,
)
from mace_tools.convert.importers.tensorflow.saved_model import (
    PROTO,
    VARIABLES,
    SavedModel,
    by_number,
    is_saved_model,
    variables,
)
from mace_tools.convert.importers.tensorflow.tensors import ElementType, shape_of
from mace_tools.support import protos
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_bytes

# Nodes that are no outputs although nothing reads them.
_NO_ENDS = ("Const", "NoOp", "Placeholder", "PlaceholderV2", "Assert", "SaveV2",
            "MergeV2Checkpoints", *VARIABLES)
_LEFT_OVER = "unused_control_flow_input"


def read(path: Path, signature: str = "") -> SourceModel:
    """Reads a graph, or the signature of this name of a SavedModel.

    Errors: ModelError naming the file, what is wrong with it, and the cure; RequestError for a
    signature that is not there."""
    if is_saved_model(path):
        return _read_signature(SavedModel(path), signature)
    if signature:
        raise RequestError(f"{path} is a graph, which has no signatures, only SavedModels do: "
                           "remove `signature`, and name the tensors in input_tensors and "
                           "output_tensors",
                           "signature")
    graph = _parse(path)
    check_nodes(graph, path)
    whole = inlined(graph, (), path)
    model = model_of(whole, path, path.stem)
    tables.settle(model)
    # Nodes of functions are no outputs, even if nothing reads them.
    read_names = {split_reference(i)[0] for node in graph.node for i in node.input}
    # What TensorFlow leaves behind where it makes Switch and Merge of a conditional.
    for name in [n for n in model.inputs if n.startswith(_LEFT_OVER) and n not in read_names]:
        del model.inputs[name]
    nodes = {n.name: n for n in graph.node}
    model.outputs = [n.name for n in graph.node if n.name not in read_names
                     and n.op not in _NO_ENDS and not _is_pivot(n, nodes)]
    return model


def _is_pivot(node: Any, nodes: dict[str, Any]) -> bool:
    """Whether a node only says that one side of a conditional runs: the condition, switched by
    itself."""
    switch = nodes.get(split_reference(node.input[0])[0]) if len(node.input) == 1 else None
    return (node.op == "Identity" and switch is not None and switch.op in SWITCHES
            and len(switch.input) == 2 and switch.input[0] == switch.input[1])


def _read_signature(saved: SavedModel, name: str) -> SourceModel:
    signature, path = saved.signature(name), saved.file
    check_nodes(saved.graph, path)
    ends = [_end(info, what, path) for s in saved.signatures.values() for what, info in
            sorted(s.outputs.items())]
    model = model_of(saved.graph, path, path.absolute().parent.name or path.stem, ends)
    values, kinds = variables(saved)
    model.constants.update(values)
    model.retyped.update((n, kind.name) for n, kind in kinds.items() if kind.retyped)
    for node in model.nodes:
        if node.op in VARIABLES and node.name not in values:
            model.unusable[node.name] = (
                f"the variable '{node.name}', which has no value in the file",
                "export the model with the values of its variables: tf.saved_model.save, or "
                "model.export of Keras")
    model.nodes = [n for n in model.nodes if n.name not in values]
    tables.settle(model)
    _keep_needed(model, ends)
    made = {what: _end(signature.outputs[what], what, path)
            for what in sorted(signature.outputs, key=by_number)}
    given = {what: _end(signature.inputs[what], what, path) for what in saved.order(signature)}
    model.outputs = list(dict.fromkeys(made.values()))
    assigned.settle(model, model.outputs)
    fed = {end: signature.inputs[what] for what, end in given.items()}
    # A name of an input and an output means neither, and a tensor's own name that tensor.
    taken = {*model.known_tensors(), *(made.keys() & given.keys())}
    model.roles = {what: end for what, end in {**made, **given}.items() if what not in taken}
    others = needed_inputs(model, model.outputs, fed)
    model.inputs = {**{n: _stated(model, n, info) for n, info in fed.items()},
                    **{n: model.inputs[n] for n in others}}
    return model


def _end(info: Any, what: str, path: Path) -> str:
    """The tensor of a signature's input or output."""
    if not info.name:
        raise ModelError(f"{path}: '{what}' of its signature is a sparse or composite tensor, "
                         "which cannot be converted; export the model with dense tensors")
    return tensor_name(*split_reference(info.name))


def _stated(model: SourceModel, name: str, info: Any) -> ValueInfo:
    """What a signature says about an input."""
    known, kind = model.inputs.get(name), ElementType(info.dtype)
    if known is not None and known.shape is not None:
        return known
    if kind.engine is None:
        model.unusable[name] = (f"a tensor of {kind.name}", CUT)
    return ValueInfo(kind.engine or "f32", shape_of(info.tensor_shape))


def _keep_needed(model: SourceModel, ends: list[str]) -> None:
    """Leaves out nodes that no signature needs, as those that save and restore checkpoints."""
    made, needed = model.producers(), set()
    stack = list(ends)
    for end in ends:
        if end not in made and end not in model.inputs and end not in model.constants:
            raise ModelError(f"{model.name}: a signature of the SavedModel ends in '{end}', and "
                             "there is no such tensor in its graph; the file is damaged")
    while stack:
        node = made.get(stack.pop())
        if node is not None and node not in needed:
            needed.add(node)
            stack += [*node.inputs, *node.after]
    model.nodes = [node for node in model.nodes if node in needed]



def _parse(path: Path) -> Any:
    try:
        data = read_bytes(path)
    except OSError as e:
        raise ModelError(f"{path}: cannot be read: {e.strerror or e}") from e
    if not data:
        raise ModelError(f"{path}: the file is empty; {FREEZE}")
    messages = protos.load(PROTO)
    if data.lstrip()[:6].startswith((b"node {", b"node{")):
        return _parse_text(data, messages, path)
    graph = messages.GraphDef()
    try:
        graph.ParseFromString(data)
    except DecodeError as e:
        raise ModelError(f"{path}: not a TensorFlow graph, or cut off ({e}); {FREEZE}") from e
    if not graph.node:
        raise ModelError(f"{path}: holds no TensorFlow nodes; {FREEZE}; a checkpoint "
                         "must be frozen first")
    return graph


def _parse_text(data: bytes, messages: Any, path: Path) -> Any:
    try:
        text = data.decode("utf-8")
        return text_format.Parse(text, messages.GraphDef(), allow_unknown_field=True)
    except (text_format.ParseError, UnicodeDecodeError) as e:
        raise ModelError(f"{path}: broken text format of a TensorFlow graph: {e}") from e
