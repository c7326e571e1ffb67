"""Writes small ONNX models for tests.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.onnx_export.messages import info, node, onnx, tensor

__all__ = ["graph", "info", "model", "node", "onnx", "tensor"]


def graph(
    name: str, nodes: Sequence[Any], inputs: Mapping[str, Sequence[int | str]],
    outputs: Sequence[str], constants: Mapping[str, np.ndarray] | None = None,
    kind: Any = np.float32,
) -> Any:
    """The graph of a model, or of a branch of an If, with outputs of the type `kind`."""
    proto = onnx().GraphProto(name=name)
    proto.node.extend(nodes)
    proto.input.extend(info(n, s) for n, s in inputs.items())
    proto.output.extend(info(n, None, kind) for n in outputs)
    proto.initializer.extend(tensor(n, a) for n, a in (constants or {}).items())
    return proto


def model(
    path: Path, nodes: Sequence[Any], inputs: Mapping[str, Sequence[int | str]],
    outputs: Sequence[str], constants: Mapping[str, np.ndarray] | None = None, opset: int = 13,
) -> Path:
    proto = onnx().ModelProto(ir_version=7)
    proto.opset_import.add(version=opset)
    proto.graph.CopyFrom(graph(path.stem, nodes, inputs, outputs, constants))
    path.write_bytes(proto.SerializeToString())
    return path
