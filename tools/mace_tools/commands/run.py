"""run: runs models, times them, prints labels, and compares them with their source framework.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools import frameworks
from mace_tools.commands import labels, output_summary, remote, result_file
from mace_tools.commands.compare_devices import compare
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import Job, Prepared, everywhere, jobs, own_file
from mace_tools.commands.source_values import SourceValues
from mace_tools.commands.validation import validate_run
from mace_tools.graph.model_quantization import stands_for
from mace_tools.run import input_data, runner

Arrays = dict[str, np.ndarray]


def command(context: Context) -> Outcome:
    if context.args.validate:
        for platform in {m.platform for m in context.models.values()}:
            frameworks.require(platform)
    if context.args.output_dir is not None:
        result_file.make_folder(context.args.output_dir, "--output_dir")
    if context.args.trace is not None:
        result_file.check_writable(context.args.trace, "--trace")
    names = {tag: labels.read(context, tag, m) for tag, m in context.models.items()}
    chosen = remote.choose(context)
    found, sources = jobs(context), Sources()

    def one(own: Context, job: Job, ready: Prepared, place: str) -> dict[str, Any]:
        own = _in_folder(own, place) if place else own
        if len(context.models) > 1:
            own = _in_folder(own, job.tag)
        if own.args.dump:
            return job.report({device: _dump(own, ready, device) for device in job.devices})
        return _on_devices(own, job, ready, names[job.tag], sources, place)

    return everywhere(context, found, chosen, one)


class Sources:
    """The source models in their frameworks, each read once, wherever the model runs."""

    def __init__(self) -> None:
        self._known: dict[str, SourceValues] = {}
        self._lock = threading.Lock()

    def of(self, context: Context, ready: Prepared, outputs: list[str]) -> SourceValues:
        """Errors: MaceError of the importer."""
        with self._lock:
            if ready.tag not in self._known:
                self._known[ready.tag] = SourceValues(context, ready, outputs)
            return self._known[ready.tag]


def _in_folder(context: Context, name: str) -> Context:
    """With a folder of its own for the outputs."""
    given = context.args.output_dir
    folder = given / name if given is not None else None
    return replace(context, args=argparse.Namespace(**{**vars(context.args),
                                                       "output_dir": folder}))


def _dump(context: Context, ready: Prepared, device: str) -> dict[str, Any]:
    """Prints a stage. If there are several devices, stderr names the device."""
    if len(ready.flags) > 1:
        context.console.info(f"{ready.tag} on the {device.upper()}:")
    flags = runner.flags({"dump": context.args.dump, "wide": context.args.wide})
    summary = runner.call(ready.mace_run, [*ready.flags[device], *flags], context.console)
    return {"plan": summary} if summary else {}


def _on_devices(
    context: Context, job: Job, ready: Prepared, names: list[str] | None, sources: Sources,
    place: str,
) -> dict[str, Any]:
    """Runs on each device in turn, and compares two of them. `place` names the files of a phone or
    board, if there are several."""
    runs: dict[str, dict[str, Any]] = {}
    outputs: dict[str, Arrays] = {}
    for device in job.devices:
        context.console.banner(f"Run model {ready.tag} on {ready.where}{job.on(device)}")
        runs[device], outputs[device] = _run(context, job, ready, device, place)
        summary = runs[device]
        if context.args.output_dir is not None:
            folder = context.args.output_dir
            summary["output_files"] = _keep(folder / device if len(job.devices) > 1 else folder,
                                            outputs[device])
        net = ready.converted.net
        if names is None:
            output_summary.show(context.console, net, outputs[device],
                               summary.get("output_files", {}))
        else:
            summary["top"] = labels.show_top(context, ready.tag, _numbers(net, outputs[device]),
                                             names)
        if len(job.devices) == 1:  # of two, the comparison says it
            output_summary.say_where(context.console, ready.tag, device, summary)
        if context.args.validate:
            source = sources.of(context, ready, list(outputs[device]))
            summary["validation"] = validate_run(context, ready, device, outputs[device], source)
    summary = job.report(runs)
    if len(job.devices) > 1:
        summary["comparison"] = compare(context.console, job.tag, job.model, runs, outputs)
    return summary


def _numbers(net: Any, outputs: Arrays) -> Arrays:
    """The numbers for which outputs stand."""
    return {info.name: stands_for(outputs[info.name], info.quantization)
            for info in net.output_info}


def _run(
    context: Context, job: Job, ready: Prepared, device: str, place: str
) -> tuple[dict[str, Any], Arrays]:
    """Returns the latencies for --json, and the outputs."""
    args, console = context.args, context.console
    trace = own_file(args.trace, job, device, len(context.models), place)
    with tempfile.TemporaryDirectory(prefix="mace_outputs.") as folder:
        flags = [*ready.flags[device], f"--output_dir={folder}",
                 *runner.flags({"check_numerics": args.check_numerics})]
        timed = [*flags, f"--round={args.round}", *runner.flags({"trace": trace})]
        starts = [runner.call(ready.mace_run, timed, console, args.vlog_level)
                  for _ in range(args.restart_round)]
        if args.validate and ready.converted.net.variables:
            # The framework computes one run, at the beginning of a stream.
            runner.call(ready.mace_run, [*flags, "--warmup=0", "--round=1"], console,
                        args.vlog_level)
        outputs = _read_outputs(ready, Path(folder))
    if trace is not None:
        console.info(f"trace: {trace}")
    _note_odd(context, ready.tag, outputs)
    times = [ms for start in starts for ms in start.get("run_ms", [])]
    return {"latency": result_file.latency_summary(times), "starts": starts}, outputs


def _read_outputs(ready: Prepared, folder: Path) -> Arrays:
    names = [i.name for i in ready.converted.net.output_info]
    files = runner.files_of(names)
    return {name: np.load(folder / files[name]) for name in names}


def _note_odd(context: Context, tag: str, outputs: Arrays) -> None:
    """Warns of NaN and infinity, which are rarely intended."""
    for name, array in outputs.items():
        odd = int(np.size(array) - np.isfinite(array).sum())
        if odd:
            context.console.warn(f"{tag}: output '{name}' has {odd} NaN or infinite elements of "
                                 f"{array.size}")


def _keep(folder: Path, outputs: Arrays) -> dict[str, str]:
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / file for name, file in runner.files_of(outputs).items()}
    for name, file in files.items():
        input_data.save(file, outputs[name])
    return {name: str(file) for name, file in files.items()}
