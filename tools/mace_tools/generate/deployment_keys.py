"""The keys of a deployment file for mace_run: tools/mace_run/deployment_keys.json.

SPDX-License-Identifier: Apache-2.0

mace_run reads deployment files without Python. Bazel compiles this list into it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from mace_tools.config.names import RUNTIMES
from mace_tools.config.schema import KERNEL_MICROS, Library, Model, Subgraph
from mace_tools.config.sections import Preprocess
from mace_tools.config.unsupported_keys import FOREIGN
from mace_tools.config.yaml_file import MAX_BYTES
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

LIST = REPO / "tools" / "mace_run" / "deployment_keys.json"


def exported() -> dict[str, Any]:
    """{section: {key: an example of its value}}, and what else reading a file depends on."""
    return {"library": _keys(Library), "model": _keys(Model), "subgraph": _keys(Subgraph),
            "preprocess": _keys(Preprocess), "foreign": sorted(FOREIGN),
            "runtimes": list(RUNTIMES), "kernel_micros": KERNEL_MICROS, "max_bytes": MAX_BYTES}


def as_text() -> str:
    return json.dumps(exported(), indent=1) + "\n"


def _keys(section: type[BaseModel]) -> dict[str, str]:
    return {key: (field.examples or [""])[0] for key, field in section.model_fields.items()}


def outputs(console: Console) -> Iterator[tuple[Path, str]]:
    del console  # nothing has to be built
    yield LIST, as_text()
