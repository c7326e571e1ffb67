"""Runs a TensorFlow graph or SavedModel.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mace_tools.config.files import saved_model_folder
from mace_tools.frameworks import Arrays
from mace_tools.importers.tensorflow.saved_model import SavedModel


def run(model: str, inputs: Arrays, outputs: list[str]) -> list[np.ndarray]:
    import tensorflow.compat.v1 as tf

    saved = saved_model_folder(Path(model))
    with tf.Graph().as_default(), tf.Session() as session:
        if saved is not None:
            tf.saved_model.load(session, SavedModel(saved).tags, str(saved))
        else:
            graph = tf.GraphDef()
            graph.ParseFromString(Path(model).read_bytes())
            tf.import_graph_def(graph, name="")
        feeds = {_port(n): a.astype(session.graph.get_tensor_by_name(_port(n)).dtype.as_numpy_dtype)
                 for n, a in inputs.items()}
        return session.run([_port(n) for n in outputs], feeds)


def _port(name: str) -> str:
    return name if ":" in name else f"{name}:0"
