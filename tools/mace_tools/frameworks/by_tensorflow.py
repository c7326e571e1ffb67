"""Runs a TensorFlow graph or SavedModel.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.config.files import saved_model_folder
from mace_tools.convert.importers.tensorflow.saved_model import SavedModel
from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.limits import read_bytes


def run(model: str, inputs: Arrays, outputs: list[str], nudge: Nudge | None = None
        ) -> list[np.ndarray]:
    import tensorflow.compat.v1 as tf

    saved = saved_model_folder(Path(model))
    with tf.Graph().as_default(), tf.Session() as session:
        if saved is not None:
            tf.saved_model.load(session, SavedModel(saved).tags, str(saved))
            if nudge is not None:
                _nudge_variables(tf, session, nudge)
        else:
            graph = tf.GraphDef()
            graph.ParseFromString(read_bytes(model))
            if nudge is not None:
                _nudge_constants(tf, graph, nudge)
            tf.import_graph_def(graph, name="")
        feeds = {_port(n): a.astype(session.graph.get_tensor_by_name(_port(n)).dtype.as_numpy_dtype)
                 for n, a in inputs.items()}
        return session.run([_port(n) for n in outputs], feeds)


def _port(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _nudge_constants(tf: Any, graph: Any, nudge: Nudge) -> None:
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    for k, node in enumerate(nodes):
        if node.op != "Const" or not tf.as_dtype(node.attr["dtype"].type).is_floating:
            continue
        array = tf.make_ndarray(node.attr["value"].tensor)
        if array.dtype.kind == "f":  # not bfloat16
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(nudge.of(array, k)))


def _nudge_variables(tf: Any, session: Any, nudge: Nudge) -> None:
    for k, op in enumerate(session.graph.get_operations()):
        if op.type not in ("VarHandleOp", "VariableV2"):
            continue
        handle, dtype = op.outputs[0], op.get_attr("dtype")
        if dtype not in (tf.float16, tf.float32, tf.float64):
            continue
        if op.type == "VarHandleOp":
            value = session.run(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype))
            assign = tf.raw_ops.AssignVariableOp(resource=handle, value=nudge.of(value, k))
        else:
            assign = tf.raw_ops.Assign(ref=handle, value=nudge.of(session.run(handle), k))
        session.run(assign)
