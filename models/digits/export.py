"""Writes the trained digits model as a TensorFlow, ONNX and TFLite file, and runs each of them.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import tensorflow as tf
from onnx import TensorProto, helper, numpy_helper
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

INPUT_NAME = "input"
OUTPUT_NAME = "probabilities"
ONNX_OPSET = 13


def frozen_graph(model: tf.keras.Model) -> tf.compat.v1.GraphDef:
    """The model's inference graph with its variables as constants."""

    @tf.function(input_signature=[tf.TensorSpec([1, 8, 8, 1], tf.float32, name=INPUT_NAME)])
    def infer(image: tf.Tensor) -> tf.Tensor:
        return tf.identity(model(image, training=False), name=OUTPUT_NAME)

    constant = convert_variables_to_constants_v2(infer.get_concrete_function())
    return tf.compat.v1.graph_util.extract_sub_graph(constant.graph.as_graph_def(), [OUTPUT_NAME])


def write_tf(model: tf.keras.Model, path: Path) -> None:
    path.write_bytes(frozen_graph(model).SerializeToString(deterministic=True))


def predict_tf(path: Path, images: np.ndarray) -> np.ndarray:
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(path.read_bytes()), name="")
    with tf.compat.v1.Session(graph=graph) as session:
        return np.concatenate([session.run(f"{OUTPUT_NAME}:0", {f"{INPUT_NAME}:0": image[None]})
                               for image in images])


def write_tflite(model: tf.keras.Model, path: Path) -> None:
    """By way of the frozen graph, which keeps the names of the input and the output."""
    with tempfile.NamedTemporaryFile(suffix=".pb") as graph:
        write_tf(model, Path(graph.name))
        converter = tf.compat.v1.lite.TFLiteConverter.from_frozen_graph(
            graph.name, [INPUT_NAME], [OUTPUT_NAME])
        path.write_bytes(converter.convert())


def predict_tflite(path: Path, images: np.ndarray) -> np.ndarray:
    interpreter = tf.lite.Interpreter(str(path))
    interpreter.allocate_tensors()
    source, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    rows = []
    for image in images:
        interpreter.set_tensor(source["index"], image[None])
        interpreter.invoke()
        rows.append(interpreter.get_tensor(result["index"]))
    return np.concatenate(rows)


class OnnxGraph:
    """A chain of ONNX nodes, each reading what the one before wrote."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def add(self, op: str, name: str, weights: dict[str, np.ndarray] | None = None,
            **attributes: object) -> None:
        inputs = [self.value]
        for key, array in (weights or {}).items():
            inputs.append(f"{name}.{key}")
            array = np.ascontiguousarray(array, np.float32)
            self.weights.append(numpy_helper.from_array(array, inputs[-1]))
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        self.value = name


def add_layer(graph: OnnxGraph, layer: tf.keras.layers.Layer) -> None:
    """One Keras layer in ONNX: NCHW, filters [out, in / group, h, w]."""
    weights = [w.numpy() for w in layer.weights]
    kind = type(layer).__name__
    if kind in ("Conv2D", "DepthwiseConv2D"):
        depthwise = kind == "DepthwiseConv2D"
        kernel = weights[0].transpose((2, 3, 0, 1) if depthwise else (3, 2, 0, 1))
        half = kernel.shape[-1] // 2
        named = {"weight": kernel} | ({"bias": weights[1]} if layer.use_bias else {})
        graph.add("Conv", layer.name, named, kernel_shape=list(kernel.shape[2:]),
                  pads=[half] * 4, strides=[1, 1], group=kernel.shape[0] if depthwise else 1)
    elif kind == "BatchNormalization":
        names = ("scale", "bias", "mean", "var")
        graph.add("BatchNormalization", layer.name, dict(zip(names, weights)),
                  epsilon=layer.epsilon)
    elif kind == "ReLU":
        graph.add("Relu", layer.name)
    elif kind == "MaxPooling2D":
        graph.add("MaxPool", layer.name, kernel_shape=[2, 2], strides=[2, 2])
    elif kind == "Flatten":
        graph.add("Flatten", layer.name, axis=1)
    elif kind == "Dense":
        # Keras flattens [h, w, c], ONNX [c, h, w]: the rows of the matrix move accordingly.
        matrix = weights[0].reshape(2, 2, -1, 10).transpose(3, 2, 0, 1).reshape(10, -1)
        graph.add("Gemm", layer.name, {"weight": matrix, "bias": weights[1]}, transB=1)
    elif kind == "Softmax":
        graph.add("Softmax", layer.name, axis=1)
    elif kind not in ("InputLayer", "Dropout"):
        raise ValueError(f"layer '{layer.name}': no ONNX form for {kind}")


def write_onnx(model: tf.keras.Model, path: Path) -> None:
    chain = OnnxGraph(INPUT_NAME)
    for layer in model.layers:
        add_layer(chain, layer)
    graph = helper.make_graph(
        chain.nodes, "digits",
        [helper.make_tensor_value_info(INPUT_NAME, TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info(OUTPUT_NAME, TensorProto.FLOAT, [1, 10])],
        initializer=chain.weights)
    proto = helper.make_model(graph, producer_name="models/digits/train.py",
                              opset_imports=[helper.make_opsetid("", ONNX_OPSET)])
    proto.ir_version = 8  # the version of opset 13 to 17, which every runtime reads
    onnx.checker.check_model(proto, full_check=True)
    path.write_bytes(proto.SerializeToString(deterministic=True))


def predict_onnx(path: Path, images: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    planes = images.transpose(0, 3, 1, 2)
    return np.concatenate([session.run([OUTPUT_NAME], {INPUT_NAME: image[None]})[0]
                           for image in planes])
