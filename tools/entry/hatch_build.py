"""What pyproject.toml cannot say of the package mace-converter; hatchling calls it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ENTRY = "tools/entry/mace_converter/__init__.py"


class Requirements(MetadataHookInterface):
    """Those of tools/requirements/convert.txt, which tools/setup.sh installs, too."""

    def update(self, metadata: dict[str, Any]) -> None:
        lines = Path(self.root, "tools/requirements/convert.txt").read_text().splitlines()
        metadata["dependencies"] = [line for line in lines if line and not line.startswith("#")]


class Entry(BuildHookInterface):
    """An editable package has no copy of the entry: it finds that of the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"][ENTRY] = "__init__.py"
