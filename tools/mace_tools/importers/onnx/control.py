"""If: the branch that the condition chooses, in place of the node.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.errors import ModelError
from mace_tools.importers.builder import Builder
from mace_tools.importers.onnx import registry
from mace_tools.importers.registry import Unsupported
from mace_tools.importers.source import SourceGraph, SourceNode


@registry.op("If")
def if_(b: Builder, n: SourceNode) -> list[str]:
    branches = n.attr("else_branch"), n.attr("then_branch")
    value = b.const(n.inputs[0])
    if value is None:
        value = b.known(n.inputs[0])
        if value is None:
            raise _computed(b, n)
        b.depends_on_shapes(f"If '{n.name}'")
    if value.size != 1:
        raise ModelError(f"If '{n.name}': its condition must have one element, it has the shape "
                         f"{list(value.shape)}")
    branch = branches[bool(value.reshape(-1)[0])]
    if not isinstance(branch, SourceGraph) or len(branch.outputs) < len(n.outputs):
        raise ModelError(f"If '{n.name}': a branch is missing, or has fewer outputs than the node")
    return b.inline(n, branch)


def _computed(b: Builder, n: SourceNode) -> Unsupported:
    made_of = ", ".join(f"'{name}'" for name in b.inputs_of(n.inputs[0]))
    return Unsupported(
        f"its condition is computed while the model runs, from {made_of}",
        f"give {made_of} a value in the deployment file (`input_values`), make it a constant in "
        "the source model (an initializer instead of an input), or export the model without "
        "control flow: torch.onnx.export of a traced, not a scripted, model")
