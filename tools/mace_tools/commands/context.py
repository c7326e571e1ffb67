"""The arguments and the results of commands.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.cli_console import Console
from mace_tools.config import Deployment, Model
from mace_tools.exit_codes import ExitCode

# The exit status, and facts by model name for --json.
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
