"""The device yml: boards with Linux that have no adb, and how to reach them.

SPDX-License-Identifier: Apache-2.0
"""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from mace_tools.config import values
from mace_tools.config.problems import ConfigError, Problem, did_you_mean
from mace_tools.config.yaml_file import YamlFile

ABIS = ("arm64", "armhf")
EXAMPLE = """\
devices:
      pi:
        target_abis: [arm64]
        target_socs: bcm2712
        models: Raspberry Pi 5
        address: 192.168.1.20
        username: pi"""
# As users of other releases write them.
_ALIASES = {"aarch64": "arm64", "armv7l": "armhf"}


def _port(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 65535:
        raise ValueError(f"{values.shown(value)} is not a port from 1 to 65535")
    return value


def _word(value: Any) -> str:
    """For the command line of ssh, where a '-' in front would make it an option."""
    word = values.text(value)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*", word):
        raise ValueError(f"{values.shown(value)} may have only letters, digits, '.', ':', '_' and "
                         "'-', and must not begin with '-'")
    return word


def _user(value: Any) -> str:
    """For scp, which takes the text before a ':' for the machine."""
    word = _word(value)
    if ":" in word:
        raise ValueError(f"{values.shown(value)} may not have a ':'")
    return word


class Board(BaseModel):
    """An entry of `devices:`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target_abis: Annotated[tuple[str, ...],
                           BeforeValidator(values.list_of(values.choice(*ABIS, aliases=_ALIASES)))]
    address: Annotated[str, BeforeValidator(_word)]
    username: Annotated[str, BeforeValidator(_user)]
    target_socs: Annotated[tuple[str, ...], BeforeValidator(values.strings)] = ()
    models: Annotated[str, BeforeValidator(values.text)] = ""
    password: Annotated[str, BeforeValidator(values.text)] = Field("", repr=False)
    port: Annotated[int, BeforeValidator(_port)] = 22


def load(path: Path) -> dict[str, Board]:
    """The boards by their names. Errors: ConfigError, with everything that is wrong."""
    yaml = YamlFile(path)
    found, problems = {}, []
    boards = yaml.data.get("devices")
    extra = [key for key in yaml.data if key != "devices"]
    for key in extra:
        problems.append(Problem(yaml.line(key), str(key), "a device yml has the key `devices` only"
                                f"{did_you_mean(str(key), ['devices'])}", EXAMPLE))
    if not extra and (not isinstance(boards, dict) or not boards):
        problems.append(Problem(yaml.line("devices"), "devices",
                                "it names no device", EXAMPLE))
    for name, entry in (boards if isinstance(boards, dict) else {}).items():
        place = f"devices.{name}"
        try:
            values.file_name(name)
            if not isinstance(entry, dict):
                raise ValueError("it is not a mapping of keys to values")
            found[str(name)] = Board.model_validate(dict(entry))
        except ValidationError as e:
            problems += [_problem(yaml, str(name), error) for error in
                         e.errors(include_url=False, include_input=False)]
        except ValueError as e:
            problems.append(Problem(yaml.line("devices", name), place, str(e), EXAMPLE))
    if problems:
        raise ConfigError(path, problems)
    return found


def _problem(yaml: YamlFile, name: str, error: Any) -> Problem:
    """An error of pydantic. A password's value stands in none of them."""
    key = str(error["loc"][0])
    kind = error["type"]
    line = yaml.line("devices", name, key)
    if kind == "missing":
        message = "it is missing"
    elif kind == "extra_forbidden":
        known = list(Board.model_fields)
        message = f"there is no such key{did_you_mean(key, known)}; the keys are {', '.join(known)}"
    elif key == "password":
        message = "the value is no text"
    else:
        message = str(error.get("ctx", {}).get("error", error["msg"]))
    return Problem(line, f"devices.{name}.{key}", message, EXAMPLE if kind == "missing" else "")
