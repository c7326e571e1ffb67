"""benchmark: times every op of models; mace_run prints the tables.

SPDX-License-Identifier: Apache-2.0
"""

import json
from collections.abc import Mapping
from typing import Any

from mace_tools.analyze.check import benchmark_page, engine, onnx_view
from mace_tools.commands import output_summary, remote, result_file
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import Job, Prepared, everywhere, jobs, own_file
from mace_tools.run import runner
from mace_tools.support.atomic import atomic_files


def command(context: Context) -> Outcome:
    args = context.args
    for flag in ("trace", "html", "onnx_view"):
        if getattr(args, flag) is not None:
            result_file.check_writable(getattr(args, flag), f"--{flag}")
    chosen = remote.choose(context)
    return everywhere(context, jobs(context), chosen, _benchmark)


def _benchmark(context: Context, job: Job, ready: Prepared, place: str) -> dict[str, Any]:
    """On each device in turn. `place` names the files of a phone or board, if there are several."""
    args, runs = context.args, {}
    for device in job.devices:
        context.console.banner(f"Benchmark model {job.tag} on {ready.where}{job.on(device)}")
        trace = own_file(args.trace, job, device, len(context.models), place)
        flags = runner.flags({"benchmark": True, "max_num_runs": args.max_num_runs,
                              "max_time": args.max_time, "warmup": args.warmup_runs,
                              "trace": trace, "wide": args.wide})
        runs[device] = runner.call(ready.mace_run, [*ready.flags[device], *flags],
                                   context.console, args.vlog_level)
        output_summary.say_where(context.console, job.tag, device, runs[device])
        if trace is not None:
            context.console.info(f"trace: {trace}")
        _write_views(context, job, device, ready, runs[device], place)
    return job.report(runs)


def _write_views(
    context: Context, job: Job, device: str, ready: Prepared, result: Mapping[str, Any],
    place: str,
) -> None:
    """The files of --html and --onnx_view, one for each model and device."""
    args, several = context.args, len(context.models)
    if args.html is None and args.onnx_view is None:
        return
    plan, memory = engine.plan(ready.mace_run, ready.flags[device], device)
    html, view = (own_file(f, job, device, several, place) for f in (args.html, args.onnx_view))
    if html is not None:
        text = benchmark_page.render(job.tag, device, result, plan, memory,
                                     _limits(context, ready, device, result),
                                     job.converted.net)
        with atomic_files(html) as (out,):
            out.write(text.encode())
        context.console.info(f"report: {html}")
    if view is not None:
        times = {op["name"]: op["avg_us"] / 1000 for op in result["ops"]}
        with atomic_files(view) as (out,):
            out.write(onnx_view.render(job.converted.net, plan, times))
        context.console.info(f"view: {view}")


def _limits(
    context: Context, ready: Prepared, device: str, result: Mapping[str, Any]
) -> benchmark_page.Limits | None:
    """Of the CPU as it measures now; a GPU is not measured."""
    if device != "cpu":
        return benchmark_page.derived(result["ops"])
    threads = [f for f in ready.flags[device] if f.startswith("--num_threads=")]
    text = runner.output(ready.mace_run, ["--machine", *threads])
    return benchmark_page.measured(json.loads(text))
