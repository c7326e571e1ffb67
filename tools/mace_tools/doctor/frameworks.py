"""Checks of the source frameworks, and their versions.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.metadata
import importlib.util

from mace_tools import frameworks
from mace_tools.doctor.finding import Check, Finding, Machine, State

# Keras and PyTorch: their modules and packages. They also export their own models.
EXPORTERS = {"keras": ("keras", "keras"), "pytorch": ("torch", "torch")}


def installed(machine: Machine) -> list[Finding]:
    found = []
    for platform, (name, module, package) in frameworks.FRAMEWORKS.items():
        found.append(_one(platform, name, module, package, "tools/setup.sh --for validate"))
    for platform, name in frameworks.EXPORTERS.items():
        module, package = EXPORTERS[platform]
        found.append(_one(platform, name, module, package,
                          f"pip install {package} (docs/converter.md)"))
    return found


def _one(platform: str, name: str, module: str, package: str, cure: str) -> Finding:
    what = f"{name} (platform: {platform})"
    if importlib.util.find_spec(module) is None:
        return Finding(what, State.MISSING, "not installed", f"`{cure}`, if you have such models")
    try:
        return Finding(what, State.OK, importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:  # from another package with the same module
        return Finding(what, State.OK, "installed, of an unknown version")


CHECKS: tuple[Check, ...] = (installed,)
