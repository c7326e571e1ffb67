"""compare: a converted model beside its source, or beside itself on another device or in another
type: errors of the outputs and of every layer, the first wrong layer, and why it is.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from mace_tools import frameworks
from mace_tools.analyze.compare import page, text, verdict
from mace_tools.commands import compare_sides, init, model_file, result_file
from mace_tools.commands.compare_sides import Comparable
from mace_tools.commands.context import Context, Outcome, overrides
from mace_tools.config.draft import OPEN
from mace_tools.config.draft import text as draft_text
from mace_tools.config.load import load
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode, UsageError


def without_config(args: argparse.Namespace, console: Console) -> ExitCode:
    """Compares a model file: drafts its deployment file first."""
    if args.json is not None:
        result_file.check_writable(args.json, "--json")
    with tempfile.TemporaryDirectory(prefix="mace_compare.") as folder:
        yml = Path(folder) / "model.yml"
        yml.write_text(_draft(args, console), encoding="utf-8")
        context = Context(args, load(yml, overrides(args)), console)
        args.model_name = None
        code, results = _compare(context)
    if args.json is not None:
        result_file.write_json(args.json, {"command": args.command, "model": str(args.model),
                                      "exit_code": int(code), "models": results})
    return code


def command(context: Context) -> Outcome:
    if context.args.model is not None:
        raise UsageError(f"{context.args.model} and --config={context.args.config} name a model "
                         "each; give one of them")
    for name in model_file.FLAGS:
        if getattr(context.args, name):
            raise UsageError(f"--{name} is for MODEL; the deployment file has a key for it")
    return _compare(context)


def _draft(args: argparse.Namespace, console: Console) -> str:
    if args.model.suffix in (".yml", ".yaml"):
        raise UsageError(f"{args.model} is a deployment file; write --config={args.model}")
    found = init.draft_of(args, console)
    if found.is_open:
        raise UsageError(
            f"{args.model} leaves extents of its inputs open: `tools/converter.py init "
            f"{args.model} --output=my.yml`, fill in each '{OPEN}' of my.yml, and compare with "
            "--config=my.yml")
    return draft_text(found)


def _compare(context: Context) -> Outcome:
    args = context.args
    if args.devices and args.data_types:
        raise UsageError("--devices and --data_types compare the engine with itself, each in its "
                         "own way; give one of them")
    if args.html is not None:
        result_file.check_writable(args.html, "--html")
    if not (args.devices or args.data_types):
        for platform in {m.platform for m in context.models.values()}:
            frameworks.require(platform, "compare")
    results: dict[str, Any] = {}
    pages: list[page.Compared] = []
    passed = True
    for tag, model in context.models.items():
        done = []
        for one in compare_sides.of_model(context, tag, model):
            finding = _examine(context, tag, one)
            done.append(verdict.report(one.study, finding))
            pages.append((f"{tag}: {one.heading}", replace(one.study), finding))
            passed = passed and finding.passed
        results[tag] = {"comparisons": done}
    if args.html is not None:
        with atomic_files(args.html) as (out,):
            out.write(page.render(", ".join(context.models), pages).encode())
        context.console.info(f"wrote {args.html}")
    return ExitCode.OK if passed else ExitCode.VALIDATION_FAILED, results


def _examine(context: Context, tag: str, one: Comparable) -> verdict.Finding:
    console = context.console
    console.banner(f"Compare {tag}: {one.heading}")
    finding = verdict.examine(one.study, context.args.layers, one.exact, console.info)
    found = text.lines(one.study, finding, context.args.wide)
    for line in found:
        console.data(line)
    return finding
