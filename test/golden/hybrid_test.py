"""Dynamic-range layers of TFLite: int8 weights, activations in float32. They compute what weights
stand for, in float32; LiteRT quantizes the activations in every run, so its results may differ
by half a step of these for each weight.

SPDX-License-Identifier: Apache-2.0
"""

import json
import subprocess

import numpy as np
import pytest
from golden import Run, mace_run, run_all, try_import

from mace_tools import cli
from mace_tools.convert import emit
from mace_tools.support import protos
from mace_tools.testing.by_litert import REFERENCE, litert
from mace_tools.testing.tflite_file import Maker

KINDS = ("FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D")
WAYS = [(kind, per_channel, asymmetric) for kind in KINDS for per_channel in (False, True)
        for asymmetric in (False, True)
        # LiteRT takes depthwise filters with a scale for each channel only.
        if (kind == "FULLY_CONNECTED" or not asymmetric)
        and (kind != "DEPTHWISE_CONV_2D" or per_channel)]


def model(kind, per_channel, asymmetric):
    """A layer: the model, its input, and the weights as floats [outputs, ...]."""
    d = np.random.default_rng(len(kind) + per_channel)
    shape = {"FULLY_CONNECTED": (9, 70), "CONV_2D": (6, 3, 3, 5),
             "DEPTHWISE_CONV_2D": (1, 3, 3, 8)}[kind]
    axis = 3 if kind == "DEPTHWISE_CONV_2D" else 0
    outputs = shape[axis]
    quantized = d.integers(-127, 128, shape).astype(np.int8)
    scale = d.uniform(0.002, 0.02, outputs if per_channel else 1).astype(np.float32)
    x = d.uniform(-1, 3, {"FULLY_CONNECTED": (4, 70), "CONV_2D": (1, 8, 7, 5),
                          "DEPTHWISE_CONV_2D": (1, 8, 7, 8)}[kind]).astype(np.float32)
    m = Maker()
    m.tensor("x", x.shape)
    m.tensor("w", shape, "int8", quantized, scale, np.zeros(len(scale), np.int64), axis)
    m.const("b", d.uniform(-1, 1, outputs).astype(np.float32))
    if kind == "FULLY_CONNECTED":
        m.op(kind, ["x", "w", "b"], ["y"], "FullyConnectedOptions",
             AsymmetricQuantizeInputs=asymmetric)
    else:
        more = {"DepthMultiplier": 1} if axis == 3 else {}
        m.op(kind, ["x", "w", "b"], ["y"], f"{'Depthwise' if axis else ''}Conv2DOptions",
             StrideH=1, StrideW=1, DilationHFactor=1, DilationWFactor=1, **more)
    m.tensors[m.index["y"]] = ("y", (*x.shape[:-1], outputs), "float32", None, None)
    wide = [1] * 4 if axis else [1] * len(shape)
    wide[axis] = -1
    floats = quantized * (scale.reshape(wide) if per_channel else scale)
    return m, x, floats.transpose(3, 0, 1, 2) if axis else floats


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """For each way our run, LiteRT's result, the input and the weights."""
    folder = tmp_path_factory.mktemp("grid")
    found = {}
    for k, way in enumerate(WAYS):
        m, x, w = model(*way)
        (folder / f"in{k}").mkdir()
        path = m.save(folder / f"in{k}", ["x"], ["y"])
        graph = try_import("tflite", path, {"x": x}, ["y"])
        assert not isinstance(graph, str), graph
        (want,) = litert(path.read_bytes(), {"x": x}, REFERENCE)
        found[way] = Run(f"case{k}", graph, {"x": x}), want, x, w
    run_all([f[0] for f in found.values()], folder, [])
    return found


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_it_is_within_the_rounding_of_litert(way, grid):
    run, want, x, w = grid[way]
    assert not run.error, run.error
    got = run.outputs["y"]
    # Asymmetric quantized values have a step of the whole range / 255; others of the largest
    # magnitude / 127.
    step = max(np.abs(x).max() / 127, (x.max() - min(0, x.min())) / 255)
    bound = step * 0.51 * np.abs(w).reshape(len(w), -1).sum(1)
    assert np.all(np.abs(got - want) <= bound + 1e-5), np.abs(got - want).max()
    assert not np.array_equal(got, want)
    cosine = np.vdot(got, want) / np.linalg.norm(got) / np.linalg.norm(want)
    assert cosine > 0.9999


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_it_computes_the_dequantized_values(way, grid):
    run, _, x, w = grid[way]
    if way[0] == "FULLY_CONNECTED":
        bias = run.graph.tensors[run.graph.nodes[0].inputs[2]].data
        np.testing.assert_allclose(run.outputs["y"], x @ w.T + bias, rtol=1e-5, atol=1e-4)
    net, _ = emit.build(run.graph)
    stored = {t.stored_type for t in net.tensors if len(t.dims) > 1}
    assert stored == {protos.mace().DT_INT8}


def test_packed_weights_keep_the_values_and_their_scales(grid, tmp_path):
    """What is packed a second time is packed from the plain weights in the packed file."""
    for k, (run, *_) in enumerate(grid.values()):
        folder = tmp_path / str(k)
        folder.mkdir()
        emit.write_model(run.graph, folder / "m.pb", folder / "m.data")
        np.save(folder / "x.npy", run.feeds["x"])

        def call(model, *flags, folder=folder):
            subprocess.run([mace_run(), f"--model_file={folder / model}.pb",
                            f"--model_data_file={folder / model}.data", *flags],
                           check=True, capture_output=True, timeout=60)  # fmt: skip

        for model, packed in (("m", "once"), ("once", "twice")):
            call(model, "--pack_weights=host", f"--packed_model={folder / packed}")
            call(packed, f"--input=x={folder / 'x.npy'}", f"--output_dir={folder}")
            np.testing.assert_array_equal(np.load(folder / "y.npy"), run.outputs["y"])


def test_run_validate_allows_for_litert_rounding_the_activations(tmp_path, capsys):
    m, _, _ = model("FULLY_CONNECTED", True, False)
    path = m.save(tmp_path, ["x"], ["y"])
    assert cli.main(["init", str(path)]) == 0
    (tmp_path / "my.yml").write_text(capsys.readouterr().out)
    assert cli.main(["run", f"--config={tmp_path / 'my.yml'}", f"--output={tmp_path}", "--validate",
                     f"--json={tmp_path / 'r.json'}"]) == 0  # fmt: skip
    (report,) = json.loads((tmp_path / "r.json").read_text())["models"].values()
    validation = report["validation"]
    assert validation["max_rel_error"] == 0.02
    assert 1e-3 < validation["outputs"][0]["max_rel_error"] < 0.02
