"""Importer of TensorFlow frozen graphs and SavedModels.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable

from mace_tools.convert.importers.registry import Registry
from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.importers.spectra import joined
from mace_tools.convert.importers.tensorflow import branches, quantized_tensors
from mace_tools.convert.importers.tensorflow.dropout import without_dropout
from mace_tools.convert.importers.tensorflow.flow import check_operands, structured
from mace_tools.convert.importers.tensorflow.reader import read

HAS_SIGNATURES = True
TRANSFORMS, READERS = ("RFFT", "RFFT2D"), ("ComplexAbs", "Real", "Imag")
registry = Registry("TensorFlow", __name__)


def prepare(model: SourceModel, inputs: Iterable[str]) -> SourceModel:
    """The model for inference, with its loops and conditionals as nodes. `inputs`: tensors that the
    caller feeds, which are not constant."""
    check_operands(model)
    decided = branches.decided(without_dropout(model), inputs)
    checked = quantized_tensors.checked(decided)
    return structured(joined(checked, TRANSFORMS, READERS, {"Cast": "Real"}))


__all__ = ["HAS_SIGNATURES", "prepare", "read", "registry"]
