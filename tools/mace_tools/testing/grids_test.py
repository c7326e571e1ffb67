"""The grids of Caffe and TFLite: every operator, and nothing that converts to another result.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.convert.importers.tflite.flat import is_custom
from mace_tools.generate.importers_table import registry_of
from mace_tools.testing.grid import INVALID, REFUSED, SAME, rows_of

# LiteRT does not have MediaPipe's operators: NumPy is the reference. QUANTIZE is in the grid of
# quantized operators. Resource variables take several runs (importers/tflite/variables_test.py).
# importers/tflite/signal_test.py has spectra: TensorFlow's converter makes their models.
ELSEWHERE = {"QUANTIZE", "READ_VARIABLE", "ASSIGN_VARIABLE", "'Convolution2DTransposeBias'",
             "'MaxPoolingWithArgmax2D'", "'MaxUnpooling2D'", "'AudioSpectrogram'", "'Mfcc'",
             "RFFT2D.COMPLEX_ABS", "RFFT2D.REAL", "RFFT2D.IMAG"}


@pytest.mark.parametrize("platform, least", [("caffe", 50), ("tflite", 120)])
def test_the_grid(platform, least):
    wrong, same = {}, set()
    for row in rows_of(platform):
        found = row.run()
        if found.kind == SAME:
            same.add(row.op)
        elif found.kind not in (REFUSED, INVALID):
            wrong[row.name] = found.kind
        assert found.kind != REFUSED or found.reasons and all(
            reason for _, reason in found.reasons), row.name
    assert not wrong
    assert set(registry_of(platform).supported()) - ELSEWHERE == same
    assert sum(not is_custom(op) for op in same) >= least
