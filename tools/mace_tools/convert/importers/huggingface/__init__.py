"""Importer of language models as Hugging Face folders: config.json and safetensors.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools.convert.decoders import folder, options
from mace_tools.convert.decoders.checkpoint import Checkpoint
from mace_tools.convert.decoders.describe import Describer
from mace_tools.convert.importers.huggingface import graph
from mace_tools.convert.importers.huggingface.registry import registry
from mace_tools.convert.importers.source import SourceModel

HAS_GRAPHS = False


def read(path: Path) -> SourceModel:
    """Of the folder, or of its config.json. Errors: ModelError, UnsupportedOps."""
    where = path if path.is_dir() else path.parent
    config = where / "config.json"
    table, given = options.of_config(options.config_of(where), config)
    decoder = Describer(table, given, config).decoder()
    return graph.model(Checkpoint(decoder, folder.tensors(where), config), where.name)


__all__ = ["HAS_GRAPHS", "read", "registry"]
