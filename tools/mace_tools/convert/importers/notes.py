"""What users are told about element types that the engine does not have.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping

from mace_tools.convert.importers.source import SourceModel, listed
from mace_tools.graph.ir import Graph

# The engine's element types as deployment files call them.
LONG_NAMES = {"f32": "float32", "i32": "int32", "i64": "int64"}


def retyped_notes(model: SourceModel, graph: Graph, made: Mapping[str, str]) -> list[str]:
    """A note for each of these types. `made` has the graph's tensors by their names in the
    model."""
    by_type: dict[tuple[str, str], list[str]] = {}
    for source, kind in model.retyped.items():
        tensor = graph.tensors.get(made.get(source, ""))
        if tensor is not None:
            ours = LONG_NAMES.get(tensor.dtype, tensor.dtype)
            by_type.setdefault((kind, ours), []).append(source)
    ends = {*model.inputs, *model.outputs}
    notes = []
    for (kind, ours), names in by_type.items():
        names.sort(key=lambda name: name not in ends)  # inputs and outputs first
        notes.append(f"{len(names)} {kind} tensor(s) are computed and returned as {ours}, "
                     f"which is all that the engine has: {listed(names)}")
    return notes
