"""The grid of TensorFlow: every operator, and nothing that converts to another result.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.quantized_tensors import READERS
from mace_tools.testing.grid import INVALID, REFUSED, SAME, rows_of

# Constants, variables (of which SavedModels are tested) and an operator that no file has by this
# name.
WITHOUT_CASE = {"AssignVariableOp", "Const", "ReadVariableOp", "ResourceGather", "Stack"}
# TensorFlow itself runs this one only in graphs of before its version 1.0; NumPy is the reference.
NEVER_RUN = {"BatchNormWithGlobalNormalization"}
# Operators that need others around them (test/golden/recurrent_models_test.py), or whose cases are
# functions (importers/tensorflow/signal_test.py, volumes_test.py, switch_case_test.py), or that
# read quantized values (importers/tensorflow/quantized_test.py).
TESTED_ELSEWHERE = {
    *READERS,
    "If", "While", "TensorListFromTensor", "TensorListGather", "TensorListGetItem",
    "TensorListLength", "TensorListReserve", "TensorListSetItem", "TensorListStack",
    "TensorArrayGatherV3", "TensorArrayReadV3", "TensorArrayScatterV3", "TensorArraySizeV3",
    "TensorArrayV3", "TensorArrayWriteV3", "AudioSpectrogram", "Mfcc", "CropAndResize",
    "LookupTableFind", "LookupTableFindV2", "ResizeArea",
    "AvgPool3D", "Conv3DBackpropInputV2", "MaxPool3D", "MaxPoolWithArgmax",
    *(f"RFFT{axes}.{part}" for axes in ("", "2D")
                    for part in ("ComplexAbs", "Imag", "Real")),
    *(f"{kind}{how}" for kind in ("Segment", "UnsortedSegment")
      for how in ("Max", "Min", "Prod", "Sum")),
}


def test_the_grid():
    wrong, same = {}, set()
    for row in rows_of("tensorflow"):
        kind = row.run().kind
        if kind == SAME:
            same.add(row.op)
        elif kind not in (REFUSED, INVALID):
            wrong[row.name] = kind
    assert not wrong
    assert set(registry.supported()) - WITHOUT_CASE - NEVER_RUN - TESTED_ELSEWHERE <= same
    assert len(same) >= 130
