"""Prepares what running models needs: files, devices, inputs, mace_run.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.commands import dsp, gpu, tuning
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.convert import Converted, ensure
from mace_tools.commands.remote import Chosen, Remote, code_of, on_places
from mace_tools.config.files import missing
from mace_tools.config.schema import Model
from mace_tools.devices.targets import Place
from mace_tools.graph import settings
from mace_tools.run import input_data, runner
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import UsageError


@dataclass(frozen=True)
class Job:
    """A converted and checked model. `files` are the files of its inputs."""

    tag: str
    model: Model
    converted: Converted
    devices: tuple[str, ...]  # one, or two in the order in which they run
    files: dict[str, Path]

    def report(self, runs: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """The report for --json: of the only device, or of each device."""
        own = {**self.converted.report(), "runtime": self.model.runtime}
        if len(self.devices) == 1:
            return {**own, "device": self.devices[0], **runs[self.devices[0]]}
        return {**own, "devices": dict(runs)}

    def on(self, device: str) -> str:
        """The device for headings, if there are several."""
        return f", {device.upper()}" if len(self.devices) > 1 else ""


@dataclass(frozen=True)
class Prepared:
    """A job that can be run. `flags` name its files and inputs, which exist until it ends."""

    tag: str
    model: Model
    converted: Converted
    mace_run: Path | runner.Program
    inputs: dict[str, np.ndarray]
    flags: dict[str, list[str]]  # by device
    where: str = "host"  # for headings


def jobs(context: Context) -> list[Job]:
    """Prepares all models that the command line selects, so that an error in any of them is
    found before the first one runs. Errors: MaceError of any stage."""
    checked = {}
    for tag, model in context.models.items():
        checked[tag] = (devices(context, tag, model), input_files(context, tag, model))
    found = [Job(tag, model, ensure(context, tag, model), *checked[tag])
             for tag, model in context.models.items()]
    if len(found) > 1:
        for job in found:
            _inputs(context, job)
    return found


def devices(context: Context, tag: str, model: Model) -> tuple[str, ...]:
    """The devices of the model, or the one of --device. Errors: UsageError."""
    asked = context.args.device
    if asked is None:
        return model.devices
    if asked not in model.devices:
        line = context.deployment.yaml.line("models", tag, "runtime")
        raise UsageError(
            f"--device={asked}: {context.deployment.path}:{line}: model '{tag}' has runtime: "
            f"{model.runtime}; write runtime: cpu+{asked if asked != 'cpu' else model.runtime} to "
            "run it on either"
            + _one_of(context, [t for t, m in context.models.items() if asked in m.devices]))
    return (asked,)


def input_files(context: Context, tag: str, model: Model) -> dict[str, Path]:
    """The files of --input, or else of the deployment file. Errors: MaceError."""
    args, names = context.args, model.subgraph.input_names
    try:
        files = input_data.assign(args.input, names, tag)
    except MaceError as e:
        raise type(e)(f"{e}{_one_of(context, [t for t in context.models if _takes(context, t)])}"
                      ) from e
    given = model.extra("validation_inputs_data")
    if given is not None and not files and getattr(args, "validate", False):
        return {n: context.deployment.file(f) for n, f in zip(names, given)}
    for name, file in files.items():
        if not file.is_file():
            wrong = f"'{file}' is not a file" if file.exists() else missing(str(file))
            raise MaceError(f"input '{name}': {wrong}")
    return files


def _takes(context: Context, tag: str) -> bool:
    """Whether --input fits a model."""
    try:
        input_data.assign(context.args.input, context.models[tag].subgraph.input_names, tag)
    except MaceError:
        return False
    return True


def _one_of(context: Context, fitting: list[str]) -> str:
    """A hint that one of several models can be run alone."""
    if len(context.models) == 1:
        return ""
    names = " or ".join(f"--model_name={tag}" for tag in fitting) or "--model_name=NAME"
    return f". The file has {len(context.models)} models: {names} runs one of them"


@contextmanager
def prepared(context: Context, job: Job, remote: Remote | None = None) -> Iterator[Prepared]:
    """To run on this machine, or elsewhere. Errors: MaceError of any stage."""
    args, model, converted = context.args, job.model, job.converted
    if converted.custom_ops:
        raise MaceError(f"{job.tag}: mace_run does not have the custom ops "
                        f"{', '.join(converted.custom_ops)}, which the app registers "
                        "(docs/custom_ops.md): run the model in the app, or give output_tensors "
                        "before them")
    inputs = _inputs(context, job)
    mace_run = remote.program if remote else runner.find(context.console, args.mace_run)
    place = remote.place if remote else None
    with tempfile.TemporaryDirectory(prefix="mace_inputs.") as folder:
        common = [f"--model_file={converted.pb}", f"--model_data_file={converted.data}"]
        for k, (name, array) in enumerate(inputs.items()):
            file = Path(folder) / f"{k}.npy"
            input_data.save(file, array)
            common.append(f"--input={name}={file}")
        common += runner.flags({"allow_nan": args.allow_nan})
        flags = {device: [*common, *device_flags(context, model, device, place)]
                 for device in job.devices}
        where = f"{place.name}, {place.machine.soc}, {place.abi}" if place else "host"
        yield Prepared(job.tag, model, converted, mace_run, inputs, flags, where)


def everywhere(
    context: Context, found: list[Job], chosen: Chosen,
    one: Callable[[Context, Job, Prepared, str], dict[str, Any]],
) -> Outcome:
    """Runs `one` with each job here and on the chosen places; the text that it is given names the
    files of a place, if there are several."""
    results, ok = {job.tag: job.report({d: {} for d in job.devices}) for job in found}, True
    if chosen.here:
        for job in found:
            with prepared(context, job) as ready:
                results[job.tag] = one(context, job, ready, "")
    if chosen.there.places or chosen.there.broken:
        def work(own: Context, job: Job, there: Remote) -> dict[str, Any]:
            with prepared(own, job, there) as ready:
                return one(own, job, ready, there.place.file_name if chosen.several else "")

        ok, by_place = on_places(context, found, chosen, work)
        for tag, ones in by_place.items():
            results[tag]["places"] = ones
    return code_of(ok, results), results


def device_flags(
    context: Context, model: Model, device: str, place: Place | None = None
) -> list[str]:
    args, chosen = context.args, tuning.settings_of(context, model, device, place)
    chosen |= {"cpu_affinity_policy": args.cpu_affinity_policy,
               "gpu_perf_hint": args.gpu_perf_hint, "gpu_priority_hint": args.gpu_priority_hint}
    if args.omp_num_threads is not None:
        chosen["num_threads"] = args.omp_num_threads
    own = {"cpu": list, "gpu": lambda: gpu.flags(context),
           "dsp": lambda: dsp.flags(context.console, args, place)}[device]()
    return [*own, *settings.flags(chosen, device)]


def _inputs(context: Context, job: Job) -> dict[str, np.ndarray]:
    specs = input_data.specs(job.converted.net.input_info, job.model)
    specs = input_data.reshaped(specs, dict(context.args.input_shape), job.tag)
    return input_data.load(job.files, specs, job.model.extra("preprocess"), context.args.seed,
                     context.console, context.args.allow_nan)


def check_runtime(context: Context, tag: str, model: Model) -> None:
    """Says so if a command, which runs the model on this machine, was perhaps meant for others."""
    abis = context.deployment.library.target_abis
    if "host" not in abis:
        context.console.warn(f"{tag}: target_abis is {', '.join(abis)}; this command runs on the "
                             "machine at hand (`run`, `benchmark` and `generate` run on phones and "
                             "boards)")


def own_file(file: Path | None, job: Job, device: str, num_models: int,
             place: str = "") -> Path | None:
    """Each model, each device of a model, and each phone or board gets a file of its own."""
    if file is None:
        return None
    name = f"{file.stem}_{job.tag}" if num_models > 1 else file.stem
    name += f"_{device}" if len(job.devices) > 1 else ""
    name += f"_{place}" if place else ""
    return file.with_name(f"{name}{file.suffix}")
