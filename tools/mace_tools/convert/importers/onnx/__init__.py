"""ONNX importer: model files of opset 7 to 28.

SPDX-License-Identifier: Apache-2.0

Spatial ops become NHWC engine ops between Transposes, which the layout pass sinks and cancels.
"""

from mace_tools.convert.importers.onnx.reader import read
from mace_tools.convert.importers.registry import Registry

registry = Registry("ONNX", __name__)

__all__ = ["read", "registry"]
