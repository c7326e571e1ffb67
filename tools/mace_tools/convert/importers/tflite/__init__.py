"""Importer of TFLite models.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable

from mace_tools.convert.importers.registry import Registry
from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.importers.spectra import joined
from mace_tools.convert.importers.tflite.reader import read

HAS_SIGNATURES = True
TRANSFORM, READERS = "RFFT2D", ("COMPLEX_ABS", "REAL", "IMAG")
_VIEWS = ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
registry = Registry("TFLite", __name__)


def prepare(model: SourceModel, inputs: Iterable[str]) -> SourceModel:
    """The model with transforms whose results are real numbers."""
    return joined(model, (TRANSFORM,), READERS, {"CAST": "REAL"}, _VIEWS)


__all__ = ["HAS_SIGNATURES", "prepare", "read", "registry"]
