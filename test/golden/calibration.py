"""The models of the test data with their stored answers, and other inputs for them by which models
are calibrated: crops of images, which are never the stored inputs.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from golden import Arrays, data_folder, import_model
from PIL import Image

from mace_tools.graph.ir import Graph

# How a stored image becomes the input: `feed` of its case.json, without the words around it.
FEEDS = {
    "v/127.5-1": lambda v: v / 127.5 - 1,
    "(v-127)/128": lambda v: (v - 127) / 128,
    "v/255": lambda v: v / 255,
    "v": lambda v: v,
    "v-(104,117,123) per channel (axis 1)":
        lambda v: v - np.array([104, 117, 123], np.float32)[:, None, None],
    "(v-127.5)/128": lambda v: (v - 127.5) / 128,
}
# Of models of images whose inputs are stored as floats.
_OF_FLOATS = {"caffe/mtcnn": "(v-127.5)/128", "tflite/resnet8_cifar10": "v"}
_MIN_PART = 0.3  # of an image's side


@dataclass
class Case:
    """A stored input of a model and its stored outputs. `feed`: a key of FEEDS, or nothing."""

    name: str
    input: str
    x: np.ndarray
    outputs: Arrays
    layout: str
    feed: str


def cases_of(folder: str, model: str) -> list[Case]:
    """The cases of a model, by the folder below the models' and the model's name in case.json."""
    found = []
    for path in sorted((data_folder("models") / folder).glob("*/case.json")):
        report = json.loads(path.read_text())
        if report.get("model", model) != model:
            continue
        (name, given), = report["inputs"].items()
        x = np.load(path.parent / given["file"])
        feed = _OF_FLOATS.get(folder, "")
        if x.dtype == np.uint8:
            feed = re.fullmatch(r"float32 (.+) of the stored uint8 v \(exact\)", given["feed"])[1]
            x = FEEDS[feed](x.astype(np.float32)).astype(np.float32)
        outputs = {n: np.load(path.parent / o["file"]) for n, o in report["outputs"].items()
                   if n != "argmax"}
        found.append(Case(path.parent.name, name, x, outputs,
                          report.get("layout", ""), feed))
    assert found, f"no case of {model} in {folder}"
    return found


def graph_of(folder: str, file: str, cases: list[Case]) -> Graph:
    """The canonical graph, for one image at a time."""
    first = cases[0]
    path = data_folder("models") / folder / file
    return import_model(folder.split("/")[0], path, {first.input: first.x[:1]},
                        list(first.outputs))


def crops(case: Case, count: int, seed: int) -> Iterator[Arrays]:
    """Inputs like those of the case, of random parts of the images, some of them mirrored.
    REQUIRES: the inputs are made of images."""
    random = np.random.default_rng(seed)
    paths: list[Path] = sorted((data_folder("models") / "images").glob("*.[jb]*"))
    pictures = [Image.open(path).convert("RGB") for path in paths]
    first_is_channels = case.x.shape[1] == 3
    height, width = case.x.shape[2:] if first_is_channels else case.x.shape[1:3]
    if "swapped" in case.layout:
        height, width = width, height
    for k in range(count):
        picture, part = pictures[k % len(pictures)], random.uniform(_MIN_PART, 1)
        tall = min(picture.height, picture.width * height / width) * part
        wide = tall * width / height
        left = random.uniform(0, picture.width - wide)
        top = random.uniform(0, picture.height - tall)
        box = (left, top, left + wide, top + tall)
        x = np.asarray(picture.resize((width, height), Image.Resampling.BILINEAR, box=box))
        x = x[:, ::-1] if random.uniform() < 0.5 else x
        x = x[:, :, ::-1] if "BGR" in case.layout else x
        x = x.transpose(1, 0, 2) if "swapped" in case.layout else x
        x = x.transpose(2, 0, 1) if first_is_channels else x
        fed = FEEDS[case.feed](x[None].astype(np.float32))
        yield {case.input: np.ascontiguousarray(fed, np.float32)}
