"""Reads models of every supported framework into the converter's graph.

SPDX-License-Identifier: Apache-2.0

A framework is a package in this folder with `registry` and `read(path) -> SourceModel`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from mace_tools.errors import MaceError
from mace_tools.importers.source import cut
from mace_tools.ir import Graph, Shape


def platforms() -> list[str]:
    """Names for `platform` in the YAML: the packages in this folder."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg)


def load(
    platform: str,
    path: str | Path,
    inputs: Mapping[str, Shape | None] | None = None,
    outputs: Sequence[str] | None = None,
) -> Graph:
    """Reads and translates a model, from `inputs` (tensor names, with shapes) to `outputs`.

    Both may name inner tensors; None takes the model's own. The graph's inputs and outputs have
    the names as given here.
    Errors: MaceError (ModelError, UnsupportedOps)."""
    if platform not in platforms():
        raise MaceError(f"platform '{platform}' is not one of {', '.join(platforms())}")
    package = importlib.import_module(f"{__name__}.{platform}")
    model = cut(package.read(Path(path)), inputs, outputs)
    graph = package.registry.translate(model)
    for given, names in ((list(inputs or ()), graph.inputs), (list(outputs or ()), graph.outputs)):
        for old, new in zip(list(names), given):
            graph.rename(old, graph.fresh(new) if old != new else new)
    return graph
