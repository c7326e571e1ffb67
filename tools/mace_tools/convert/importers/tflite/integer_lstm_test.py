"""What the importer refuses of int8 LSTMs; test/golden/integer_lstm_test.py compares quantized
values.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.importers import load
from mace_tools.graph.run_io import first_values
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.integer_lstm import Lstm


@pytest.mark.parametrize("case, text", [
    (Lstm(without=(1, 5, 12)), r"coupled input and forget gates \(CIFG\) on quantized tensors"),
    (Lstm(extra=(9, 10, 11)), "peepholes on quantized tensors"),
    (Lstm(extra=(20, 21, 22, 23)), "layer normalization on quantized tensors"),
    (Lstm(extra=(16,)), "a projection on quantized tensors"),
    (Lstm(activation=1), "fused activation RELU on quantized tensors"),
    (Lstm(fields={"DiagonalRecurrentTensors": True}), "recurrent weights given by their diagonals"),
    (Lstm(hidden_scale=0.5), r"intermediate 4 \(hidden\) quantized otherwise than its state 'h'"),
    (Lstm(cells=0.0004), "cells with the scale 0.0004"),
    (Lstm(cells=2.0**-8), "use a power of 2 from 2"),
    (Lstm(without=(6,)), "operand 6 is absent"),
])
def test_what_is_refused(case, text, tmp_path):
    with pytest.raises((UnsupportedOps, ModelError), match=text):
        load("tflite", case.save(tmp_path))


def test_states_begin_with_what_stands_for_0(tmp_path):
    states = first_values(load("tflite", Lstm(h=(0.01, 17)).save(tmp_path)))
    np.testing.assert_array_equal(states["h"], np.full((1, 5), 17, np.int8))
    np.testing.assert_array_equal(states["c"], np.zeros((1, 5), np.int16))
