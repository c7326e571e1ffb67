"""benchmark: times every op of models; mace_run prints the tables.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mace_tools import cli_options as options
from mace_tools import report, runner
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import Job, jobs, prepared
from mace_tools.exit_codes import ExitCode

HELP = "time every op of the models of a deployment file"


def add_options(p: argparse.ArgumentParser) -> None:
    options.add_running(p)
    p.add_argument("--max_num_runs", type=options.positive, default=100, metavar="N",
                   help="at most so many runs, without and with statistics each (default: 100)")
    p.add_argument("--max_time", type=options.seconds, default=10.0, metavar="SECONDS",
                   help="at most so long in all (default: 10)")
    p.add_argument("--warmup_runs", type=options.positive, default=1, metavar="N",
                   help="runs before the timed ones (default: 1)")
    p.add_argument("--trace", type=Path, metavar="FILE",
                   help="write the last run as a Chrome trace (for chrome://tracing or Perfetto)")


def command(context: Context) -> Outcome:
    args, results = context.args, {}
    if args.trace is not None:
        report.check_writable(args.trace, "--trace")
    for job in jobs(context):
        runs = {}
        with prepared(context, job) as ready:
            for device in job.devices:
                context.console.banner(f"Benchmark model {job.tag} on host{job.on(device)}")
                trace = _trace_file(args.trace, job, device, len(context.models))
                flags = runner.flags({"benchmark": True, "max_num_runs": args.max_num_runs,
                                      "max_time": args.max_time, "warmup": args.warmup_runs,
                                      "trace": trace, "wide": args.wide})
                runs[device] = runner.call(ready.mace_run, [*ready.flags[device], *flags],
                                           context.console, args.vlog_level)
                if trace is not None:
                    context.console.info(f"trace: {trace}")
        results[job.tag] = job.facts(runs)
    return ExitCode.OK, results


def _trace_file(file: Path | None, job: Job, device: str, num_models: int) -> Path | None:
    """Each model and each device of a model gets a file of its own."""
    if file is None:
        return None
    name = f"{file.stem}_{job.tag}" if num_models > 1 else file.stem
    name += f"_{device}" if len(job.devices) > 1 else ""
    return file.with_name(f"{name}{file.suffix}")
