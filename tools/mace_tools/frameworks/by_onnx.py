"""Runs an ONNX model, or a part of it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.frameworks import Arrays
from mace_tools.protos import load

ONNX_PROTO = Path(__file__).parents[1] / "importers" / "onnx" / "onnx.proto"
# Element types of ONNX by number, those that NumPy has.
ELEMENTS = {k: np.dtype(t) for k, t in (
    (1, np.float32), (2, np.uint8), (3, np.int8), (4, np.uint16), (5, np.int16), (6, np.int32),
    (7, np.int64), (9, np.bool_), (10, np.float16), (11, np.float64), (12, np.uint32),
    (13, np.uint64))}
NUMBERS = {dtype: number for number, dtype in ELEMENTS.items()}


def run(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # The definition of the model, node by node, because an optimizer's bug would be taken for ours.
    # (The optimizer of 1.20 computes an AveragePool after a Pad incorrectly.)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # The folder of tensors that are stored outside the model; the model is passed as bytes.
    options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                     str(Path(model).parent))
    part, feeds = _onnx_part(model, inputs, outputs)
    session = onnxruntime.InferenceSession(part, options, providers=["CPUExecutionProvider"])
    return session.run(outputs, feeds)


def _onnx_part(model: str, inputs: Arrays, outputs: list[str]) -> tuple[bytes, Arrays]:
    """The part of the model between the given tensors, with their shapes, and the inputs in its
    types.

    ONNX Runtime accepts only the inputs and outputs of a graph, in their declared shapes."""
    onnx = load(ONNX_PROTO)
    part = onnx.ModelProto.FromString(Path(model).read_bytes())
    graph = part.graph
    makers = {out: k for k, node in enumerate(graph.node) for out in node.output if out}
    needed: set[int] = set()
    read = set(outputs)
    stack = list(outputs)
    while stack:
        name = stack.pop()
        if name in makers and name not in inputs and makers[name] not in needed:
            needed.add(makers[name])
            stack += _read_by(graph.node[makers[name]])
            read.update(_read_by(graph.node[makers[name]]))
    kept = [onnx.NodeProto.FromString(graph.node[k].SerializeToString()) for k in sorted(needed)]
    stored = [onnx.TensorProto.FromString(t.SerializeToString()) for t in graph.initializer
              if t.name in read and t.name not in inputs]
    types = {v.name: v.type.tensor_type.elem_type for v in [*graph.input, *graph.value_info]}
    del graph.node[:], graph.initializer[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(kept)
    graph.initializer.extend(stored)
    # Before version 4, initializers must be inputs as well, which would make them variable.
    part.ir_version = max(part.ir_version, 4)
    feeds = {}
    for name, array in inputs.items():
        number = types.get(name) or NUMBERS[array.dtype]
        feeds[name] = array.astype(ELEMENTS[number]) if number in ELEMENTS else array
        value = graph.input.add(name=name)
        value.type.tensor_type.elem_type = number
        value.type.tensor_type.shape.SetInParent()  # a scalar has no dimensions
        for extent in array.shape:
            value.type.tensor_type.shape.dim.add(dim_value=extent)
    for name in outputs:
        graph.output.add(name=name)
    return part.SerializeToString(), feeds


def _read_by(node: Any) -> list[str]:
    """The tensors that a node and the graphs within it read."""
    names = list(node.input)
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names += _read_by(inner)
        names += [v.name for v in attribute.g.output]  # may come from the outer graph
    return names
