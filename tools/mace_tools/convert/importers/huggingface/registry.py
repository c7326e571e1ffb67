"""Translates the nodes of a decoder, which are the engine's already.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.huggingface.graph import FRAMEWORK, OPS
from mace_tools.convert.importers.registry import Registry
from mace_tools.convert.importers.source import SourceNode

registry = Registry(FRAMEWORK, __name__.rpartition(".")[0])


@registry.op(*OPS, "Identity")
def engine_op(b: Builder, n: SourceNode) -> str:
    """The op of that name"""
    n.mark_read(n.attrs)
    return b.op(n.op, *n.inputs, **n.attrs)
