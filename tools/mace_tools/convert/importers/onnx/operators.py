"""The importer functions of ONNX's operators, by operator: the modules of this folder add theirs.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.registry import Registry

registry = Registry("ONNX", __package__)
