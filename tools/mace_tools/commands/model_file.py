"""A model file given to a command in place of a deployment file.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

from mace_tools.config.files import missing
from mace_tools.convert import importers
from mace_tools.convert.importers.caffe.reader import beside
from mace_tools.convert.importers.request import RequestError
from mace_tools.convert.importers.source import SourceModel
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import UsageError
from mace_tools.support.model_format import detect
from mace_tools.support.os_errors import explain

# The flags of shared.add_model_parts, which mean nothing beside a deployment file.
FLAGS = ("weights", "signature")


@dataclass(frozen=True)
class Bare:
    """A model without a deployment file."""

    platform: str
    weights: Path | None
    model: SourceModel


def read(args: argparse.Namespace) -> Bare:
    """Reads args.model, with FLAGS. Errors: MaceError."""
    platform = platform_of(args.model)
    weights = _weights(platform, args.model, args.weights)
    try:
        model = importers.read(platform, args.model, args.signature, weights=weights)
    except RequestError as e:
        cure = e.example.replace(": ", "=")
        raise MaceError(f"{e}: give it as --{cure}" if cure else str(e)) from e
    return Bare(platform, weights, model)


def platform_of(path: Path) -> str:
    """Errors: MaceError if this is not a model, or not one that converts."""
    if not path.exists():
        raise MaceError(missing(str(path)))
    try:
        kind = detect(path)
        if kind is None and path.is_dir():
            raise MaceError(f"'{path}' is a folder without saved_model.pb, so it is no SavedModel, "
                            "and without config.json, so it is no checkpoint; name the model file "
                            "in it")
    except OSError as e:
        raise MaceError(f"cannot read '{path}': {explain(e, path)}") from e
    if kind is None:
        raise MaceError(f"'{path}' is no model that can be converted, as far as its contents show; "
                        f"what can be is {', '.join(importers.platforms())}")
    if kind.platform not in importers.platforms():
        raise MaceError(f"'{path}' holds {kind.name}, which cannot be converted; {kind.cure}")
    return kind.platform


def _weights(platform: str, path: Path, given: Path | None) -> Path | None:
    """The file with the weights. Errors: UsageError, MaceError."""
    if given is None:
        return beside(path) if platform == "caffe" else None
    if platform != "caffe":
        raise UsageError(f"--weights={given}: only Caffe models have a file of weights")
    if not given.is_file():
        raise MaceError(f"--weights: '{given}' is not a file" if given.exists() else
                        f"--weights: {missing(str(given))}")
    return given
