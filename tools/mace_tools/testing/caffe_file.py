"""Writes small Caffe networks with random weights, for tests, and runs them in OpenCV.

SPDX-License-Identifier: Apache-2.0
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from mace_tools.testing import goldens

RNG = np.random.default_rng(3)


def uniform(*shape: int) -> np.ndarray:
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def wire(number: int, value: bytes | str | int) -> bytes:
    """A field of a protobuf message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    value = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def blob(array: np.ndarray, legacy: bool = False) -> bytes:
    """A BlobProto; `legacy`: with four extents, as before Caffe 1.0."""
    array = np.asarray(array, "<f4")
    if legacy:
        shape = (1,) * (4 - array.ndim) + array.shape
        head = b"".join(wire(k + 1, e) for k, e in enumerate(shape))
    else:
        head = wire(7, wire(1, b"".join(_varint(e) for e in array.shape)))
    return head + wire(5, array.tobytes())


@dataclass
class Net:
    """A network that grows layer by layer."""

    inputs: Mapping[str, Sequence[int]]
    text: str = ""
    weights: list[tuple[str, str, list[np.ndarray]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, shape in self.inputs.items():
            dims = " ".join(f"dim: {e}" for e in shape)
            self.layer("Input", (), name, f"input_param {{ shape {{ {dims} }} }}")

    def layer(self, kind: str, bottoms: Sequence[str], tops: str, settings: str = "",
              *blobs: np.ndarray, name: str = "") -> None:
        """`tops` are words; the first one is the name of the layer, unless `name` is given."""
        name = name or tops.split()[0]
        lines = [f'name: "{name}"', f'type: "{kind}"', *(f'bottom: "{b}"' for b in bottoms),
                 *(f'top: "{t}"' for t in tops.split()), settings]
        self.text += "layer {\n" + "".join(f"  {line}\n" for line in lines if line) + "}\n"
        if blobs:
            self.weights.append((name, kind, list(blobs)))

    def save(self, folder: Path, legacy: bool = False) -> Path:
        """Writes net.prototxt and, if there are weights, net.caffemodel; returns the former."""
        path = folder / "net.prototxt"
        path.write_text(self.text)
        layers = [wire(100, wire(1, name) + wire(2, kind)
                       + b"".join(wire(7, blob(b, legacy)) for b in blobs))
                  for name, kind, blobs in self.weights]
        path.with_suffix(".caffemodel").write_bytes(wire(1, "net") + b"".join(layers)
                                                    + (b"" if layers else wire(100, wire(1, "x"))))
        return path


def by_opencv(path: Path, feeds: Mapping[str, np.ndarray], layer: str) -> list[np.ndarray]:
    """What a layer makes of these inputs. Errors: cv2.error."""
    found = goldens.kept(["opencv-python-headless"],
                         path.read_bytes() + path.with_suffix(".caffemodel").read_bytes(),
                         feeds, layer, lambda: _computed(path, feeds, layer))
    if isinstance(found, str):
        raise cv2.error(found)
    return found


def _computed(path: Path, feeds: Mapping[str, np.ndarray], layer: str) -> list[np.ndarray] | str:
    """The outputs, or OpenCV's error."""
    try:
        net = cv2.dnn.readNetFromCaffe(str(path), str(path.with_suffix(".caffemodel")))
        net.enableFusion(False)
        for name, array in feeds.items():
            net.setInput(cv2.Mat(array) if array.ndim == 3 else array, name)  # not channels
        return [np.asarray(a) for a in net.forwardAndRetrieve([layer])[0]]
    except cv2.error as e:
        return str(e)


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)
