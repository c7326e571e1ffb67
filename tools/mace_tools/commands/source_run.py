"""Runs the source model of a deployment file in its framework.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mace_tools import frameworks
from mace_tools.config.schema import Model
from mace_tools.exit_codes import RunFailedError
from mace_tools.frameworks import Arrays
from mace_tools.importers.source import SourceModel


def outputs(
    model: Model, file: Path, weights: Path | None, read: SourceModel,
    feeds: Mapping[str, np.ndarray], names: Sequence[str],
) -> Arrays:
    """Tensors of the model that `read` holds, in the framework's order of dimensions. `file`,
    `weights`: of the model.

    Errors: MissingToolError, RunFailedError with the framework's message."""
    if model.platform not in frameworks.EXPORTERS:
        own = {name: read.roles.get(name, name) for name in (*feeds, *names)}
        found = frameworks.run(model.platform, file, {own[n]: a for n, a in feeds.items()},
                               [own[n] for n in names], model.signature or "", weights)
        return {name: found[own[name]] for name in names}
    # These know no tensors of what was exported, but their inputs and outputs.
    signed = {name: read.signed(read.named(name)) for name in (*feeds, *names)}
    ends = {read.signed(name) for name in read.outputs}
    inner = next((name for name in names if signed[name] not in ends), None)
    if inner is not None:
        raise RunFailedError(f"{frameworks.title(model.platform)} gives only the outputs of a "
                             f"model, not '{inner}' of what it exports")
    found = frameworks.run(model.platform, file,
                           {signed[name]: array for name, array in feeds.items()},
                           [signed[name] for name in names])
    return {name: found[signed[name]] for name in names}
