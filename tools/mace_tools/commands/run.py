"""run: runs models, times them, prints labels, and compares them with their source framework.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools import data, frameworks, importers, protos, report, runner, validate
from mace_tools.cli_console import boxed
from mace_tools.commands import labels, remote, source_run
from mace_tools.commands.both_devices import compare
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.import_model import TO_NCHW, TO_NHWC
from mace_tools.commands.prepare import Job, Prepared, jobs, prepared
from mace_tools.importers.fixed_inputs import arrays
from mace_tools.importers.kept_states import zeros
from mace_tools.quantized import has_codes

Arrays = dict[str, np.ndarray]


def command(context: Context) -> Outcome:
    if context.args.validate:
        for platform in {m.platform for m in context.models.values()}:
            frameworks.require(platform)
    if context.args.output_dir is not None:
        report.make_folder(context.args.output_dir, "--output_dir")
    names = {tag: labels.read(context, tag, m) for tag, m in context.models.items()}
    chosen = remote.choose(context)
    found, expected, ok = jobs(context), Expected(), True
    results = {job.tag: job.facts({d: {} for d in job.devices}) for job in found}
    if chosen.here:
        for job in found:
            with prepared(context, job) as ready:
                results[job.tag] = _everything(context, job, ready, names[job.tag], expected)
    if chosen.there.places or chosen.there.broken:

        def work(own: Context, job: Job, place: remote.Remote) -> dict[str, Any]:
            with prepared(own, job, place) as ready:
                own = _in_folder(own, place.place.file_name) if chosen.several else own
                return _everything(own, job, ready, names[job.tag], expected)

        ok, by_place = remote.on_places(context, found, chosen, work)
        for tag, ones in by_place.items():
            results[tag]["places"] = ones
    return remote.code_of(ok, results), results


class Expected:
    """The outputs of the source framework, computed once for each model."""

    def __init__(self) -> None:
        self._known: dict[str, Arrays] = {}
        self._lock = threading.Lock()

    def of(self, context: Context, ready: Prepared, outputs: list[str]) -> Arrays:
        """Errors: MaceError of the framework."""
        with self._lock:
            if ready.tag not in self._known:
                self._known[ready.tag] = _expected(context, ready, outputs)
            return self._known[ready.tag]


def _in_folder(context: Context, name: str) -> Context:
    """With a folder of its own for the outputs."""
    given = context.args.output_dir
    folder = given / name if given is not None else None
    return replace(context, args=argparse.Namespace(**{**vars(context.args),
                                                       "output_dir": folder}))


def _everything(
    context: Context, job: Job, ready: Prepared, names: list[str] | None, expected: Expected
) -> dict[str, Any]:
    if context.args.dump:
        return job.facts({device: _dump(context, ready, device) for device in job.devices})
    return _run_everywhere(context, job, ready, names, expected)


def _dump(context: Context, ready: Prepared, device: str) -> dict[str, Any]:
    """Prints a stage. If there are several devices, stderr names the device."""
    if len(ready.flags) > 1:
        context.console.info(f"{ready.tag} on the {device.upper()}:")
    flags = runner.flags({"dump": context.args.dump, "wide": context.args.wide})
    facts = runner.call(ready.mace_run, [*ready.flags[device], *flags], context.console)
    return {"plan": facts} if facts else {}


def _run_everywhere(
    context: Context, job: Job, ready: Prepared, names: list[str] | None, known: Expected
) -> dict[str, Any]:
    """Runs on each device in turn, and compares two of them."""
    runs: dict[str, dict[str, Any]] = {}
    outputs: dict[str, Arrays] = {}
    for device in job.devices:
        context.console.banner(f"Run model {ready.tag} on {ready.where}{job.on(device)}")
        runs[device], outputs[device] = _run(context, ready, device)
        facts = runs[device]
        if context.args.output_dir is not None:
            folder = context.args.output_dir
            facts["output_files"] = _keep(folder / device if len(job.devices) > 1 else folder,
                                          outputs[device])
        if names is not None:
            facts["top"] = labels.show_top(context, ready.tag, outputs[device], names)
        if context.args.validate:
            expected = known.of(context, ready, list(outputs[device]))
            facts["validation"] = _validate(context, ready, device, outputs[device], expected)
    facts = job.facts(runs)
    if len(job.devices) > 1:
        facts["comparison"] = compare(context.console, job.tag, job.model, runs, outputs)
    return facts


def _run(context: Context, ready: Prepared, device: str) -> tuple[dict[str, Any], Arrays]:
    """Returns the latencies for --json, and the outputs."""
    args, console = context.args, context.console
    with tempfile.TemporaryDirectory(prefix="mace_outputs.") as folder:
        flags = [*ready.flags[device], f"--output_dir={folder}",
                 *runner.flags({"check_numerics": args.check_numerics})]
        starts = [runner.call(ready.mace_run, [*flags, f"--round={args.round}"], console,
                              args.vlog_level) for _ in range(args.restart_round)]
        if args.validate and ready.converted.net.variables:
            # The framework computes one run, at the beginning of a stream.
            runner.call(ready.mace_run, [*flags, "--warmup=0", "--round=1"], console,
                        args.vlog_level)
        outputs = _read_outputs(ready, Path(folder))
    _note_odd(context, ready.tag, outputs)
    times = [ms for start in starts for ms in start.get("run_ms", [])]
    return {"latency": report.latency_summary(times), "starts": starts}, outputs


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
        data.save(file, outputs[name])
    return {name: str(file) for name, file in files.items()}


def _expected(context: Context, ready: Prepared, outputs: list[str]) -> Arrays:
    """The outputs of the source framework, in the dimension orders of the converted model."""
    model, net, file = ready.model, ready.converted.net, ready.converted.source
    weights = ready.converted.weights
    read = importers.read(model.platform, file, model.signature or "", weights=weights)
    order = read.data_format
    feeds = {s.name: _reordered(ready.inputs[s.name], s.data_format, order, to_source=True)
             for s in data.specs(net.input_info)}
    feeds |= arrays(read, model.subgraph.input_values or {})
    feeds |= zeros(read, model.subgraph.states or {})
    context.console.info(f"running {file.name} in {frameworks.title(model.platform)}")
    found = source_run.outputs(model, file, weights, read, feeds, outputs)
    return {s.name: _reordered(found[s.name], s.data_format, order, to_source=False)
            for s in data.specs(net.output_info)}


def _validate(
    context: Context, ready: Prepared, device: str, outputs: Arrays, expected: Arrays
) -> dict[str, Any]:
    """Prints the figures of each output and the verdict."""
    model = ready.model
    fp16 = model.stored_type != "f32" or _has_fp16(ready.converted.net)
    similarity, rel_error = validate.limits(device, model.validation_threshold, fp16,
                                            model.quantize is not None
                                            or device == "gpu" and _has_codes(ready.converted.net),
                                            _is_dynamic(model.platform, ready.converted.net),
                                            _rounds(model.platform, ready.converted.net))
    failures, facts = [], []
    for name, reference in expected.items():
        found = validate.compare(name, outputs[name], reference)
        failure = found.failure(similarity, rel_error)
        failures += [f"'{name}': {failure}"] if failure else []
        facts.append({**found.facts(), "passed": not failure})
        context.console.data(found.lines(model.platform))
    passed = not failures
    verdict = "Similarity Test Passed" if passed else "Similarity Test Failed"
    context.console.data(boxed(verdict), "green" if passed else "red")
    for failure in failures:
        context.console.error(f"{ready.tag}: output {failure}")
    return {"passed": passed, "min_similarity": similarity, "max_rel_error": rel_error,
            "outputs": facts}


def _has_fp16(net: Any) -> bool:
    """Whether the source model has weights, inputs or outputs in fp16, and thus its errors."""
    half = protos.mace().DT_HALF
    ends = [i.data_type for i in (*net.input_info, *net.output_info)]
    return half in ends or any(t.stored_type == half for t in net.tensors)


def _has_codes(net: Any) -> bool:
    """Whether the source model computes in codes, and this one in floats with its weights."""
    codes = (protos.mace().DT_INT8, protos.mace().DT_UINT8)
    return any(i.quantization.scales for i in (*net.input_info, *net.output_info)) or any(
        t.stored_type in codes for t in net.tensors)


def _rounds(platform: str, net: Any) -> bool:
    """Whether codes are a rounding of what the source computes in, so that results may differ by
    steps of them. Of TFLite's codes, results are equal."""
    return platform != "tflite" and _computes_in_codes(net)


def _is_dynamic(platform: str, net: Any) -> bool:
    """Whether the source model has weights in codes, and the engine computes in floats only."""
    return (platform in ("tflite", "tensorflow") and has_codes(net)
            and not _computes_in_codes(net))


def _computes_in_codes(net: Any) -> bool:
    return any(q.scales for op in net.op for q in op.output_quantization)


def _reordered(array: np.ndarray, fmt: str, source: str, to_source: bool) -> np.ndarray:
    """A picture tensor in the dimension order of the source model, or back."""
    if array.ndim != 4 or fmt in ("NONE", source):
        return array
    wanted = source if to_source else fmt
    return np.ascontiguousarray(array.transpose(TO_NCHW if wanted == "NCHW" else TO_NHWC))
