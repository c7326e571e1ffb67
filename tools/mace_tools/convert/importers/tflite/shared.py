"""Operators that mean the same in TensorFlow.

SPDX-License-Identifier: Apache-2.0

AudioSpectrogram and Mfcc are custom operators, whose options are those of TensorFlow's operators of
the same names.
"""

from mace_tools.convert.importers.tf_shared import TFLITE
from mace_tools.convert.importers.tflite import registry
from mace_tools.convert.importers.tflite.custom_options import RAW

for name, function in TFLITE.items():
    registry.op(name)(function)

registry.without_meaning("the bytes of options, which are attributes, too", RAW,
                         ops=["'AudioSpectrogram'", "'Mfcc'"])
