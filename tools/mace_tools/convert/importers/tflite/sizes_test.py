"""What a TFLite file states twice: sizes that do not fit are refused.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.tflite_file import Maker


def transposed(size, padding):
    m = Maker()
    m.tensor("x", (1, 4, 4, 2))
    m.op("TRANSPOSE_CONV", [m.const("size", np.int32([1, *size, 3])),
                            m.const("w", np.ones((3, 3, 3, 2), np.float32)), "x"], ["y"],
         "TransposeConvOptions", Padding=padding, StrideH=2, StrideW=2)
    return m


@pytest.mark.parametrize("size, padding", [((8, 8), 0), ((7, 8), 0), ((9, 9), 1), ((10, 9), 1)])
def test_sizes_that_fit(tmp_path, size, padding):
    load("tflite", transposed(size, padding).save(tmp_path, ["x"], ["y"]))


@pytest.mark.parametrize("size, padding, found", [
    ((9, 8), 0, "from 5 elements along H, not 4"), ((8, 6), 0, "from 3 elements along W, not 4"),
    ((9, 8), 1, "from 3 elements along W, not 4"), ((11, 9), 1, "from 5 elements along H, not 4")])
def test_sizes_that_do_not_fit(tmp_path, size, padding, found):
    with pytest.raises(ModelError, match=found):
        load("tflite", transposed(size, padding).save(tmp_path, ["x"], ["y"]))


def test_an_index_has_no_negative_stride(tmp_path):
    m = Maker()
    m.tensor("x", (4, 4))
    ends = [m.const(n, np.int32(v)) for n, v in (("a", [0, 3]), ("b", [4, 0]), ("c", [1, -1]))]
    m.op("STRIDED_SLICE", ["x", *ends], ["y"], "StridedSliceOptions", ShrinkAxisMask=2)
    with pytest.raises(UnsupportedOps, match=r"one of the strides \[1, -1\]"):
        load("tflite", m.save(tmp_path, ["x"], ["y"]))
