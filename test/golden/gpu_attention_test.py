"""Attention and GridSample on the GPU (PoCL, or what OCL_ICD_VENDORS names) against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import numpy as np
import onnx
import pytest
from golden import Run, mace_run, relative_error, run_all, try_import
from onnx import helper

from mace_tools.convert.emit import write_model
from mace_tools.support.protos import cache_dir
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.needed import need_pocl

pytestmark = pytest.mark.full
# The largest error by the type of the images, over the largest output.
TOLERANCE = {"fp32_fp32": 1e-5, "fp16_fp32": 5e-3}
RNG = np.random.default_rng(17)
HEADS, QUERIES, KEYS, DEPTH, VALUES = 4, 150, 203, 48, 68


@pytest.fixture(scope="module", autouse=True)
def pocl():
    driver = need_pocl()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(driver))
        patch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
        yield


def model(nodes, feeds, constants, opset):
    tensors = [onnx.numpy_helper.from_array(v, n) for n, v in constants.items()]
    inputs = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, v.shape)
              for n, v in feeds.items()]
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    return helper.make_model(helper.make_graph(nodes, "g", inputs, [y], tensors),
                             opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def attention(mask):
    """As exporters write it out."""
    feeds = {"q": (2, HEADS, QUERIES, DEPTH), "k": (2, HEADS, DEPTH, KEYS),
             "v": (2, HEADS, KEYS, VALUES)}
    feeds = {n: RNG.uniform(-2, 2, s).astype(np.float32) for n, s in feeds.items()}
    constants = {"scale": np.float32(DEPTH ** -0.5)}
    nodes = [helper.make_node("MatMul", ["q", "k"], ["products"]),
             helper.make_node("Mul", ["products", "scale"], ["scores"])]
    scores = "scores"
    if mask:
        # Half of the keys of one query are left out by a large number, all of another.
        constants["mask"] = np.zeros((QUERIES, KEYS), np.float32)
        constants["mask"][3, ::2] = constants["mask"][7] = np.finfo(np.float32).min
        nodes.append(helper.make_node("Add", ["scores", "mask"], ["masked"]))
        scores = "masked"
    nodes += [helper.make_node("Softmax", [scores], ["weights"], axis=-1),
              helper.make_node("MatMul", ["weights", "v"], ["y"])]
    return model(nodes, feeds, constants, 13), feeds


def grid_sample(mode, padding):
    """Of the result of a convolution, which makes the GPU worth while."""
    feeds = {"x": RNG.uniform(-1, 1, (2, 16, 120, 110)).astype(np.float32)}
    # Constant positions stay float in fp16 models.
    constants = {"grid": RNG.uniform(-1.3, 1.3, (2, 60, 70, 2)).astype(np.float32),
                 "w": RNG.uniform(-0.1, 0.1, (19, 16, 3, 3)).astype(np.float32)}
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
             helper.make_node("GridSample", ["c", "grid"], ["y"], mode=mode, padding_mode=padding,
                              align_corners=int(padding == "border"))]
    return model(nodes, feeds, constants, 16), feeds


CASES = {"Attention": lambda: attention(False), "Attention with a mask": lambda: attention(True),
         **{f"GridSample {m} {p}": lambda m=m, p=p: grid_sample(m, p)
            for m, p in (("bilinear", "zeros"), ("bicubic", "reflection"), ("nearest", "border"))}}


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_onnxruntime_computes(name, tmp_path):
    net, feeds = CASES[name]()
    onnx.save(net, tmp_path / "m.onnx")
    want = Session(net.SerializeToString()).run(None, feeds)[0]
    graph = try_import("onnx", tmp_path / "m.onnx", feeds, ["y"])
    assert not isinstance(graph, str), graph
    op = name.split()[0]
    assert [n.op for n in graph.nodes].count(op) == 1, [n.op for n in graph.nodes]
    write_model(graph, tmp_path / "m.pb", tmp_path / "m.data")
    plan = subprocess.run(
        [mace_run(), f"--model_file={tmp_path / 'm.pb'}", "--device=GPU", "--dump=plan",
         f"--model_data_file={tmp_path / 'm.data'}"], check=True, capture_output=True, text=True,
        timeout=600).stdout
    assert any(f" {op} " in line and " on GPU: " in line for line in plan.splitlines()), plan
    for kind, tolerance in TOLERANCE.items():
        run = Run(kind, graph, feeds)
        run_all([run], tmp_path / kind, ["--device=GPU", f"--gpu_data_type={kind}"])
        assert not run.error, run.error
        assert relative_error(run.outputs["y"], want) < tolerance


def test_images_of_attention_are_no_matrix_of_scores(tmp_path):
    """What the plan reserves is the operands and the result."""
    net, feeds = attention(False)
    onnx.save(net, tmp_path / "m.onnx")
    graph = try_import("onnx", tmp_path / "m.onnx", feeds, ["y"])
    write_model(graph, tmp_path / "m.pb", tmp_path / "m.data")
    message = subprocess.run(
        [mace_run(), f"--model_file={tmp_path / 'm.pb'}", "--device=GPU", "--dump=plan",
         f"--model_data_file={tmp_path / 'm.data'}", "--gpu_data_type=fp32_fp32"], check=True,
        capture_output=True, text=True, timeout=600).stdout
    image_bytes = int(message.split(" images of ")[1].split()[0])
    operands = sum(v.size for v in feeds.values()) + 2 * HEADS * QUERIES * VALUES
    assert image_bytes < 4 * operands + 4 * 2 * HEADS * QUERIES * KEYS / 2, message
