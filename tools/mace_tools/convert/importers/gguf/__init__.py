"""Importer of language models as GGUF files, with the config.json beside them, if there is one.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools.convert.decoders import gguf, options
from mace_tools.convert.decoders.checkpoint import Checkpoint
from mace_tools.convert.decoders.describe import Describer
from mace_tools.convert.importers.huggingface import graph
from mace_tools.convert.importers.huggingface.registry import registry
from mace_tools.convert.importers.source import SourceModel

HAS_GRAPHS = False


def read(path: Path) -> SourceModel:
    """Errors: ModelError, UnsupportedOps."""
    file = gguf.read(path)
    beside = path.with_name("config.json")
    table, given = options.of_gguf(
        file, options.config_of(path.parent) if beside.is_file() else None)
    decoder = Describer(table, given, path).decoder()
    return graph.model(Checkpoint(decoder, file.tensors, path, is_gguf=True), path.stem)


__all__ = ["HAS_GRAPHS", "read", "registry"]
