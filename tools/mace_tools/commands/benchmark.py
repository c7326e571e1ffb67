"""benchmark: times every op of models; mace_run prints the tables.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mace_tools import cli_options as options
from mace_tools import report, runner
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import prepared
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
    for tag, model in context.models.items():
        with prepared(context, tag, model) as ready:
            context.console.banner(f"Benchmark model {tag} on host")
            trace = _trace_file(args.trace, tag, len(context.models))
            flags = runner.flags({"benchmark": True, "max_num_runs": args.max_num_runs,
                                  "max_time": args.max_time, "warmup": args.warmup_runs,
                                  "trace": trace})
            facts = runner.call(ready.mace_run, [*ready.flags, *flags], context.console,
                                args.vlog_level)
            results[tag] = {**ready.converted.facts(), **facts}
            if trace is not None:
                context.console.info(f"trace: {trace}")
    return ExitCode.OK, results


def _trace_file(file: Path | None, tag: str, num_models: int) -> Path | None:
    """Of one model; several models have a file each."""
    if file is None or num_models == 1:
        return file
    return file.with_name(f"{file.stem}_{tag}{file.suffix}")
