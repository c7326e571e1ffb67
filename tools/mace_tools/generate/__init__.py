"""Lists that follow from the sources and are in git, for tools that run without a compiler and for
readers: `python -m mace_tools.generate` writes them, and generate_test.py compares them.

SPDX-License-Identifier: Apache-2.0

Each module has `outputs`: the files that it writes, and what is in them. What it yields may depend
on the files that it, and the modules before it, have yielded.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path

from mace_tools.support.console import Console

# In their order: settings are keys of deployment files, and importers name ops.
LISTS = ("op_list", "setting_list", "python_settings", "memory_strategies", "deployment_keys",
         "importers_table")
# Measured, which takes long: when it is asked for, or when the list of ops has changed.
MEASURED = "op_sizes"


def outputs(name: str, console: Console) -> Iterator[tuple[Path, str]]:
    """Of one of LISTS or MEASURED. Its module is imported only now, when what it reads has been
    written.

    Errors: as runner.find for lists of the engine."""
    return importlib.import_module(f"{__name__}.{name}").outputs(console)
