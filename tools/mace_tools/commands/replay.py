"""replay: runs a bug capsule, and says whether its failure comes again.

SPDX-License-Identifier: Apache-2.0

A capsule comes from somebody else: only its known entries are read, and of its flags only those
that name no file.
"""

import argparse
import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mace_tools.commands import dsp
from mace_tools.graph.settings import all_settings
from mace_tools.run import outcome, runner
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError, cut_short
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.limits import BadArchive, open_archive
from mace_tools.support.os_errors import explain

VERSION = 1
_DEVICES = {"cpu": "CPU", "gpu": "GPU", "dsp": "HEXAGON"}
_INPUT = re.compile(r"inputs/\d{1,4}\.npy")
_NAME = re.compile(r"t\d{1,9}")


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    told = _told(args.capsule)
    ended = run(args.capsule, console, args)
    console.passed(ended.log.rstrip("\n"))
    if ended.failure != told["failure"]:
        raise MaceError(f"{args.capsule}: the failure does not come again here: there is "
                        f"{ended.failure or 'no failure'} in place of {told['failure']}")
    console.data(f"{args.capsule}: {ended.failure}, as when it was packed")
    return ExitCode.OK


def run(path: Path, console: Console, args: argparse.Namespace) -> outcome.Ended:
    """Runs the model of a capsule. Errors: MaceError."""
    told = _told(path)
    mace_run = runner.find(console, args.mace_run)
    own = (dsp.flags(console, args) if told["device"] == "dsp" else
           [f"--device={_DEVICES[told['device']]}"])
    with tempfile.TemporaryDirectory(prefix="mace_replay.") as folder:
        for name in ("model.pb", "model.data", *told["inputs"].values()):
            file = Path(folder, name)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(_entry(path, name))
        flags = [f"--model_file={folder}/model.pb", f"--model_data_file={folder}/model.data",
                 *(f"--input={name}={folder}/{file}" for name, file in told["inputs"].items()),
                 *own, *told["flags"]]
        environment = {**os.environ, "MACE_CPP_MIN_VLOG_LEVEL": "1"}
        return outcome.run(mace_run, flags, told["outputs"], args.seconds, environment)


def allowed(flags: Sequence[str]) -> list[str]:
    """The flags that a capsule may have: settings whose values are numbers or known words."""
    safe = {s.flag for s in all_settings().values() if s.flag and (
        s.type in ("switch", "number") or s.choices)}
    return [flag for flag in flags if flag == "--allow_nan"
            or (flag.startswith("--") and flag[2:].partition("=")[0] in safe
                and re.fullmatch(r"--\w+(=[\w.,+-]{1,200})?", flag))]


def _told(path: Path) -> dict[str, Any]:
    """What a capsule says of itself. Errors: MaceError."""
    try:
        told = json.loads(_entry(path, "capsule.json"))
        fits = (told["version"] == VERSION and told["device"] in _DEVICES
                and isinstance(told["failure"], str) and told["failure"]
                and told["flags"] == allowed(told["flags"])
                and all(_NAME.fullmatch(n) and _INPUT.fullmatch(f)
                        for n, f in told["inputs"].items())
                and all(_NAME.fullmatch(n) for n in told["outputs"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise MaceError(f"{path}: its capsule.json cannot be used: {cut_short(e)}") from e
    if not fits:
        raise MaceError(f"{path}: it is no capsule of version {VERSION}, or asks for what no "
                        "capsule may have: make it again with this release")
    return dict(told)


def _entry(path: Path, name: str) -> bytes:
    try:
        with open_archive(path) as archive:
            return archive.read(name)
    except KeyError:
        raise MaceError(f"{path}: it is no bug capsule: it has no {name}") from None
    except BadArchive as e:
        raise MaceError(f"{path}: {e}") from e
    except OSError as e:
        raise MaceError(f"{path}: {explain(e, path)}") from e
