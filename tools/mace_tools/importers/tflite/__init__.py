"""Importer of TFLite models.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from mace_tools.errors import UnsupportedOp, UnsupportedOps
from mace_tools.importers.registry import Registry
from mace_tools.importers.source import SourceModel
from mace_tools.importers.tflite.reader import read
from mace_tools.ir import Graph

__all__ = ["read", "registry"]


class TfliteRegistry(Registry):
    """Refuses quantized tensors, together with whatever else stands in the way."""

    def translate(self, model: SourceModel) -> Graph:
        quantized = _quantized(model)
        if not quantized:
            return super().translate(model)
        problems = [UnsupportedOp("quantized tensor", quantized,
                                  "quantized tensors are not supported yet",
                                  "use the float model that it was made from")]
        unknown: dict[str, UnsupportedOp] = {}
        known = set(self.supported()) | {"QUANTIZE"}
        for node in model.nodes:
            if node.op not in known:
                record = UnsupportedOp(node.op, [], "", self._help_for(node.op))
                unknown.setdefault(node.op, record).nodes.append(node.name)
        raise UnsupportedOps(self.framework, problems + list(unknown.values()))


def _quantized(model: SourceModel) -> list[str]:
    names = dict.fromkeys(t for n in model.nodes for t in (*n.inputs, *n.outputs) if t)
    return [t for t in names if t in model.info and model.info[t].quant is not None]


registry = TfliteRegistry("TFLite", __name__)
