"""capsule: packs what reproduces a failure of a model, without the model.

SPDX-License-Identifier: Apache-2.0
"""

import io
import json
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.commands import prepare, replay
from mace_tools.commands.context import Context, Outcome
from mace_tools.convert import capsule_model
from mace_tools.convert.emit import CONVERTER_VERSION, serialized
from mace_tools.devices import properties
from mace_tools.devices.device import Here
from mace_tools.run import outcome
from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError


def command(context: Context) -> Outcome:
    found = prepare.jobs(context)
    if len(found) != 1:
        raise UsageError("a capsule holds one model: choose it with --model_name=NAME (the file "
                         f"has {', '.join(job.tag for job in found)})")
    job = found[0]
    path = context.args.capsule or Path(f"{job.tag}.capsule.zip")
    with prepare.prepared(context, job) as ready:
        if not isinstance(ready.mace_run, Path):
            raise UsageError("a capsule is made on the machine at hand")
        ended, device = _first_failure(context, ready)
        if not ended.failure:
            raise MaceError(f"{job.tag}: it runs here without a failure, so there is nothing to "
                            "pack; give the --input and --device with which it fails, and "
                            f"--seconds if it hangs (now {context.args.seconds:g})")
        context.console.info(f"{job.tag} on the {device.upper()}: {ended.failure}")
        entries = _entries(context, ready, device, ended.failure)
    with tempfile.TemporaryDirectory(prefix="mace_capsule.") as folder:
        draft = Path(folder) / path.name
        _write(draft, entries)
        again = replay.run(draft, context.console, context.args)
    if again.failure != ended.failure:
        raise MaceError(f"{job.tag}: the failure depends on what a capsule leaves out: with random "
                        f"weights and inputs, there is {again.failure or 'no failure'} in place of "
                        f"{ended.failure}. No capsule was written")
    _write(path, {**entries, "log.txt": again.log})
    context.console.data(f"{path}: {path.stat().st_size} bytes, replayed: {ended.failure}")
    return ExitCode.OK, {job.tag: {"capsule": str(path), "failure": ended.failure,
                                   "device": device}}


def _write(path: Path, entries: Mapping[str, bytes | str]) -> None:
    with atomic_files(path) as (out,), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def _first_failure(context: Context, ready: prepare.Prepared) -> tuple[outcome.Ended, str]:
    outputs = [info.name for info in ready.converted.net.output_info]
    ended, device = outcome.Ended("", ""), ""
    for device, flags in ready.flags.items():
        ended = outcome.run(Path(str(ready.mace_run)), flags, outputs, context.args.seconds,
                            os.environ)
        if ended.failure:
            break
    return ended, device


def _entries(context: Context, ready: prepare.Prepared, device: str, failure: str
             ) -> dict[str, bytes | str]:
    net = type(ready.converted.net)()
    net.CopyFrom(ready.converted.net)
    data, names = capsule_model.hidden(net, ready.converted.data.read_bytes(), context.args.seed)
    entries: dict[str, bytes | str] = {
        "model.pb": serialized(net), "model.data": data}
    inputs = {}
    for k, (name, array) in enumerate(ready.inputs.items()):
        buffer = io.BytesIO()
        np.save(buffer, _hidden_input(array, context.args.seed + k))
        entries[f"inputs/{k}.npy"] = buffer.getvalue()
        inputs[names[name]] = f"inputs/{k}.npy"
    shown = replay.allowed(ready.flags[device])
    entries["plan.json"] = _plan(ready, net, data, shown, context.args.seconds)
    machine = properties.machine_of(Here())
    entries["capsule.json"] = json.dumps({
        "version": replay.VERSION, "failure": failure, "device": device, "flags": shown,
        "inputs": inputs, "outputs": [info.name for info in net.output_info],
        "converter": CONVERTER_VERSION,
        "machine": {**machine.report(), "cpu": machine.cpu_name}}, indent=1)
    return entries


def _hidden_input(array: np.ndarray, seed: int) -> np.ndarray:
    """Integers, which may be indices, stay; other values become random ones of the same range."""
    if array.dtype.kind != "f":
        return array
    return capsule_model.random_like(array.reshape(-1), np.random.default_rng(seed)).reshape(
        array.shape)


def _plan(ready: prepare.Prepared, net: Any, data: bytes, flags: Sequence[str], seconds: float
          ) -> str:
    """The plan of the hidden model; empty if there is none, because making it fails or hangs."""
    with tempfile.TemporaryDirectory(prefix="mace_capsule.") as folder:
        files = {"model.pb": serialized(net), "model.data": data}
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        command = [str(ready.mace_run), f"--model_file={folder}/model.pb",
                   f"--model_data_file={folder}/model.data", *flags, "--dump=plan_json"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  text=True, errors="replace", timeout=seconds,
                                  check=False)
        except subprocess.TimeoutExpired:
            return ""
    return done.stdout if done.returncode == 0 else ""

