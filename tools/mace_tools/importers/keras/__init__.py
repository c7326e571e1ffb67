"""Importer of Keras models (.keras, .h5): Keras exports them to TFLite, which is then imported.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools import exporters
from mace_tools.importers import tflite
from mace_tools.importers.source import SourceModel

registry = tflite.registry


def read(path: Path) -> SourceModel:
    """Errors: ModelError, MissingToolError (exporters.export)."""
    folder = exporters.export("keras", path)
    model = tflite.read(folder / "model.tflite")
    model.name = path.stem
    # The exporter orders outputs by other rules than Keras, which numbers them.
    model.outputs.sort(key=lambda name: (len(model.signed(name)), model.signed(name)))
    return model


__all__ = ["read", "registry"]
