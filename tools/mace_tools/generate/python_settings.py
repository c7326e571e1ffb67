"""The keywords of the Python package's Engine: mace/python/mace/_setting_types.py.

SPDX-License-Identifier: Apache-2.0

They are the settings of tools/settings.json with their types. Type checkers and editors need them
written out.
"""

from collections.abc import Iterator
from pathlib import Path

from mace_tools.graph.settings import Setting, all_settings
from mace_tools.support.console import Console
from mace_tools.support.protos import REPO

FILE = REPO / "mace" / "python" / "mace" / "_setting_types.py"
_TYPES = {"switch": "bool", "number": "int", "text": "str", "list": "Sequence[str]",
          "shares": "Union[Mapping[str, float], Sequence[str]]"}
# Numbers of which the package names the values.
_ENUMS = {"cpu_affinity_policy": "Affinity", "gpu_perf_hint": "GpuPerf",
          "gpu_priority_hint": "GpuPriority"}
_HEAD = '''"""The settings of an engine with their types (generated: see
tools/mace_tools/generate/python_settings.py).

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, Union

from mace._settings import Affinity, GpuPerf, GpuPriority


class SettingTypes(TypedDict, total=False):
    """Those that have a word in a deployment file or a flag of mace_run."""

'''


def outputs(console: Console) -> Iterator[tuple[Path, str]]:
    del console  # nothing has to be built
    yield FILE, _HEAD + "".join(f"    {s.name}: {_type(s)}\n" for s in all_settings().values())


def _type(s: Setting) -> str:
    plain = _TYPES[s.type]
    return f"Union[{_ENUMS[s.name]}, {plain}]" if s.name in _ENUMS else plain
