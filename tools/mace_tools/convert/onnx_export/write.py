"""The whole ONNX model of a graph.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.onnx_export import messages
from mace_tools.convert.onnx_export.ops import OPS
from mace_tools.convert.onnx_export.writer import Refused, Writer
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.support.errors import MaceError

OPSET, IR_VERSION = 17, 8


def render(graph: Graph) -> bytes:
    """The file; inputs and outputs have the engine's order of axes. Errors: MaceError with all
    nodes that ONNX cannot express."""
    w, refused = Writer(graph), []
    for node in graph.nodes:
        if node.op not in OPS:
            refused.append(f"{node}: the op is not written as ONNX")
            continue
        try:
            OPS[node.op](w, node)
        except (Refused, KeyError) as e:
            if isinstance(e, Refused):
                refused.append(f"{node}: {e}")
            elif not refused:  # it reads what a refused node makes
                raise
    if refused:
        raise MaceError(f"{graph.name}: no ONNX file of the model: " + "; ".join(refused)
                        + "; leave --onnx out, or end the model before them (output_tensors)")
    outputs = {name: w.plain(name) for name in graph.outputs}
    for name, made in outputs.items():
        node = messages.node("Identity", "", "", f"{name}/output")
        node.input.append(made)
        node.output.append(name)
        w.nodes.append(node)
    return _model(graph, w)


def _model(graph: Graph, w: Writer) -> bytes:
    model = messages.onnx().ModelProto(ir_version=IR_VERSION, producer_name="MACE")
    model.opset_import.add(version=OPSET)
    model.graph.name = graph.name or "model"
    model.graph.node.extend(w.nodes)
    model.graph.initializer.extend(messages.tensor(n, a) for n, a in w.constants.items())
    for names, target in ((graph.inputs, model.graph.input), (graph.outputs, model.graph.output)):
        for name in names:
            tensor = graph.tensors[name]
            kind = NUMPY[tensor.dtype if tensor.quant is None else "f32"]
            target.append(messages.info(name, w.shape(name), kind))
    return model.SerializeToString(deterministic=True)
