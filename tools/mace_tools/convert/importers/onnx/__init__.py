"""ONNX importer: model files of opset 7 to 28.

SPDX-License-Identifier: Apache-2.0

Spatial ops become NHWC engine ops between Transposes, which the layout pass sinks and cancels.
"""

from pathlib import Path

from mace_tools.convert.importers.onnx import genai, reader
from mace_tools.convert.importers.onnx.operators import registry
from mace_tools.convert.importers.source import SourceModel


def read(path: Path) -> SourceModel:
    """A model, or the folder of one of onnxruntime-genai. Errors: ModelError."""
    folder = genai.folder_of(path)
    if folder is None:
        return reader.read(path)
    return genai.decoder(reader.read(genai.model_file(folder)), folder)


__all__ = ["read", "registry"]
