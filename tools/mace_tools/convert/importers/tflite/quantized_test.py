"""What the reader of TFLite models says of scales and zero points that cannot be.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.support.errors import ModelError
from mace_tools.testing.tflite_file import Maker

X = {"scale": 0.1, "zero": 3}


def model(folder, x=None, w=None, w_type="int8"):
    """A convolution of x [1,4,4,3] with w [5,1,1,3]; with quantizations for what is not given."""
    m = Maker()
    m.tensor("x", (1, 4, 4, 3), "int8", None, **(X if x is None else x))
    taps = np.ones((5, 1, 1, 3), w_type)
    m.tensor("w", taps.shape, w_type, taps, **({"scale": 0.5, "zero": 0} if w is None else w))
    m.tensor("b", (5,), "int32", np.zeros(5, np.int32), 0.05, 0)
    m.tensor("y", (), "int8", None, 0.2, 0)
    m.op("CONV_2D", ["x", "w", "b"], ["y"], "Conv2DOptions", StrideH=1, StrideW=1)
    return m.save(folder, ["x"], ["y"])


@pytest.mark.parametrize("scale, words", [
    (0.0, "the scale 0.0"), (-0.5, "the scale -0.5"), (np.nan, "the scale nan"),
    (np.inf, "the scale inf"), ([0.1, 0.2, -1, 0.3, 0.4], "the scale -1.0")])
def test_scales_are_finite_and_above_0(tmp_path, scale, words):
    with pytest.raises(ModelError, match="tensor 'w' has") as e:
        load("tflite", model(tmp_path, w={"scale": scale, "zero": 0}))
    assert words in str(e.value) and "quantize the model again" in str(e.value)


@pytest.mark.parametrize("zero", [-129, 128, 1 << 40])
def test_zero_points_are_within_the_type(tmp_path, zero):
    with pytest.raises(ModelError, match=f"tensor 'x' has the zero point {zero}.*-128 to 127"):
        load("tflite", model(tmp_path, x={"scale": 0.1, "zero": zero}))


@pytest.mark.parametrize("axis", [4, -1, 99])
def test_an_axis_is_one_of_the_shape(tmp_path, axis):
    with pytest.raises(ModelError, match=rf"'w' has 5 scales along axis {axis}.*\[5, 1, 1, 3\]"):
        load("tflite", model(tmp_path, w={"scale": [0.1] * 5, "zero": [0] * 5, "axis": axis}))


def test_there_is_a_scale_for_each_index(tmp_path):
    with pytest.raises(ModelError, match="'w' has 4 scales for the 5 indices of axis 0"):
        load("tflite", model(tmp_path, w={"scale": [0.1] * 4, "zero": [0] * 4}))


def test_there_is_a_zero_point_for_each_scale(tmp_path):
    with pytest.raises(ModelError, match="'w' has 5 scales and 3 zero points"):
        load("tflite", model(tmp_path, w={"scale": [0.1] * 5, "zero": [0] * 3}))


def test_one_zero_point_is_that_of_all_scales(tmp_path):
    graph = load("tflite", model(tmp_path, w={"scale": [0.1] * 5, "zero": 0}))
    quant = next(t.quant for t in graph.tensors.values() if t.is_const and t.shape == (5, 3, 1, 1))
    assert len(quant.scale) == len(quant.zero_point) == 5 and quant.axis == 0
