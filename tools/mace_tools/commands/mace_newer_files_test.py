"""Deployment files with the keys that MACE v0.10 to v1.1 added convert with only their paths and
checksums replaced: quantized models, aliases, and what has no effect here.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools import cli
from mace_tools.commands.mace_files_test import (
    SUM,
    URL,
    onnx,
    quantized_model,
    tensorflow,
    with_local_files,
)
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode

# After training, with the ranges that quantize_stat found.
QUANTIZED = f"""
library_name: mobilenet-v1-quantize
target_abis: [arm64-v8a, armeabi-v7a]
model_graph_format: file
model_data_format: file
models:
  mobilenet_v1_quantize:
    platform: tensorflow
    model_file_path: {URL}/mobilenet-v1/mobilenet-v1-1.0.pb
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors:
          - input
        input_aliases:
          - image
        input_shapes:
          - 1,224,224,3
        output_tensors:
          - MobilenetV1/Predictions/Reshape_1
        output_aliases:
          - scores
        output_shapes:
          - 1,1001
        input_ranges:
          - 0,255
    runtime: cpu
    limit_opencl_kernel_time: 0
    nnlib_graph_mode: 0
    hexagon_mode: 0
    dsp_type: v65
    obfuscate: 0
    winograd: 0
    quantize: 1
    quantize_range_file: mobilenet.range
    quantize_schema: int8
    quantize_stat: 0
    change_concat_ranges: 0
    opencl_cache_reuse_policy: 1
"""

# Trained with fake quantization, which has the ranges.
RETRAINED = f"""
library_name: mobilenet-v1-quantize-retrain
target_abis: [arm64-v8a]
model_graph_format: code
model_data_format: code
models:
  mobilenet_v1_quantize_retrain:
    platform: tensorflow
    model_file_path: {URL}/mobilenet-v1/mobilenet-v1-quantize-retrain.pb
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors: input
        input_shapes: 1,224,224,3
        output_tensors: MobilenetV1/Predictions/Reshape_1
        output_shapes: 1,1001
        input_ranges: 0,255
    runtime: cpu
    data_type: fp32
    limit_opencl_kernel_time: 0
    nnlib_graph_mode: 0
    obfuscate: 0
    winograd: 0
    quantize: 1
    transformers: [FOLD_CONV_AND_BN]
    dockerfile_path: docker/caffe
    dockerfile_sha256_checksum: {SUM}
"""

FILTERS = f"""
library_name: onnx
target_abis: [arm64]
target_socs: all
models:
  net:
    platform: onnx
    model_file_path: {URL}/onnx/net.onnx
    model_sha256_checksum: {SUM}
    subgraphs:
      - input_tensors: data
        input_aliases: image
        input_shapes: 1,3,224,224
        input_data_formats: OIHW
        input_data_types: float32
        output_tensors: mobilenetv20_output_flatten0_reshape0
        output_aliases: scores
        output_shapes: 1,1000
        output_data_formats: NONE
        output_data_types: float32
    runtime: cpu+gpu
    data_type: fp32_fp32
    cl_mem_type: buffer
    validation_threshold: {{GPU: 0.99}}
"""


@pytest.mark.parametrize("text, model, ends, stays_quantized", [
    (QUANTIZED, tensorflow, ("image", "scores"), True),
    (RETRAINED, quantized_model, ("input", "MobilenetV1/Predictions/Reshape_1"), True),
    (FILTERS, onnx, ("image", "scores"), False),
], ids=["quantized", "retrained", "filters"])
def test_a_newer_file_of_mace_converts(tmp_path, monkeypatch, capfd, text, model, ends,
                                       stays_quantized):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mobilenet.range").write_text(
        "input:0@@0.0,255.0\npool:0@@0.0,255.0\nlogits:0@@-300.0,300.0\n"
        "MobilenetV1/Predictions/Reshape_1:0@@0.0,1.0\n")
    (tmp_path / "d.yml").write_text(with_local_files(text, model(tmp_path)))
    code = cli.main(["convert", "--config=d.yml", "--disable_tuning"])
    err = capfd.readouterr().err
    assert code == ExitCode.OK, err
    (file,) = tmp_path.glob("build/*/**/*.pb")
    net = protos.mace().NetDef.FromString(file.read_bytes())
    assert (net.input_info[0].name, net.output_info[0].name) == ends
    assert stays_quantized == any(q.scales for op in net.op for q in op.output_quantization)
    for key in ("hexagon_mode", "dsp_type", "quantize_schema", "quantize_stat", "transformers",
                "change_concat_ranges", "opencl_cache_reuse_policy", "dockerfile_path",
                "dockerfile_sha256_checksum"):
        assert (f".{key}: no effect: " in err) == (f" {key}:" in text), key
