"""SSD detectors to their last layer: Caffe's against OpenCV, TFLite's against LiteRT.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from golden import Arrays, Run, import_model, run_all

from mace_tools import frameworks
from mace_tools.frameworks.by_caffe import in_caffes_order
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.testing.caffe_file import Net, by_opencv, uniform
from mace_tools.testing.detection import CLASSES, OUTPUTS, detector, head
from mace_tools.testing.tflite_file import Maker

RNG = np.random.default_rng(11)


def run(folder: Path, platform: str, path: Path, feeds: Arrays, outputs: list[str]) -> Run:
    one = Run("net", import_model(platform, path, feeds, outputs), feeds)
    run_all([one], folder)
    assert not one.error, one.error
    return one


def check_tflite(folder: Path, path: Path, feeds: Arrays, rows: int, known: int) -> None:
    """`rows` for each box that is found. LiteRT leaves what it likes in the rows that are not
    needed, from `known` on; ours are 0."""
    runner = Interpreter(model_path=str(path), num_threads=1)
    runner.allocate_tensors()
    for one in runner.get_input_details():
        runner.set_tensor(one["index"], feeds[one["name"]])
    runner.invoke()
    want = {o["name"]: runner.get_tensor(o["index"]) for o in runner.get_output_details()}
    got = run(folder, "tflite", path, feeds, OUTPUTS).outputs
    count = int(want["count"][0])
    assert 0 <= count and got["count"] == want["count"]
    for name in OUTPUTS[:3]:
        assert got[name].shape == want[name].shape
        end = max(count * rows, known)
        np.testing.assert_allclose(got[name][:, :end], want[name][:, :end], 1e-5, 1e-6)
        assert not got[name][:, count * rows :].any()


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("options, rows, known", [
    ({}, 1, 0), ({"nms_score_threshold": 0.9}, 1, 0), ({"nms_score_threshold": 2.0}, 1, 0),
    ({"max_classes_per_detection": 2}, 2, 0), ({"max_classes_per_detection": 3}, 3, 0),
    ({"nms_score_threshold": 0.8, "max_classes_per_detection": 2}, 2, 0),
    ({"max_detections": 20, "nms_iou_threshold": 0.1}, 1, 0),
    ({"use_regular_nms": True}, 1, 6), ({"use_regular_nms": True, "max_detections": 50}, 1, 50),
    ({"use_regular_nms": True, "detections_per_class": 1}, 1, 6),
    ({"use_regular_nms": True, "detections_per_class": 2, "nms_score_threshold": 0.7}, 1, 6),
    ({"use_regular_nms": True, "max_classes_per_detection": 2}, 1, 6),
    ({"use_regular_nms": True, "nms_score_threshold": 2.0}, 1, 6),
    ({"use_regular_nms": False, "y_scale": 8, "w_scale": 2.5}, 1, 0),
])
def test_the_operator_alone(tmp_path, background, options, rows, known):
    path, feeds = detector(tmp_path, background, **options)
    check_tflite(tmp_path, path, feeds, rows, known)


def test_a_score_that_equals_the_threshold_counts(tmp_path):
    path, feeds = detector(tmp_path, nms_score_threshold=0.5)
    feeds["scores"][:] = 0.25
    feeds["scores"][0, 7, 2] = 0.5
    check_tflite(tmp_path, path, feeds, 1, 0)
    found = run(tmp_path / "again", "tflite", path, feeds, OUTPUTS).outputs
    assert found["count"] == 1 and found["what"][0, 0] == 1


@pytest.mark.parametrize("regular", [True, False])
def test_an_ssd_of_tflite(tmp_path, regular):
    m, anchors, parts = Maker(), [], {"boxes": [], "scores": []}
    m.tensor("image", (1, 16, 16, 3))
    x, channels, size = "image", 3, 16
    for level in range(3):
        size //= 2
        w = RNG.normal(0, 0.3, (8, 3, 3, channels)).astype(np.float32)
        m.op("CONV_2D", [x, m.const(f"w{level}", w), m.const(f"b{level}", uniform(8))],
             [f"x{level}"], "Conv2DOptions", Padding=0, StrideH=2, StrideW=2,
             FusedActivationFunction=3)
        x, channels = f"x{level}", 8
        for kind, count in (("boxes", 4), ("scores", CLASSES + 1)):
            name = f"{kind}{level}"
            w = RNG.normal(0, 0.5, (2 * count, 1, 1, 8)).astype(np.float32)
            m.op("CONV_2D", [x, m.const(f"{name}/w", w), m.const(f"{name}/b", uniform(2 * count))],
                 [f"{name}/y"], "Conv2DOptions", StrideH=1, StrideW=1)
            m.op("RESHAPE", [f"{name}/y", m.const(f"{name}/s", np.int32([1, -1, count]))], [name])
            parts[kind].append(name)
        centres = (np.stack(np.mgrid[:size, :size], -1).reshape(-1, 1, 2) + 0.5) / size
        sizes = np.broadcast_to(np.float32([[1.2, 1.2], [1.6, 0.8]]) / size, (size**2, 2, 2))
        anchors.append(np.concatenate([np.broadcast_to(centres, sizes.shape), sizes], 2))
    for kind, names in parts.items():
        m.op("CONCATENATION", names, [kind], "ConcatenationOptions", Axis=1)
    m.op("LOGISTIC", ["scores"], ["points"])
    m.const("anchors", np.concatenate([a.reshape(-1, 4) for a in anchors]).astype(np.float32))
    head(m, "boxes", "points", "anchors", use_regular_nms=regular, max_detections=10)
    path = m.save(tmp_path, ["image"], OUTPUTS)
    check_tflite(tmp_path, path, {"image": uniform(1, 16, 16, 3)}, 1, 10 if regular else 0)


def ssd_of_caffe() -> Net:
    net, x, channels = Net({"data": (1, 3, 32, 32)}), "data", 3
    parts: dict[str, list[str]] = {"mbox_loc": [], "mbox_conf": [], "mbox_priorbox": []}
    for level in range(2):
        net.layer("Convolution", [x], f"conv{level}",
                  "convolution_param { num_output: 8 kernel_size: 3 stride: 4 pad: 1 }",
                  0.4 * uniform(8, channels, 3, 3), uniform(8))
        net.layer("ReLU", [f"conv{level}"], f"conv{level}", name=f"relu{level}")
        x, channels = f"conv{level}", 8
        for kind, count in (("mbox_loc", 4), ("mbox_conf", CLASSES)):
            name = f"conv{level}_{kind}"
            net.layer("Convolution", [x], name,
                      f"convolution_param {{ num_output: {4 * count} kernel_size: 1 }}",
                      2 * uniform(4 * count, 8, 1, 1), uniform(4 * count))
            net.layer("Permute", [name], f"{name}_perm",
                      "permute_param { order: 0 order: 2 order: 3 order: 1 }")
            net.layer("Flatten", [f"{name}_perm"], f"{name}_flat")
            parts[kind].append(f"{name}_flat")
        net.layer("PriorBox", [x, "data"], f"prior{level}",
                  f"prior_box_param {{ min_size: {8 + 8 * level} max_size: {16 + 8 * level} "
                  "aspect_ratio: 2 flip: true clip: true variance: 0.1 variance: 0.1 "
                  "variance: 0.2 variance: 0.2 }")
        parts["mbox_priorbox"].append(f"prior{level}")
    for kind, names in parts.items():
        axis = 2 if kind == "mbox_priorbox" else 1
        net.layer("Concat", names, kind, f"concat_param {{ axis: {axis} }}")
    net.layer("Reshape", ["mbox_conf"], "reshaped",
              f"reshape_param {{ shape {{ dim: 0 dim: -1 dim: {CLASSES} }} }}")
    net.layer("Softmax", ["reshaped"], "softmax", "softmax_param { axis: 2 }")
    net.layer("Flatten", ["softmax"], "mbox_conf_flatten")
    net.layer("DetectionOutput", ["mbox_loc", "mbox_conf_flatten", "mbox_priorbox"], "found",
              f"detection_output_param {{ num_classes: {CLASSES} share_location: true "
              "background_label_id: 0 code_type: CENTER_SIZE keep_top_k: 20 "
              "confidence_threshold: 0.1 variance_encoded_in_target: false "
              "nms_param { nms_threshold: 0.45 top_k: 100 } }")
    return net


def test_an_ssd_of_caffe(tmp_path):
    path, feeds = ssd_of_caffe().save(tmp_path), {"data": uniform(1, 3, 32, 32)}
    want = in_caffes_order(by_opencv(path, feeds, "found")[0], 20)
    one = run(tmp_path, "caffe", path, feeds, ["found"])
    assert (want[..., 2] > 0).sum() > 5
    np.testing.assert_allclose(one.outputs["found"], want, 1e-4, 1e-5)
    assert "NonMaxSuppression" in {node.op for node in one.graph.nodes}
    again = frameworks.run("caffe", path, feeds, ["found"])["found"]  # as --validate does
    np.testing.assert_array_equal(again, want)


def test_opencv_fails_where_all_boxes_are_kept(tmp_path):
    net = ssd_of_caffe()
    net.text = net.text.replace("keep_top_k: 20", "")
    with pytest.raises(RunFailedError, match="OpenCV fails without a keep_top_k"):
        frameworks.run("caffe", net.save(tmp_path), {"data": uniform(1, 3, 32, 32)}, ["found"])
