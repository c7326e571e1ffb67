"""Signatures of a TFLite model: names for a subgraph, its inputs and its outputs.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass, field
from typing import Any

from mace_tools.convert.importers.request import RequestError, some
from mace_tools.convert.importers.tflite.flat import File, text

DEFAULT = "serving_default"


@dataclass(frozen=True)
class Signature:
    """`tensors` are numbers of tensors of the graph, by their names in the signature."""

    name: str = ""
    graph: int = 0
    tensors: dict[str, int] = field(default_factory=dict)


def choose(file: File, root: Any, wanted: str) -> Signature:
    """The signature of this name; for "" the usual one, the only one, or the first graph of a file
    that has none. Errors: RequestError naming those that there are."""
    file.place = "the signatures"
    found = {s.name: s for s in (_read(file, t) for t in file.list(root, "SignatureDefs"))}
    if wanted in found:
        return found[wanted]
    there = some(list(found))
    if wanted and not found:
        raise RequestError(f"{file.path} has no signatures; remove `signature`", "signature")
    if wanted:
        raise RequestError(f"{file.path} has no signature '{wanted}'; it has {there}", "signature",
                           example=f"signature: {next(iter(found))}")
    if DEFAULT in found or len(found) == 1:
        return found.get(DEFAULT) or next(iter(found.values()))
    if found:
        raise RequestError(f"{file.path} has several signatures, {there}: choose one",
                           "signature", example=f"signature: {next(iter(found))}")
    return Signature()


def _read(file: File, table: Any) -> Signature:
    tensors: dict[str, int] = {}
    for entry in (*file.list(table, "Inputs"), *file.list(table, "Outputs")):
        name, index = text(entry.Name()), entry.TensorIndex()
        if tensors.setdefault(name, index) != index:
            tensors[name] = -1  # an input and an output of one name: neither can be meant
    return Signature(text(table.SignatureKey()), table.SubgraphIndex(),
                     {name: index for name, index in tensors.items() if name and index >= 0})
