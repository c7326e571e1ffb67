"""Runs a Caffe model in OpenCV: Caffe itself can no longer be installed.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.importers.caffe import read
from mace_tools.convert.importers.caffe.reader import beside
from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge


def run(model: str, inputs: Arrays, outputs: list[str], weights: str | None = None,
        nudge: Nudge | None = None) -> list[np.ndarray]:
    import cv2

    file = Path(weights) if weights else beside(Path(model))
    source = read(Path(model), file)
    net = cv2.dnn.readNetFromCaffe(model, str(file) if file else "")
    net.enableFusion(False)  # the definition of the model, layer by layer
    if nudge is not None:
        _nudge(cv2, net, nudge)
    for name, array in inputs.items():
        if name not in source.inputs:
            raise ValueError(f"'{name}' is not an input of the model; OpenCV feeds no others")
        array = array.astype(np.float32)
        net.setInput(cv2.Mat(array) if array.ndim == 3 else array, name)  # axes, not channels
    keep = {out: node.attr("keep_top_k") for node in source.nodes for out in node.outputs
            if node.op == "DetectionOutput"}
    if min(keep.values(), default=1) < 1:
        raise ValueError("OpenCV fails without a keep_top_k of DetectionOutput")
    # OpenCV names what a layer makes after the layer, or some layers after their top, and counts
    # the tops.
    known = set(net.getLayerNames())
    made = {out: (node.name if node.name in known else out.partition("@")[0], k)
            for node in source.nodes for k, out in enumerate(node.outputs)}
    found = net.forwardAndRetrieve([made[name][0] for name in outputs])
    arrays = [np.asarray(tops[made[name][1]]) for name, tops in zip(outputs, found)]
    return [in_caffes_order(array, keep[name]) if name in keep else array
            for name, array in zip(outputs, arrays)]


def in_caffes_order(found: np.ndarray, keep: int) -> np.ndarray:
    """The rows of DetectionOutput by image, class and score: OpenCV has them by score. Rows that
    are not needed, which are 0 in OpenCV and absent in Caffe, are -1; an image has `keep` rows."""
    rows = found.reshape(-1, 7)
    result = np.full((len(rows) // keep, keep, 7), -1, np.float32)
    rows = rows[rows.any(1)]
    for image, place in enumerate(result):
        own = rows[rows[:, 0] == image]
        place[: len(own)] = own[np.lexsort((-own[:, 2], own[:, 1]))]
    return result.reshape(1, 1, -1, 7)


def _nudge(cv2: Any, net: Any, nudge: Nudge) -> None:
    """Changes the blobs of all layers."""
    for number, name in enumerate(net.getLayerNames()):
        for k in range(8):
            try:
                blob = net.getParam(name, k)
            except cv2.error:
                break  # the layer has no more
            net.setParam(name, k, nudge.of(np.asarray(blob), 8 * number + k))
