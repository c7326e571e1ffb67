"""Importer of Keras models (.keras, .h5): Keras exports them as SavedModels, which are imported.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools.convert import exporters
from mace_tools.convert.importers import tensorflow
from mace_tools.convert.importers.source import SourceModel, renamed

prepare, registry = tensorflow.prepare, tensorflow.registry


def read(path: Path) -> SourceModel:
    """Errors: ModelError, MissingToolError (exporters.export)."""
    model = exported(exporters.export("keras", path))
    model.name = path.stem
    return model


def exported(folder: Path) -> SourceModel:
    """The model in a folder that the exporter wrote, with Keras' names and order of its inputs and
    outputs."""
    model = tensorflow.read(folder / "model")
    ends, own = exporters.answer(folder), model.roles
    starts = [own[f"input_{k}"] for k in range(len(ends["inputs"]))]
    stops = [own[f"output_{k}"] for k in range(len(ends["outputs"]))]
    model.roles = {}
    model.inputs = {name: model.inputs[name] for name in starts}
    model.outputs = stops
    return renamed(model, dict(zip([*starts, *stops], [*ends["inputs"], *ends["outputs"]])))


__all__ = ["exported", "prepare", "read", "registry"]
