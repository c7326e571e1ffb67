"""The arguments and the results of commands.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.config import values
from mace_tools.config.load import Deployment, load
from mace_tools.config.names import ABIS
from mace_tools.config.problems import did_you_mean
from mace_tools.config.schema import Model
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode, UsageError

# The exit status, and reports by model name for --json.
Outcome = tuple[ExitCode, dict[str, Any]]


@dataclass(frozen=True)
class Context:
    args: argparse.Namespace
    deployment: Deployment
    console: Console

    @property
    def models(self) -> dict[str, Model]:
        """The models that the command line selects."""
        models = self.deployment.library.models
        name = self.args.model_name
        return models if name is None else {name: models[name]}

    @property
    def folder(self) -> Path:
        """The output folder of this library."""
        return self.args.output / self.deployment.library.library_name


def read(args: argparse.Namespace, console: Console) -> Context:
    """The context of a command with --config. Errors: ConfigError, UsageError."""
    deployment = load(args.config, overrides(args))
    for note in deployment.notes:
        console.warn(note.text(deployment.path))
    if args.model_name is not None and args.model_name not in deployment.library.models:
        names = list(deployment.library.models)
        raise UsageError(f"--model_name={args.model_name}: {args.config} has no such model"
                         f"{did_you_mean(args.model_name, names)}; it has {', '.join(names)}")
    return Context(args, deployment, console)


def overrides(args: argparse.Namespace) -> dict[str, Any]:
    """Keys of the deployment file that the command line replaces."""
    result: dict[str, Any] = {}
    if args.build_type is not None:
        result["build_type"] = args.build_type
    if args.target_abis is not None:
        try:
            result["target_abis"] = [values.choice(*ABIS)(a) for a in args.target_abis.split(",")]
        except ValueError as e:
            raise UsageError(f"--target_abis: {e}") from e
    if getattr(args, "target_socs", None) is not None:
        result["target_socs"] = [s.strip() for s in args.target_socs.split(",") if s.strip()]
        if not result["target_socs"]:
            raise UsageError(f"--target_socs={args.target_socs} names no SoC")
    return result
