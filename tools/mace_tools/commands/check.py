"""check: what of a model converts, where each node would run and why, and what it takes.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
from typing import Any

from mace_tools.analyze.check import engine, report
from mace_tools.analyze.check.plan_text import summary, table
from mace_tools.commands import check_model
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import Job, Prepared, jobs, own_file, prepared
from mace_tools.convert.importers.request import some
from mace_tools.run import runner
from mace_tools.support import tables
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode, RunFailedError


def without_config(args: argparse.Namespace, console: Console) -> ExitCode:
    """The check of MODEL."""
    return check_model.run(args, console)


def command(context: Context) -> Outcome:
    args, results = context.args, {}
    check_model.check_config_flags(args)
    for job in jobs(context):
        plans: dict[str, Any] = {}
        if job.converted.custom_ops:
            _print_custom_ops(context, job)
            _write_views(context, job, job.devices[0], None)
            results[job.tag] = job.converted.report()
            continue
        with prepared(context, job) as ready:
            for device in job.devices:
                text = runner.output(ready.mace_run, [*ready.flags[device], "--dump=plan_json"])
                plans[device] = plan = _parsed(text)
                context.console.banner(f"Check model {job.tag} for the {device.upper()}")
                fitter = tables.Fitter(tables.output_width(args.wide))
                for line in [*table(plan["nodes"], fitter), *summary(plan), *fitter.note()]:
                    context.console.data(line)
                if plan["note"]:
                    context.console.warn(f"{job.tag}: {plan['note']}")
                _write_views(context, job, device, ready)
        results[job.tag] = job.report(plans)
    return ExitCode.OK, results


def _write_views(context: Context, job: Job, device: str, ready: Prepared | None) -> None:
    """The files of --html and --onnx_view, one for each model and device; without what the engine
    would do if nothing is `ready`."""
    args = context.args
    if args.html is None and args.onnx_view is None:
        return
    checked = report.check_converted(job.converted.pb)
    checked.report["model"] = job.tag
    if ready is not None:
        checked.report["plan"], checked.memory = engine.plan(ready.mace_run, ready.flags[device],
                                                             device)
    check_model.estimate_library(checked, gpu=device == "gpu")
    several = len(context.models)
    check_model.write_views(
        context.console, checked, own_file(args.html, job, device, several),
        own_file(args.onnx_view, job, device, several))


def _print_custom_ops(context: Context, job: Job) -> None:
    """In place of a plan, which needs the shape rules of the app's ops."""
    context.console.banner(f"Check model {job.tag}")
    context.console.data("ops that the app must register before it creates an engine "
                         "(docs/custom_ops.md); they run on the CPU:")
    for op, nodes in job.converted.custom_ops.items():
        context.console.data(f"  {op}: {some(nodes)}")
    context.console.data("where the other nodes run depends on the shapes that these compute: the "
                         "engine of the app shows it with Dump(\"plan\", ...)")


def _parsed(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except ValueError as e:
        raise RunFailedError("mace_run --dump=plan_json printed no plan; it may be of another "
                             "version: leave out --mace_run to have it built") from e
