"""Importer of TensorFlow frozen graphs and SavedModels.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.importers.registry import Registry
from mace_tools.importers.tensorflow.branches import prepare
from mace_tools.importers.tensorflow.reader import read

HAS_SIGNATURES = True
registry = Registry("TensorFlow", __name__)

__all__ = ["HAS_SIGNATURES", "prepare", "read", "registry"]
