"""Runs the source model of a deployment file in its framework.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mace_tools import frameworks
from mace_tools.config.schema import Model
from mace_tools.convert.importers.source import SourceModel
from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.exit_codes import RunFailedError


def outputs(
    model: Model, file: Path, weights: Path | None, read: SourceModel,
    feeds: Mapping[str, np.ndarray], names: Sequence[str],
) -> Arrays:
    """Tensors of the model that `read` holds, in the framework's order of dimensions. `file`,
    `weights`: of the model.

    Errors: MissingToolError, RunFailedError with the framework's message."""
    (found,) = attempts(model, file, weights, read, [feeds], names)
    if isinstance(found, RunFailedError):
        raise found
    return found


def attempts(
    model: Model, file: Path, weights: Path | None, read: SourceModel,
    feeds: Sequence[Mapping[str, np.ndarray]], names: Sequence[str], nudge: Nudge | None = None,
) -> list[Arrays | RunFailedError]:
    """The same for several inputs, each with its outputs or why there are none; `nudge` changes the
    weights. Errors: MissingToolError, RunFailedError if the framework ends its process."""
    if model.platform not in frameworks.EXPORTERS:
        given_names = {name: read.renamed.get(name, name) for name in (*feeds[0], *names)}
        own = {name: read.roles.get(own, own) for name, own in given_names.items()}
        given = [{own[n]: a for n, a in one.items()} for one in feeds]
        found = frameworks.attempts(model.platform, file, given, [own[n] for n in names],
                                    model.signature or "", weights, nudge)
        return [one if isinstance(one, RunFailedError) else
                {name: one[own[name]] for name in names} for one in found]
    # These know no tensors of what was exported, but their inputs and outputs.
    signed = {name: read.signed(read.named(name)) for name in (*feeds[0], *names)}
    ends = {read.signed(name) for name in read.outputs}
    inner = next((name for name in names if signed[name] not in ends), None)
    if inner is not None:
        raise RunFailedError(f"{frameworks.title(model.platform)} gives only the outputs of a "
                             f"model, not '{inner}' of what it exports")
    given = [{signed[name]: array for name, array in one.items()} for one in feeds]
    found = frameworks.attempts(model.platform, file, given, [signed[name] for name in names],
                                nudge=nudge)
    return [one if isinstance(one, RunFailedError) else
            {name: one[signed[name]] for name in names} for one in found]
