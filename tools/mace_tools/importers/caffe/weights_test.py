"""Blobs whose numbers are bytes of a type, as NVIDIA's fork of Caffe writes them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import pytest

from mace_tools.errors import ModelError
from mace_tools.importers.caffe.weights import read_weights
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
