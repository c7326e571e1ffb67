"""Writes quantized graphs as ONNX models that other runtimes can run: nodes compute floats, with
QuantizeLinear and DequantizeLinear wherever the graph is quantized.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.onnx_export.write import render

__all__ = ["render"]
