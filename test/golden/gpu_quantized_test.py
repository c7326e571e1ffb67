"""Weights that the GPU keeps as int8, against the layers' definitions in NumPy with the
dequantized values: by PoCL, or what OCL_ICD_VENDORS names.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess

import numpy as np
import pytest
from golden import Run, import_model, mace_run, relative_error, run_all, try_import
from quantized_gpu_test import FOLDER, MODELS

from mace_tools.analyze.quantize.weight_only import store_weights
from mace_tools.convert.emit import write_model
from mace_tools.convert.passes.compute_in_float32 import compute_in_float32
from mace_tools.support.protos import cache_dir
from mace_tools.testing.needed import need_pocl
from mace_tools.testing.tflite_file import Maker

pytestmark = pytest.mark.full
# The largest error by the type of the images, over the largest output. In fp16, inputs, biases and
# outputs are rounded; quantized values are not.
TOLERANCE = {"fp32_fp32": 1e-5, "fp16_fp32": 3e-3}
# Large enough to be worth moving to the GPU: input, weights, stride.
LAYERS = {"FULLY_CONNECTED": ((64, 700), (517, 700), 1),
          "CONV_2D 1x1": ((2, 40, 41, 70), (93, 1, 1, 70), 1),
          "CONV_2D 3x3": ((1, 64, 63, 21), (46, 3, 3, 21), 2)}
RNG = np.random.default_rng(15)


@pytest.fixture(scope="module", autouse=True)
def pocl():
    driver = need_pocl()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(driver))
        patch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
        yield


def layer(name, folder):
    """A dynamic-range layer of TFLite: its graph, input and weights as floats."""
    x_shape, w_shape, stride = LAYERS[name]
    quantized = RNG.integers(-127, 128, w_shape).astype(np.int8)
    scale = RNG.uniform(1e-5, 0.02, w_shape[0]).astype(np.float32)
    x = RNG.uniform(-1, 3, x_shape).astype(np.float32)
    bias = RNG.uniform(-1, 1, w_shape[0]).astype(np.float32)
    m = Maker()
    m.tensor("x", x.shape)
    m.tensor("w", w_shape, "int8", quantized, scale, np.zeros(len(scale), np.int64), 0)
    m.const("b", bias)
    kind = name.split()[0]
    more = {} if kind == "FULLY_CONNECTED" else {
        "StrideH": stride, "StrideW": stride, "DilationHFactor": 1, "DilationWFactor": 1}
    m.op(kind, ["x", "w", "b"], ["y"], {"FULLY_CONNECTED": "FullyConnectedOptions"}.get(
        kind, "Conv2DOptions"), **more)
    spatial = [-(-n // stride) for n in x_shape[1:-1]]
    m.tensors[m.index["y"]] = ("y", (x_shape[0], *spatial, w_shape[0]), "float32", None, None)
    graph = try_import("tflite", m.save(folder, ["x"], ["y"]), {"x": x}, ["y"])
    assert not isinstance(graph, str), graph
    w = quantized * scale.astype(np.float64).reshape(-1, *[1] * (len(w_shape) - 1))
    return graph, x, w, bias


def by_numpy(x, w, bias, stride):
    """TFLite's layer with the padding SAME."""
    x = x.astype(np.float64)
    if w.ndim == 2:
        return x @ w.T + bias
    _, kh, kw, _ = w.shape
    out = [-(-n // stride) for n in x.shape[1:3]]
    total = [max(0, (o - 1) * stride + k - n) for o, k, n in zip(out, (kh, kw), x.shape[1:3])]
    x = np.pad(x, ((0, 0), *((t // 2, t - t // 2) for t in total), (0, 0)))
    y = np.zeros((x.shape[0], *out, len(w)))
    for r in range(kh):
        for t in range(kw):
            part = x[:, r:r + (out[0] - 1) * stride + 1:stride,
                     t:t + (out[1] - 1) * stride + 1:stride]
            y += part @ w[:, r, t].T
    return y + bias


def plan_of(graph, folder, *flags):
    """What mace_run says of the plan and of memory."""
    folder.mkdir()
    write_model(graph, folder / "m.pb", folder / "m.data")
    return {stage: subprocess.run(
        [mace_run(), f"--model_file={folder / 'm.pb'}", f"--model_data_file={folder / 'm.data'}",
         "--device=GPU", "--wide", f"--dump={stage}", *flags], check=True, capture_output=True,
        text=True, timeout=600).stdout for stage in ("plan", "memory")}


def device_bytes(memory):
    return int(re.search(r"^device_weights +\d+ +(\d+)", memory, re.M)[1])


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_those_of_numpy(name, tmp_path):
    graph, x, w, bias = layer(name, tmp_path)
    want = by_numpy(x, w, bias, LAYERS[name][2])
    for kind, tolerance in TOLERANCE.items():
        flags = ["--device=GPU", f"--gpu_data_type={kind}"]
        message = plan_of(graph, tmp_path / f"plan {kind}", flags[1])
        assert " on GPU: " in message["plan"] and ", weights i8" in message["plan"], message["plan"]
        run = Run(kind, graph, {"x": x})
        run_all([run], tmp_path / kind, flags)
        assert not run.error, run.error
        assert relative_error(run.outputs["y"], want) < tolerance


def test_half_the_bytes_of_fp16(tmp_path):
    graph = layer("FULLY_CONNECTED", tmp_path)[0]
    quantized = plan_of(graph, tmp_path / "quantized")
    for tensor in graph.tensors.values():
        tensor.packed, tensor.stored = None, ""
    floats = plan_of(graph, tmp_path / "floats")
    assert ": fully_connected, weights i8," in quantized["plan"]
    assert ": fully_connected," in floats["plan"] and "weights i8" not in floats["plan"]
    assert device_bytes(floats["memory"]) > 2 * 517 * 700
    assert 517 * 700 < device_bytes(quantized["memory"]) < 0.51 * device_bytes(floats["memory"])


def test_weights_only_of_8_and_4_bits(tmp_path):
    """The GPU reads int8, and says what becomes of others."""
    graph, x, w, bias = layer("FULLY_CONNECTED", tmp_path)
    for tensor in graph.tensors.values():
        tensor.packed, tensor.stored, tensor.source_quant = None, "", None
    message = {"int8": ": fully_connected, weights i8,",
            "int4": "weights f16 (kernels read int8 only)"}
    for kind, text in message.items():
        made = store_weights(graph, kind).graph
        plan = plan_of(made, tmp_path / f"plan {kind}")["plan"]
        assert text in plan, plan
        run = Run(kind, made, {"x": x})
        run_all([run], tmp_path / kind, ["--device=GPU", "--gpu_data_type=fp32_fp32"])
        assert not run.error, run.error
        rounded = made.tensors[made.nodes[0].inputs[1]].data
        assert relative_error(run.outputs["y"], x @ rounded.T + bias) < 1e-5
    assert relative_error(run.outputs["y"], by_numpy(x, w, bias, 1)) > 1e-4


@pytest.mark.parametrize("name", MODELS)
def test_quantized_models_stay_quantized(name, tmp_path):
    graph = import_model("tflite", FOLDER / name, {}, None)
    compute_in_float32(graph)
    message = plan_of(graph, tmp_path / "plan")
    on_gpu = [line for line in message["plan"].splitlines()
              if re.match(r"\d+ (DepthwiseC|C)onv2d .* on GPU: ", line)]
    assert not on_gpu or any(", weights i8" in line for line in on_gpu), message["plan"]
