"""plan: applies every memory strategy to a model or to records, and compares them in a table and
charts.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import dataclasses
import re
from pathlib import Path
from typing import Any

from mace_tools.analyze.plan import chart_html, chart_svg, export, planner, pools, records, table
from mace_tools.analyze.plan.problem import Problem, Study
from mace_tools.analyze.plan.records import EngineMemory
from mace_tools.commands import dsp, result_file
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.convert import ensure
from mace_tools.commands.prepare import check_runtime
from mace_tools.run import runner
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError


def command(context: Context) -> Outcome:
    args, console, results = context.args, context.console, {}
    if args.records is not None:
        raise UsageError("give --config or --records, not both")
    mace_run = runner.find(console, args.mace_run)
    mace_plan = runner.find(console, args.mace_plan, runner.MACE_PLAN)
    for tag, model in context.models.items():
        check_runtime(context, tag, model)
        converted = ensure(context, tag, model)
        # On the GPU if the model runs there, where images take most of the memory.
        device = "GPU" if "gpu" in model.devices else "CPU"
        on = dsp.flags(console, args) if "dsp" in model.devices else [f"--device={device}"]
        dump = runner.output(mace_run, [
            f"--model_file={converted.pb}", f"--model_data_file={converted.data}",
            *on, *_strategy_of_records(device), "--dump=memory_json"])
        study = _study(mace_plan, records.from_engine(tag, dump), args, tag)
        files = _write(study, context.folder / "plan")
        _show(console, study, files, args.wide)
        results[tag] = {**converted.report(), "plan": export.to_json(study), "files": files}
    return ExitCode.OK, results


def _strategy_of_records(device: str) -> list[str]:
    """The model carries the settings on which its records depend. On the GPU its strategy is left
    out, because strategies are compared here, and one that cannot plan images would be an error."""
    return ["--memory_strategy=AUTO"] if device == "GPU" else []


def _study(mace_plan: Path, memory: EngineMemory, args: argparse.Namespace, tag: str) -> Study:
    """The study of the arena, or of the arena and the images, which are planned separately."""
    if memory.arena is None and not memory.images:
        raise MaceError(f"{tag}: no tensor lies in memory between two steps, and no kernel needs "
                        "scratch; there is nothing to plan")
    arena = None
    if memory.arena is not None:
        problem = dataclasses.replace(memory.arena, capacity=args.capacity or memory.arena.capacity)
        arena = planner.study(mace_plan, problem, args.strategy, args.budget_ms, tag,
                              memory.savings)
    elif args.capacity is not None:
        raise UsageError(f"--capacity={args.capacity}: it is that of an arena, and all tensors of "
                         f"'{tag}' are images on the GPU; leave it out")
    if arena is not None and not memory.images:
        return arena
    images = [planner.study(mace_plan, problem, args.strategy, args.budget_ms, tag)
              for problem in memory.images]
    pieces = None
    if memory.arena is not None:
        pieces = planner.study(mace_plan, pools.in_pieces(memory.arena), args.strategy,
                               args.budget_ms, tag)
    return pools.merge(arena, pieces, images, tag)


def without_config(args: argparse.Namespace, console: Console) -> ExitCode:
    """The study of --records."""
    if args.json is not None:
        result_file.check_writable(args.json, "--json")
    problem = records.read(args.records, args.model_name)
    if args.capacity is not None:
        problem = dataclasses.replace(problem, capacity=args.capacity)
    mace_plan = runner.find(console, args.mace_plan, runner.MACE_PLAN)
    study = planner.study(mace_plan, problem, args.strategy, args.budget_ms, str(args.records))
    files = _write(study, args.output / file_name(problem) / "plan", args.json)
    _show(console, study, files, args.wide)
    return ExitCode.OK


def file_name(problem: Problem) -> str:
    return re.sub(r"[^\w.-]", "_", problem.name).lstrip(".") or "records"


def _write(study: Study, folder: Path, also: Path | None = None) -> dict[str, str]:
    """Writes all files or none. `also` is a second path for the JSON."""
    text = export.json_text(study)
    contents = {"json": text, "svg": chart_svg.render(study), "html": chart_html.render(study)}
    rows = export.to_csv(study)
    if rows is not None:
        contents["csv"] = rows
    paths = {kind: folder / f"{file_name(study.problem)}.{kind}" for kind in contents}
    targets = [*paths.values(), *([also] if also else [])]
    with atomic_files(*targets) as files:
        for file, content in zip(files, [*contents.values(), text]):
            file.write(content.encode())
    return {kind: str(path) for kind, path in paths.items()}


def _show(console: Console, study: Study, files: dict[str, Any], wide: bool) -> None:
    for line in table.lines(study, wide):
        console.data(line)
    for kind in sorted(files):
        console.info(f"{kind}: {files[kind]}")
    if "csv" not in files:
        console.info("csv: not written, for it cannot hold sizes with several extents")
