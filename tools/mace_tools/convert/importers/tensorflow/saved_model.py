"""Reads a TensorFlow SavedModel without TensorFlow: one of its signatures, with its variables.

SPDX-License-Identifier: Apache-2.0

The graph says how to restore each variable: its part that restores a checkpoint assigns the tensors
that RestoreV2 reads, by their names there. So no table from variables to names is needed, and both
versions of the format are read alike.
"""

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from mace_tools.convert.importers.request import RequestError
from mace_tools.convert.importers.source import listed
from mace_tools.convert.importers.tensorflow import slices
from mace_tools.convert.importers.tensorflow.bundle import Bundle
from mace_tools.convert.importers.tensorflow.functions import CALLS, inlined
from mace_tools.convert.importers.tensorflow.tensors import ElementType
from mace_tools.support import protos
from mace_tools.support.errors import ModelError
from mace_tools.support.limits import read_bytes
from mace_tools.support.model_format import graph_file

PROTO = Path(__file__).with_name("graph.proto")
DEFAULT_TAG, DEFAULT_SIGNATURE = "serve", "serving_default"
_INTERNAL = "__saved_model_"  # signatures that only initialize
VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_ASSIGN = ("AssignVariableOp", "Assign")
_PASS = ("Identity", "IdentityN")


def is_saved_model(path: Path) -> bool:
    """Whether this is the folder of a SavedModel, or the graph in it."""
    return path.name in ("saved_model.pb", "saved_model.pbtxt") or graph_file(path) is not None


class SavedModel:
    """A parsed SavedModel, before a signature is chosen."""

    def __init__(self, path: Path) -> None:
        """Errors: ModelError."""
        self.file = (graph_file(path) or path / "saved_model.pb") if path.is_dir() else path
        self.messages = protos.load(PROTO)
        meta = self._choose_graph(self._parse())
        self.tags = list(meta.meta_info_def.tags)
        self.signatures = {name: s for name, s in sorted(meta.signature_def.items())
                           if not name.startswith(_INTERNAL)}
        self._calls = meta.graph_def
        self.graph = inlined(meta.graph_def, meta.meta_info_def.stripped_op_list.op, self.file)

    def _parse(self) -> Any:
        saved = self.messages.SavedModel()
        try:
            data = read_bytes(self.file)
            if self.file.suffix == ".pbtxt":
                text_format.Parse(data.decode(), saved, allow_unknown_field=True)
            else:
                saved.ParseFromString(data)
        except OSError as e:
            raise ModelError(f"{self.file}: cannot be read: {e.strerror or e}") from e
        except (DecodeError, text_format.ParseError, UnicodeDecodeError) as e:
            raise ModelError(f"{self.file}: not the graph of a SavedModel, or cut off ({e})") from e
        if not saved.meta_graphs:
            raise ModelError(f"{self.file}: holds no graph; the file is cut off, or no SavedModel")
        return saved

    def _choose_graph(self, saved: Any) -> Any:
        """The graph for serving, or the only one."""
        found = [m for m in saved.meta_graphs if DEFAULT_TAG in m.meta_info_def.tags]
        exact = [m for m in found if list(m.meta_info_def.tags) == [DEFAULT_TAG]]
        for choice in (exact, found, saved.meta_graphs):
            if len(choice) == 1:
                return choice[0]
        tags = "; ".join(", ".join(m.meta_info_def.tags) or "none" for m in saved.meta_graphs)
        raise ModelError(f"{self.file}: no graph of it has the tag '{DEFAULT_TAG}' (their tags: "
                         f"{tags}); export the model for serving")

    def signature(self, name: str) -> Any:
        """The signature of this name; by default `serving_default`, or the only one.

        Errors: RequestError that lists the signatures; ModelError if there are none."""
        names = list(self.signatures)
        if not names:
            raise ModelError(f"{self.file}: the SavedModel has no signature, so that its inputs "
                             "and outputs are not known; export it with one: "
                             "tf.saved_model.save(model, folder, "
                             "signatures=model.f.get_concrete_function(...))")
        if name in self.signatures:
            return self.signatures[name]
        if not name and len(names) == 1:
            return self.signatures[names[0]]
        if not name and DEFAULT_SIGNATURE in names:
            return self.signatures[DEFAULT_SIGNATURE]
        near = get_close_matches(name, names, 1)
        mean = f"; did you mean '{near[0]}'?" if near else ";"
        problem = f"has no signature '{name}'" if name else (
            f"has several signatures and none is called '{DEFAULT_SIGNATURE}'")
        raise RequestError(
            f"{self.file}: the SavedModel {problem}{mean} it has {listed(names)}: name one of them "
            "with `signature`", "signature", example=f"signature: {(near or names)[0]}")


    def order(self, signature: Any) -> list[str]:
        """The names of a signature's inputs in the order in which its function takes them.

        The file lists them by name. TensorFlow 2 puts a function around that of the user, which
        takes them in that order as well, and calls the user's with those it takes. Inputs of
        graphs without calls stay in the order of their names."""
        names = sorted(signature.inputs, key=by_number)
        fed = {signature.inputs[name].name.removesuffix(":0"): name for name in names}
        functions = {f.signature.name: f for f in self._calls.library.function}
        for node in self._calls.node:
            around = functions.get(node.attr["f"].func.name)
            if node.op not in CALLS or around is None or not set(fed) & set(node.input):
                continue
            arguments = dict(zip((a.name for a in around.signature.input_arg), node.input))
            inner = next((n for n in around.node_def if n.op in CALLS), None)
            taken = [arguments.get(i) for i in inner.input] if inner is not None else []
            found = [fed[i] for i in dict.fromkeys(taken) if i in fed]
            return [*found, *(n for n in names if n not in found)]
        return names


def by_number(name: str) -> list[Any]:
    """Sorts names with numbers in them by these: output_2 before output_10."""
    return [int(s) if k % 2 else s for k, s in enumerate(re.split(r"([0-9]+)", name))]


def variables(saved: SavedModel) -> tuple[dict[str, np.ndarray], dict[str, ElementType]]:
    """The values of the variables, by the names of their nodes, and their types in the file.

    Errors: ModelError for files that are missing or damaged."""
    nodes = {node.name: node for node in saved.graph.node}
    names = _restored(nodes)
    if not names:
        return {}, {}
    bundle = Bundle(saved.file.parent / "variables" / "variables", saved.messages)
    values: dict[str, np.ndarray] = {}
    types = {}
    for variable, (name, part) in names.items():
        if name not in bundle:
            raise ModelError(f"{bundle.index}: it does not hold '{name}', the value of the "
                             f"variable '{variable}'; the files do not belong together: copy the "
                             "whole folder of the SavedModel again")
        value = bundle.tensor(name)
        if value is not None:
            values[variable], types[variable] = _cut(bundle, name, value, part), bundle.kind(name)
    return values, types


def _cut(bundle: Bundle, name: str, value: np.ndarray, part: str) -> np.ndarray:
    """What the graph restores of a tensor: all of it, or the part that a partitioned variable has.

    Errors: ModelError."""
    try:
        wanted = slices.parse(part)
        if wanted is None:
            return value
        shape, extents = wanted
        if list(value.shape) != shape:
            raise ValueError(f"the graph states the shape {shape}, the checkpoint has "
                             f"{list(value.shape)}")
        return value[slices.places(extents, shape)]
    except ValueError as e:
        raise ModelError(f"{bundle.index}: the graph restores a part of '{name}' that is not "
                         f"there: {e}; the files do not belong together: copy the whole folder of "
                         "the SavedModel again") from e


def _restored(nodes: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """For each variable that the graph restores, the name of its tensor in the checkpoint, and
    which part of it is restored ("": all)."""
    found: dict[str, tuple[str, str]] = {}
    for node in nodes.values():
        if node.op not in _ASSIGN or len(node.input) < 2:
            continue
        variable, _ = _origin(nodes, node.input[0])
        source, index = _origin(nodes, node.input[1])
        if variable is None or source is None or variable.op not in VARIABLES:
            continue
        if source.op != "RestoreV2" or len(source.input) < 3:
            continue
        names, parts = (_fixed_texts(nodes, i) for i in source.input[1:3])
        if index < len(names):
            part = parts[index] if index < len(parts) else ""
            found.setdefault(variable.name, (names[index], part))
    return found


def _origin(nodes: dict[str, Any], reference: str) -> tuple[Any, int]:
    """The node that makes a tensor, behind nodes that pass it on, and the number of its output."""
    for _ in range(len(nodes) + 1):
        name, _, number = reference.rpartition(":")
        name, index = (name, int(number)) if name and number.isdecimal() else (reference, 0)
        node = nodes.get(name)
        data = [] if node is None else [i for i in node.input if not i.startswith("^")]
        if node is None or node.op not in _PASS or index >= len(data):
            return node, index
        reference = data[index]
    return None, 0


def _fixed_texts(nodes: dict[str, Any], reference: str) -> list[str]:
    """The texts of a constant operand; none if it is computed."""
    node, _ = _origin(nodes, reference)
    if node is None or node.op != "Const":
        return []
    return [text.decode("utf-8", "replace") for text in node.attr["value"].tensor.string_val]
