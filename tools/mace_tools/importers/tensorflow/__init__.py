"""Importer of TensorFlow frozen graphs.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.importers.registry import Registry
from mace_tools.importers.tensorflow.reader import read

registry = Registry("TensorFlow", __name__)

__all__ = ["read", "registry"]
