"""ONNX models in fp16 run on the CPU and on the GPU, with the results of ONNX Runtime.

SPDX-License-Identifier: Apache-2.0

ONNX Runtime's CPU, too, computes fp16 in float32; its results are rounded to fp16 where ours are
within the last place.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import Arrays, Run, import_model, run_all

from mace_tools.convert import emit
from mace_tools.support import protos
from mace_tools.support.protos import cache_dir
from mace_tools.testing.by_onnxruntime import Session
from mace_tools.testing.onnx_file import graph, info, node, onnx

H, F = np.float16, np.float32
POCL = Path("/etc/OpenCL/vendors/pocl.icd")
ULP = 2.0**-10  # of fp16, relative to the largest value
RNG = np.random.default_rng(0)


def half(*shape: int, scale: float = 1) -> np.ndarray:
    return (RNG.standard_normal(shape) * scale).astype(H)


X = half(1, 8, 12, 12)
BN = {k: np.abs(half(8)) + H(0.1) for k in "sbmv"}
ODD = np.array([6e-8, 1e-7, 6.1e-5, -65504, np.nan, np.inf, -np.inf, -0.0], H)
# Name: the nodes; the inputs; the outputs with their types; the constants.
Case = tuple[list[Any], Arrays, dict[str, Any], Arrays]
CASES: dict[str, Case] = {
    "Conv": ([node("Conv", "x w b", "y", pads=[1] * 4)], {"x": X}, {"y": H},
             {"w": half(16, 8, 3, 3, scale=0.1), "b": half(16)}),
    "Conv in groups": ([node("Conv", "x w", "y", group=2)], {"x": X}, {"y": H},
                       {"w": half(8, 4, 3, 3)}),
    "depthwise Conv": ([node("Conv", "x w", "y", group=8)], {"x": X}, {"y": H},
                       {"w": half(8, 1, 3, 3)}),
    "ConvTranspose": ([node("ConvTranspose", "x w", "y", strides=[2, 2])], {"x": X}, {"y": H},
                      {"w": half(8, 4, 3, 3, scale=0.1)}),
    "Conv, BatchNormalization, Relu": (
        [node("Conv", "x w", "c"), node("BatchNormalization", "c s b m v", "d"),
         node("Relu", "d", "y")], {"x": X}, {"y": H}, {"w": half(8, 8, 1, 1), **BN}),
    "BatchNormalization": ([node("BatchNormalization", "x s b m v", "y")], {"x": X}, {"y": H}, BN),
    "MatMul": ([node("MatMul", "x w", "y")], {"x": half(3, 20)}, {"y": H}, {"w": half(20, 7)}),
    "MatMul of inputs": ([node("MatMul", "x z", "y")],
                         {"x": half(2, 3, 20), "z": half(2, 20, 5)}, {"y": H}, {}),
    "Gemm": ([node("Gemm", "x w b", "y", alpha=0.5, beta=2.0)], {"x": half(3, 20)}, {"y": H},
             {"w": half(20, 7), "b": half(7)}),
    "elementwise": ([node("Add", "x c", "a"), node("Mul", "a x", "b"), node("Sub", "b c", "d"),
                     node("Div", "d e", "f"), node("Max", "f e", "y")], {"x": X}, {"y": H},
                    {"c": half(8, 1, 1), "e": np.array(3, H)}),
    "functions": ([node("Exp", "x", "a"), node("Sqrt", "a", "b"), node("Erf", "b", "c"),
                   node("Pow", "c e", "d"), node("Neg", "d", "y")], {"x": X}, {"y": H},
                  {"e": np.array(2, H)}),
    "activations": ([node("LeakyRelu", "x", "a"), node("Sigmoid", "a", "b"), node("Tanh", "b", "c"),
                     node("Elu", "c", "d"), node("PRelu", "d s", "y")], {"x": X}, {"y": H},
                    {"s": half(8, 1, 1)}),
    "Softmax": ([node("Softmax", "x", "y", axis=1), node("LogSoftmax", "x", "z", axis=1)], {"x": X},
                {"y": H, "z": H}, {}),
    "masked Softmax": ([node("Add", "x m", "a"), node("Softmax", "a", "y")], {"x": half(4, 4)},
                       {"y": H}, {"m": np.where(np.tri(4, dtype=bool), 0, -np.inf).astype(H)}),
    "Reduce": ([node("ReduceMean", "x", "y", axes=[2, 3]), node("ReduceMax", "x", "z", axes=[1])],
               {"x": X}, {"y": H, "z": H}, {}),
    "Resize": ([node("Resize", "x - s", "y", mode="linear"),
                node("Resize", "x - s", "z", mode="nearest"),
                node("Resize", "x - - n", "u", mode="nearest")], {"x": X},
               {"y": H, "z": H, "u": H},
               {"s": np.array([1, 1, 2, 2], F), "n": np.array([1, 8, 6, 18])}),
    "Clip": ([node("Clip", "x lo hi", "y"), node("Clip", "x lo", "z")], {"x": X}, {"y": H, "z": H},
             {"lo": np.array(-0.5, H), "hi": np.array(0.25, H)}),
    "pooling": ([node("MaxPool", "x", "a", kernel_shape=[2, 2]),
                 node("AveragePool", "a", "b", kernel_shape=[2, 2]),
                 node("GlobalAveragePool", "b", "y")], {"x": X}, {"y": H}, {}),
    "Where": ([node("Greater", "x k", "c"), node("Where", "c x k", "y")], {"x": X},
              {"y": H, "c": np.bool_}, {"k": np.array(0.5, H)}),
    "TopK, ArgMax": ([node("TopK", "x k", "v i"), node("ArgMax", "x", "y")],
                     {"x": half(4, 16)}, {"v": H, "i": np.int64, "y": np.int64},
                     {"k": np.array([3])}),
    "views": ([node("Reshape", "x s", "a"), node("Transpose", "a", "b", perm=[1, 0]),
               node("Concat", "b b", "y", axis=0), node("Gather", "x i", "z", axis=2)],
              {"x": X}, {"y": H, "z": H}, {"s": np.array([8, -1]), "i": np.array([1, 0])}),
    "Pad": ([node("Pad", "x p v", "y")], {"x": X}, {"y": H},
            {"p": np.array([0, 0, 1, 1, 0, 0, 2, 2]), "v": np.array(1.5, H)}),
    "ConstantOfShape": (
        [node("Shape", "x", "s"), node("ConstantOfShape", "s", "f", value=np.array([2.7], H)),
         node("Add", "x f", "y")], {"x": X}, {"y": H}, {}),
    "a Cast to and from float32": (
        [node("Cast", "x", "a", to=1), node("Exp", "a", "b"), node("Cast", "b", "c", to=10),
         node("Add", "c c", "y")], {"x": X}, {"y": H}, {}),
    "mixed": ([node("Conv", "x w", "a"), node("Cast", "a", "b", to=1), node("MatMul", "b m", "c"),
               node("Cast", "c", "d", to=10), node("Relu", "d", "y")], {"x": X},
              {"y": H, "c": F}, {"w": half(8, 8, 1, 1), "m": RNG.random((12, 5), F)}),
    "fp16 within float32": (
        [node("Cast", "x", "a", to=10), node("Conv", "a w", "b"), node("Cast", "b", "y", to=1)],
        {"x": X.astype(F)}, {"y": F}, {"w": half(8, 8, 1, 1)}),
    "a Cast rounds": ([node("Cast", "x", "a", to=10), node("Cast", "a", "y", to=1)],
                      {"x": np.array([1e6, 1 + 2**-12, 1e-8, np.nan, -np.inf, 3e-8, 65519, 65520],
                                     F)}, {"y": F}, {}),
    "integers": ([node("Cast", "x", "a", to=10), node("Mul", "a k", "y"),
                  node("Cast", "y", "z", to=7)], {"x": np.array([2049, 60001, -7], np.int32)},
                 {"y": H, "z": np.int64}, {"k": np.array(1, H)}),
    "a comparison": ([node("Less", "x k", "c"), node("Cast", "c", "a", to=10),
                      node("Mul", "a x", "y")], {"x": X}, {"y": H}, {"k": np.array(0.5, H)}),
    "overflow": ([node("Mul", "x k", "y")], {"x": half(10)}, {"y": H},
                 {"k": np.array(60000, H)}),
    "subnormal and not finite": ([node("Mul", "x k", "y"), node("IsNaN", "x", "z")], {"x": ODD},
                                 {"y": H, "z": np.bool_}, {"k": np.array(1, H)}),
    "scalars": ([node("Mul", "x k", "y")], {"x": np.array(2.5, H)}, {"y": H},
                {"k": np.array(3, H)}),
    "no elements": ([node("Add", "x k", "y")], {"x": np.zeros((0, 3), H)}, {"y": H},
                    {"k": np.array(1, H)}),
    "constants only": ([node("Add", "x k", "y"), node("Mul", "k k", "z")], {"x": half(3)},
                       {"y": H, "z": H}, {"k": np.array(3, H)}),
    "the input": ([node("Identity", "x", "y")], {"x": X}, {"y": H}, {}),
    "an output that is read": ([node("Relu", "x", "y"), node("Sigmoid", "y", "z")], {"x": X},
                               {"y": H, "z": H}, {}),
    "LSTM": ([node("LSTM", "x w r b", "y h c", hidden_size=5)], {"x": half(4, 2, 3)},
             {"y": H, "h": H, "c": H}, {"w": half(1, 20, 3), "r": half(1, 20, 5),
                                        "b": half(1, 40)}),
    "GRU": ([node("Identity", "v", "w"), node("GRU", "x w r b", "y h", hidden_size=5)],
            {"x": half(4, 2, 3)}, {"y": H, "h": H},
            {"v": half(1, 15, 3), "r": half(1, 15, 5), "b": half(1, 30)}),
    "If": ([node("If", "c", "y", "choose", then_branch=graph(
        "then", [node("Add", "x k", "t")], {}, ["t"], {"k": np.array(2, H)}, H),
        else_branch=graph("else", [node("Neg", "x", "t")], {}, ["t"], None, H))],
        {"x": X}, {"y": H}, {"c": np.array(True)}),
    "a network for the GPU": (
        [node("Conv", "x w", "a", pads=[1] * 4), node("Relu", "a", "b"),
         node("Conv", "b v", "c", pads=[1] * 4), node("Add", "c b", "d"),
         node("GlobalAveragePool", "d", "y")], {"x": half(1, 32, 64, 64)}, {"y": H},
        {"w": half(64, 32, 3, 3, scale=0.06), "v": half(64, 64, 3, 3, scale=0.04)}),
}


def write(path: Path, case: Case) -> Path:
    nodes, inputs, outputs, constants = case
    proto = onnx().ModelProto(ir_version=8)
    proto.opset_import.add(version=13)
    proto.graph.CopyFrom(graph("g", nodes, {}, [], constants))
    proto.graph.input.extend(info(n, a.shape, a.dtype) for n, a in inputs.items())
    proto.graph.output.extend(info(n, None, t) for n, t in outputs.items())
    path.write_bytes(proto.SerializeToString())
    return path


@pytest.fixture(scope="module", params=["CPU", "GPU"])
def results(request, tmp_path_factory) -> tuple[dict[str, Run], dict[str, list[np.ndarray]]]:
    """The results of the engine and of ONNX Runtime for each case."""
    folder = tmp_path_factory.mktemp("fp16")
    runs, wanted = {}, {}
    for k, (name, case) in enumerate(CASES.items()):
        path = write(folder / f"{k}.onnx", case)
        runs[name] = Run(name, import_model("onnx", path, case[1], list(case[2])), case[1])
        wanted[name] = Session(path.read_bytes()).run(list(case[2]), case[1])
    flags = ["--device=CPU"]
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "GPU":
            if not POCL.is_file():
                pytest.skip(f"no {POCL}: install pocl-opencl-icd")
            patch.setenv("OCL_ICD_VENDORS", str(POCL))
            patch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
            flags = ["--device=GPU", "--gpu_data_type=fp32_fp32", f"--gpu_storage_path={folder}"]
        log = run_all(list(runs.values()), folder, flags)
    assert "the CPU takes over" not in log, log[-2000:]
    return runs, wanted


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_onnx_runtime(name, results):
    run, wanted = results[0][name], results[1][name]
    assert not run.error, run.error
    for output, want in zip(CASES[name][2], wanted):
        got, want = run.outputs[output], np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        a, b = got.astype(np.float64), want.astype(np.float64)
        odd = ~np.isfinite(b)
        np.testing.assert_array_equal(a[odd], b[odd])
        scale = np.abs(b[~odd]).max(initial=0)
        np.testing.assert_allclose(a[~odd], b[~odd], rtol=0, atol=ULP * scale)


@pytest.mark.parametrize("name", ["Conv", "Conv, BatchNormalization, Relu", "Gemm", "mixed"])
def test_matrices_stay_fp16_in_the_file(name, tmp_path):
    """Also constants into which others are folded; float32 constants stay float32."""
    case = CASES[name]
    graph = import_model("onnx", write(tmp_path / "m.onnx", case), case[1], list(case[2]))
    net, _ = emit.build(graph)
    stored = {tuple(t.dims): t.stored_type for t in net.tensors if len(t.dims) > 1}
    fp16_type = protos.mace().DT_HALF
    assert stored.pop((5, 12), 0) == 0 and set(stored.values()) == {fp16_type}


def test_bf16_weights_stay_bf16_in_the_file(tmp_path):
    weights = half(8, 8, 1, 1).astype(F)
    bits = (weights.view(np.uint32) >> 16).astype(np.uint16)
    weights = (bits.astype(np.uint32) << 16).view(F)
    nodes = [node("Conv", "x w", "y")]
    path = write(tmp_path / "m.onnx", (nodes, {"x": X.astype(F)}, {"y": F}, {"w": weights}))
    model = onnx().ModelProto.FromString(path.read_bytes())
    t = model.graph.initializer[0]
    t.data_type, t.raw_data = 16, bits.tobytes()
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = 16
    path.write_bytes(model.SerializeToString())
    run = Run("bf16", import_model("onnx", path, {"x": X.astype(F)}, ["y"]), {"x": X.astype(F)})
    assert emit.build(run.graph)[0].tensors[0].stored_type == protos.mace().DT_BFLOAT16
    run_all([run], tmp_path)
    want = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0], X.astype(F))
    assert not run.error, run.error
    np.testing.assert_allclose(run.outputs["y"], want, atol=2.0**-8 * np.abs(want).max())
