"""check MODEL: what is known of a model file without a deployment file or its framework.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

from mace_tools.analyze.check import engine, onnx_view, page, report, text
from mace_tools.commands import dsp, model_file
from mace_tools.commands import result_file as results
from mace_tools.commands.context import overrides
from mace_tools.package.library import abis, op_sizes
from mace_tools.run import runner
from mace_tools.support import tables
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, MissingToolError, RunFailedError, UsageError
from mace_tools.support.model_format import MACE_GRAPH, detect
from mace_tools.support.os_errors import explain

# Flags that mean something for the models of a deployment file only.
OF_CONFIG = ("model_name", "build_type", "input")
# And those that mean something for MODEL only.
OF_MODEL = ("input_shape", "output_tensors", "allow_custom_ops", "measure_library",
            *model_file.FLAGS)


def check_outputs(args: argparse.Namespace) -> None:
    """Checks that all files can be written before the work is done. Errors: MaceError."""
    for name in ("json", "html", "onnx_view"):
        if getattr(args, name) is not None:
            results.check_writable(getattr(args, name), f"--{name}")


def check_config_flags(args: argparse.Namespace) -> None:
    """Checks the flags of a check with --config. Errors: UsageError, MaceError."""
    if args.model is not None:
        raise UsageError("give MODEL or --config, not both")
    for name in OF_MODEL:
        if getattr(args, name):
            raise UsageError(f"--{name} is for a check of MODEL; the deployment file has a key for "
                             "it" if name != "measure_library" else
                             "--measure_library is for a check of MODEL; `build --sizes` measures "
                             "the library of a deployment file")
    check_outputs(args)


def run(args: argparse.Namespace, console: Console) -> ExitCode:
    """Errors: MaceError of any stage."""
    for name in OF_CONFIG:
        if getattr(args, name):
            raise UsageError(f"--{name} is for the models of a deployment file (--config=YML)")
    check_outputs(args)
    checked = _checked(args)
    _add_plan(args, console, checked)
    _add_library(args, console, checked)
    for line in text.lines(checked.report, tables.output_width(args.wide)):
        console.data(line)
    for note in checked.report["notes"]:
        console.warn(note)
    _write(args, console, checked)
    return checked.exit_code


def _checked(args: argparse.Namespace) -> report.Checked:
    path, shapes = args.model, dict(args.input_shape)
    if len(shapes) < len(args.input_shape):
        raise UsageError("--input_shape names an input twice")
    custom, outputs = (tuple(filter(None, words.split(",")))
                       for words in (args.allow_custom_ops, args.output_tensors))
    if not _is_converted(path):
        bare = model_file.read(args)
        return report.check_source(path, bare.platform, bare.model, shapes, custom, outputs)
    if any(getattr(args, name) for name in OF_MODEL if name != "measure_library"):
        raise UsageError(f"'{path}' is converted already: --input_shape, --output_tensors, "
                         "--allow_custom_ops, --weights and --signature are for source models")
    return report.check_converted(path)


def _is_converted(path: Path) -> bool:
    """Errors: MaceError if it cannot be read."""
    try:
        return path.is_file() and detect(path) is MACE_GRAPH
    except OSError as e:
        raise MaceError(f"cannot read '{path}': {explain(e, path)}") from e


def _add_plan(args: argparse.Namespace, console: Console, checked: report.Checked) -> None:
    """Asks the engine, if it can plan this graph."""
    summary = checked.report
    if summary["graph"] is None:
        return
    if summary["graph"]["custom_ops"]:
        summary["notes"].append("where nodes run depends on the shapes that custom ops compute: "
                                "the engine of the app shows it with Dump(\"plan\", ...)")
        return
    try:
        mace_run = runner.find(console, args.mace_run)
    except MissingToolError as e:
        if args.mace_run is not None:
            raise
        summary["notes"].append(f"devices, multiply-adds and memory are not shown: {e}")
        return
    device = args.device or "cpu"
    flags = dsp.flags(console, args) if device == "dsp" else [f"--device={device.upper()}"]
    if args.omp_num_threads is not None:
        flags.append(f"--num_threads={args.omp_num_threads}")
    with report.files(checked) as found:
        if found is not None:
            flags += [f"--model_file={found[0]}", f"--model_data_file={found[1]}"]
            try:
                summary["plan"], checked.memory = engine.plan(mace_run, flags, device)
            except RunFailedError as e:  # the rest of the report stands
                checked.engine_failed = True
                summary["notes"].append(f"devices and memory are not shown: {e}")


def _add_library(args: argparse.Namespace, console: Console, checked: report.Checked) -> None:
    gpu = args.device == "gpu"
    if not args.measure_library:
        estimate_library(checked, gpu)
        return
    found = report.library(checked, gpu)
    if found is None:
        return
    names = tuple(overrides(args).get("target_abis", ("host",)))
    if len(names) != 1:
        raise UsageError("--measure_library measures for one of the --target_abis")
    (abi,) = abis.find(names)
    size = op_sizes.measure(console, abi, tuple(found["ops"]), gpu, found["quantized"])
    checked.report["library"] = {**found, "bytes": size, "abi": abi.name, "how": "linked"}


def estimate_library(checked: report.Checked, gpu: bool) -> None:
    """Adds what a library with these ops takes."""
    found = report.library(checked, gpu)
    if found is not None:
        size = op_sizes.estimate(found["ops"], gpu, found["quantized"])
        checked.report["library"] = {**found, "bytes": size, "abi": op_sizes.stored()["abi"],
                                     "how": "estimated"}


def _write(args: argparse.Namespace, console: Console, checked: report.Checked) -> None:
    summary = {"command": "check", "exit_code": int(checked.exit_code), **checked.report}
    if args.json is not None:
        results.write_json(args.json, summary)
    write_views(console, checked, args.html, args.onnx_view)


def write_views(
    console: Console, checked: report.Checked, html: Path | None, view: Path | None
) -> None:
    """Writes the page and the ONNX view, as far as they are wanted."""
    if html is not None:
        with atomic_files(html) as (out,):
            out.write(page.render(checked.report, checked.memory, checked.net).encode())
        console.info(f"report: {html}")
    if view is None:
        return
    if checked.net is None:
        console.warn(f"--onnx_view={view} was not written: there is no converted graph to show")
        return
    with atomic_files(view) as (out,):
        out.write(onnx_view.render(checked.net, checked.report["plan"]))
    console.info(f"view: {view}")
