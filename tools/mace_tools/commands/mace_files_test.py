"""Deployment files as MACE v0.8 to v1.1 documents them convert with only their paths and checksums
replaced.

SPDX-License-Identifier: Apache-2.0

Each model is small, and has the inputs and outputs that its file names.
"""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert.importers.tensorflow.tensorflow_test import Maker
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing import onnx_file
from mace_tools.testing.caffe_file import Net, uniform
from mace_tools.testing.onnx_file import node

SUM = "71b10f540ece33c49a7b51f5d4095fc9bd78ce46ebf0300487b2ee23d71294e6"
URL = "https://cnbj1.fds.api.xiaomi.com/mace/miai-models"

# The example of the documentation.
MOBILENET = f"""
library_name: mobilenet
target_abis: [arm64-v8a]
embed_model_data: 1
build_type: code
linkshared: 0
models:
  mobilenet_v1:
    platform: tensorflow
    model_file_path: {URL}/mobilenet-v1/mobilenet-v1-1.0.pb
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors: input
        input_shapes: 1,224,224,3
        output_tensors: MobilenetV1/Predictions/Reshape_1
        output_shapes: 1,1001
    runtime: cpu+gpu
    limit_opencl_kernel_time: 0
    nnlib_graph_mode: 0
    obfuscate: 0
    winograd: 0
  mobilenet_v2:
    platform: tensorflow
    model_file_path: {URL}/mobilenet-v2/mobilenet-v2-1.0.pb
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors: input
        input_shapes: 1,224,224,3
        output_tensors: MobilenetV1/Predictions/Reshape_1
        output_shapes: 1,1001
    runtime: cpu_gpu
    limit_opencl_kernel_time: 1
    nnlib_graph_mode: 0
    obfuscate: 1
    winograd: 1
"""

# Lists, thresholds by device, files for --validate and keys of later versions.
WITH_LISTS = f"""
library_name: mobilenet
target_abis: [armeabi-v7a, arm64-v8a, arm64, armhf, host]
target_socs: [msm8998]
model_graph_format: file
model_data_format: file
models:
  mobilenet_v1:
    platform: tensorflow
    model_file_path: {URL}/mobilenet-v1/mobilenet-v1-1.0.pb
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors:
          - input
        input_shapes:
          - 1,224,224,3
        input_ranges:
          - -1.0,1.0
        input_data_types:
          - float32
        input_data_formats:
          - NHWC
        output_tensors:
          - MobilenetV1/Predictions/Reshape_1
        output_shapes:
          - 1,1001
        output_data_types:
          - float32
        output_data_formats:
          - NONE
        check_tensors:
          - MobilenetV1/Logits/Conv2d_1c_1x1/BiasAdd:0
        check_shapes:
          - 1,1,1,1001
        validation_inputs_data:
          - {URL}/mobilenet-v1/dog.npy
        validation_outputs_data:
          - {URL}/mobilenet-v1/out.npy
        accuracy_validation_script: accuracy.py
    runtime: gpu
    data_type: fp16_fp16
    cl_mem_type: image
    opencl_queue_window_size: 8
    limit_opencl_kernel_time: 1
    nnlib_graph_mode: 0
    obfuscate: 0
    winograd: 4
    graph_optimize_options: [fold_constants]
    change_concat_ranges: 0
    quantize: 0
    quantize_large_weights: 1
    validation_threshold: {{CPU: 0.999, GPU: 0.995, HEXAGON: 0.930}}
"""

INCEPTION_DSP = f"""
library_name: inception
target_abis: [armeabi-v7a]
build_type: proto
embed_model_data: 0
linkshared: 1
models:
  inception_v3_dsp:
    platform: tensorflow
    model_file_path: {URL}/inception-v3/inception-v3-dsp.pb
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors: input
        input_shapes: 1,224,224,3
        output_tensors: MobilenetV1/Predictions/Reshape_1
        output_shapes: 1,1001
        input_ranges: 0,255
    runtime: dsp
    data_type: uint8
    limit_opencl_kernel_time: 0
    nnlib_graph_mode: 4
    obfuscate: 0
    winograd: 0
"""

# Shapes in NHWC, though the network is in NCHW.
SQUEEZENET = f"""
library_name: squeezenet
target_abis: [arm64-v8a]
build_type: proto
models:
  squeezenet_v11:
    platform: caffe
    model_file_path: {URL}/squeezenet/squeezenet-v1.1.prototxt
    model_sha256_checksum: {SUM}
    weight_file_path: {URL}/squeezenet/squeezenet-v1.1.caffemodel
    weight_sha256_checksum: {SUM}
    docker_image_tag: lastest
    subgraphs:
      - input_tensors: data
        input_shapes: 1,227,227,3
        output_tensors: prob
        output_shapes: 1,1,1,1000
    runtime: cpu+gpu
    memory_strategy: GREEDY
    limit_opencl_kernel_time: 0
    nnlib_graph_mode: 0
    obfuscate: 0
    winograd: 2
"""

ONNX = f"""
library_name: mobilenetv2_onnx
target_abis: [arm64-v8a]
model_graph_format: code
model_data_format: code
models:
  mobilenet_v2:
    platform: onnx
    model_file_path: {URL}/onnx/mobilenetv2-1.0.onnx
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors:
          - data
        input_shapes:
          - 1,3,224,224
        input_data_formats:
          - NCHW
        output_tensors:
          - mobilenetv20_output_flatten0_reshape0
        output_shapes:
          - 1,1000
        output_data_formats:
          - NCHW
    runtime: cpu
    backend: tensorflow
    limit_opencl_kernel_time: 0
    nnlib_graph_mode: 0
    obfuscate: 0
    winograd: 4
"""


def tensorflow(folder: Path, quantized: bool = False) -> Path:
    m = Maker()

    def rounded(name: str, low: float, high: float) -> str:
        if not quantized:
            return name
        m.node(f"{name}/fq", "FakeQuantWithMinMaxArgs", name, min=low, max=high, num_bits=8)
        return f"{name}/fq"

    m.placeholder("input", 1, 224, 224, 3)
    m.const("axes", np.int32([1, 2]))
    m.node("pool", "Mean", rounded("input", 0.0, 255.0), "axes")
    m.const("w", uniform(3, 1001))
    m.node("logits", "MatMul", rounded("pool", 0.0, 255.0), rounded("w", -1.0, 1.0))
    m.node("MobilenetV1/Predictions/Reshape_1", "Softmax", rounded("logits", -300.0, 300.0))
    return m.save(folder)


def quantized_model(folder: Path) -> Path:
    return tensorflow(folder, quantized=True)


def caffe(folder: Path) -> Path:
    net = Net({"data": (1, 3, 227, 227)})
    net.layer("Convolution", ["data"], "conv",
              "convolution_param { num_output: 1000 kernel_size: 3 stride: 224 }",
              uniform(1000, 3, 3, 3), uniform(1000), name="conv")
    net.layer("Pooling", ["conv"], "pool", "pooling_param { pool: AVE global_pooling: true }")
    net.layer("Softmax", ["pool"], "prob")
    return net.save(folder)


def onnx(folder: Path) -> Path:
    out = "mobilenetv20_output_flatten0_reshape0"
    nodes = [node("GlobalAveragePool", "data", "p"), node("Flatten", "p", "f"),
             node("MatMul", "f w", out)]
    return onnx_file.model(folder / "net.onnx", nodes, {"data": (1, 3, 224, 224)}, (out,),
                           {"w": uniform(3, 1000)})


def with_local_files(text: str, model: Path) -> str:
    """Only addresses, checksums and paths are replaced."""
    npy = model.with_name("x.npy")
    np.save(npy, np.zeros((1, 224, 224, 3), np.float32))
    weights = model.with_suffix(".caffemodel")
    text = re.sub(r"https?://\S+\.npy", str(npy), text)
    for key, file in (("model", model), ("weight", weights)):
        if file.is_file():
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            text = re.sub(rf"{key}_file_path: \S+", f"{key}_file_path: {file}", text)
            text = re.sub(rf"{key}_sha256_checksum: \S+", f"{key}_sha256_checksum: {digest}", text)
    return text


@pytest.mark.parametrize("text, model, inputs, outputs", [
    (MOBILENET, tensorflow, [1, 224, 224, 3], [1, 1001]),
    (WITH_LISTS, tensorflow, [1, 224, 224, 3], [1, 1001]),
    (INCEPTION_DSP, quantized_model, [1, 224, 224, 3], [1, 1001]),
    (SQUEEZENET, caffe, [1, 227, 227, 3], [1, 1, 1, 1000]),
    (ONNX, onnx, [1, 3, 224, 224], [1, 1000]),
], ids=["mobilenet", "lists", "inception_dsp", "squeezenet", "onnx"])
def test_a_file_of_mace_converts(tmp_path, monkeypatch, capfd, text, model, inputs, outputs):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.yml").write_text(with_local_files(text, model(tmp_path)))
    code = cli.main(["convert", "--config=d.yml", "--disable_tuning"])
    assert code == ExitCode.OK, capfd.readouterr().err
    files = sorted(tmp_path.glob("build/*/**/*.pb"))
    assert len(files) == text.count("platform: ")
    for file in files:
        net = protos.mace().NetDef.FromString(file.read_bytes())
        assert [list(i.dims) for i in net.input_info] == [inputs]
        assert [list(i.dims) for i in net.output_info] == [outputs]
