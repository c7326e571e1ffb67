"""Importer of TFLite models.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.importers.registry import Registry
from mace_tools.importers.tflite.reader import read

HAS_SIGNATURES = True
registry = Registry("TFLite", __name__)

__all__ = ["HAS_SIGNATURES", "read", "registry"]
