"""The settings of engines: tools/settings.json, from which keys, flags and tables follow.

SPDX-License-Identifier: Apache-2.0

The file is what `mace_run --list_settings` prints, from the descriptions in
mace/runtime/settings/settings.h; generate_test.py keeps it so.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mace_tools.support.protos import REPO

LIST = REPO / "tools" / "settings.json"


@dataclass(frozen=True)
class Setting:
    name: str  # in MaceEngineConfig::Set and in model files
    type: str  # switch, number, text, list or shares
    choices: tuple[str, ...]  # the items of a list are some of these; empty: any value
    default: Any  # None: the device chooses
    yaml: str  # its key in a model of the deployment file, or empty
    example: str  # a value of that key
    flag: str  # of mace_run, without dashes
    device: str  # the only device that uses it, or empty: all
    in_model: bool  # a converted model carries it
    changes_results: bool  # an engine that does not know it refuses the model
    doc: str
    more: str
    least: int | None = None
    most: int | None = None
    also: tuple[int, ...] = ()  # allowed numbers outside of the range


@functools.cache
def all_settings() -> dict[str, Setting]:
    """All settings by name, in the order of the descriptions."""
    rows = [{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
            for row in json.loads(LIST.read_text())]
    return {row["name"]: Setting(**row) for row in rows}


def of_model(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a converted model carries, in the order of the descriptions."""
    return {name: values[name] for name, s in all_settings().items()
            if s.in_model and values.get(name) is not None}


def flags(values: Mapping[str, Any], device: str) -> list[str]:
    """The flags of mace_run for settings that the model does not carry. None leaves it to the
    engine."""
    settings = [(s, values.get(s.name)) for s in all_settings().values() if not s.in_model]
    return [f"--{s.flag}={','.join(value) if isinstance(value, tuple) else value}"
            for s, value in settings if value is not None and s.device in ("", device)]
