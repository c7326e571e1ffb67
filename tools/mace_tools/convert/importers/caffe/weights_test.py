"""Blobs whose numbers are bytes of a type, as NVIDIA's fork of Caffe writes them.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert import importers
from mace_tools.convert.importers.caffe.weights import read_weights
from mace_tools.convert.passes.pipeline import convert
from mace_tools.support.errors import ModelError
from mace_tools.testing.caffe_file import wire

VALUES = np.array([[1.5, -2.25, 6e-5], [65504, 0, 3]])
SHAPE = wire(7, wire(1, b"\x02\x03"))


def written(folder, *parts):
    path = folder / "net.caffemodel"
    path.write_bytes(wire(100, wire(1, "c") + wire(7, b"".join(parts))))
    return path


@pytest.mark.parametrize("number, kind", [(0, "<f8"), (1, "<f4"), (2, "<f2"), (3, "<i4"),
                                          (4, "<u4")])
def test_numbers_as_bytes(tmp_path, number, kind):
    values = np.abs(VALUES).astype(kind) if kind == "<u4" else VALUES.astype(kind)
    parts = SHAPE, wire(10, number), wire(11, 1), wire(12, values.tobytes()), wire(13, b"diff")
    (blob,) = read_weights(written(tmp_path, *parts))["c"]
    assert blob.array.dtype == np.float32
    assert blob.array.tolist() == values.astype(np.float32).tolist()


@pytest.mark.parametrize("number, data, message", [
    (5, bytes(12), "numbers of the type 5, and raw_data_type is 0 to 4"),
    (2, bytes(11), "11 bytes of numbers of 2: the file is damaged"),
    (2, bytes(10), r"has 5 elements, its shape \[2, 3\] has 6"),
])
def test_bytes_that_are_no_numbers(tmp_path, number, data, message):
    with pytest.raises(ModelError, match=f"blob 0 of layer 'c'.*{message}"):
        read_weights(written(tmp_path, SHAPE, wire(10, number), wire(12, data)))


NET = """
layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 1 dim: 4 dim: 6 dim: 6 } } }
layer { name: "c" type: "Convolution" bottom: "x" top: "c"
        convolution_param { num_output: 8 kernel_size: 3 } }
layer { name: "p" type: "PReLU" bottom: "c" top: "p" }
layer { name: "f" type: "InnerProduct" bottom: "p" top: "y"
        inner_product_param { num_output: 5 } }
"""


@pytest.mark.parametrize("number, kind, stored", [(2, "<f2", "f16"), (1, "<f4", "")])
def test_weights_in_fp16_stay_so(tmp_path, number, kind, stored):
    random = np.random.default_rng(3)

    def blob(*shape):
        values = random.normal(size=shape).astype(kind)
        dims = b"".join(bytes([d]) if d < 128 else bytes([d & 127 | 128, d >> 7]) for d in shape)
        return wire(7, wire(7, wire(1, dims)) + wire(10, number) + wire(12, values.tobytes()))

    layers = {"c": [(8, 4, 3, 3), (8,)], "p": [(8,)], "f": [(5, 128), (5,)]}
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "net.caffemodel").write_bytes(b"".join(
        wire(100, wire(1, name) + b"".join(blob(*shape) for shape in shapes))
        for name, shapes in layers.items()))
    graph = importers.load("caffe", tmp_path / "net.prototxt")
    convert(graph)
    weights = {i: graph.tensors[i] for n in graph.nodes for i in n.inputs
               if graph.tensors[i].data is not None and graph.tensors[i].dtype == "f32"}
    assert len(weights) >= 5 and {t.stored for t in weights.values()} == {stored}
