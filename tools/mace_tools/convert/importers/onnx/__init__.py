"""ONNX importer: model files of opset 7 to 28.

SPDX-License-Identifier: Apache-2.0

Spatial ops become NHWC engine ops between Transposes, which the layout pass sinks and cancels.
"""

from mace_tools.convert.importers.onnx.operators import registry
from mace_tools.convert.importers.onnx.reader import read

__all__ = ["read", "registry"]
