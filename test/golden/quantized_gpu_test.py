"""TFLite's quantized models as they are converted for the GPU: in float32, with weights stored
quantized.
The best class of each stored output stays, on the GPU and on the CPU.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest
from golden import Run, data_folder, import_model, run_all

from mace_tools.convert import emit
from mace_tools.convert.passes.compute_in_float32 import compute_in_float32
from mace_tools.support import protos

pytestmark = pytest.mark.full
FOLDER = data_folder("models", "tflite")
MODELS = ("vww_96/vww_96_int8.tflite", "resnet8_cifar10/pretrainedResnet_quant.tflite",
          "kws_dscnn_mlperf/kws_ref_model_int8.tflite",
          "mobilenet_v1_025_224/mobilenet_v1_0.25_224_quant.tflite")


def cases(name):
    """The model, and its inputs and outputs."""
    path = FOLDER / name
    for case in sorted(path.parent.glob("*/case.json")):
        if json.loads(case.read_text())["model"] == path.name:
            yield np.load(case.parent / "input_0.npy"), np.load(case.parent / "output_0.npy")


@pytest.mark.parametrize("device", ["CPU", "GPU"])
@pytest.mark.parametrize("name", MODELS)
def test_the_best_class_stays(name, device, tmp_path):
    found = list(cases(name))
    runs = []
    for k, (x, _) in enumerate(found):
        graph = import_model("tflite", FOLDER / name, {}, None)
        assert compute_in_float32(graph) and not compute_in_floats_again(graph)
        runs.append(Run(f"case{k}", graph, {graph.inputs[0]: x}))
    run_all(runs, tmp_path, [f"--device={device}"])
    for run, (_, want) in zip(runs, found):
        assert not run.error, run.error
        got = run.outputs[run.graph.outputs[0]]
        assert got.dtype == want.dtype and got.argmax() == want.argmax()
        # Quantized values of a softmax; the more layers, the more of them were rounded in the
        # source.
        assert np.abs(got.astype(int) - want).max() <= 16
    assert len(found) >= 3


def compute_in_floats_again(graph):
    """Whether nodes other than those at the ends are quantized."""
    return any(n.op not in ("Quantize", "Dequantize") for n in graph.nodes if graph.is_quantized(n))


@pytest.mark.parametrize("name", MODELS)
def test_weights_are_stored_quantized(name):
    """Those of depthwise convolutions have scales of channels, those of uint8 a zero point."""
    graph = import_model("tflite", FOLDER / name, {}, None)
    before = emit.build(graph)[0].data_bytes
    compute_in_float32(graph)
    net = emit.build(graph)[0]
    filters = [t for t in net.tensors if len(t.dims) == 4]
    assert filters and all(t.stored_type == protos.mace().DT_INT8 for t in filters)
    assert net.data_bytes < before * 1.06
