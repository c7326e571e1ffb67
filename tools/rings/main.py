"""tools/test.sh: rings of tests, single suites, what a change affects, and the state of deep ones.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import errno
import sys
from dataclasses import dataclass, field

from rings.check import check_again, check_lines
from rings.deep import Standing, print_status, run_slices, standings, to_run
from rings.errors import Exit, RingsError
from rings.runner import Interrupted, Runner, alone, exit_code, interruptible, say
from rings.slices import ABOUT, SLICES
from rings.steps import Slice, Suite
from rings.suites import BOUNDS, RINGS, standard
from rings.summary import Summary

GROUPS = {"arm": ("aarch64", "armv7"), "all": ("full", "deep")}
RESULTS = "results"
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}


@dataclass
class Plan:
    """What is to run, in this order."""

    rings: list[str] = field(default_factory=list)  # that run as a whole
    suites: list[Suite] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)
    results: bool = False  # whether to check the file of results


def help_text() -> str:
    lines = ["usage: tools/test.sh [NAME ...] [--ring=RING] [--resume]",
             "       tools/test.sh status", "",
             "Sets up, runs rings, suites or slices by their names (quick if none is named), and",
             'ends with "N passed, N failed, N skipped". Rings, with their bounds on 2 cores:', "",
             f"  {'quick':10} the first five suites: {BOUNDS['quick']}",
             f"  {'full':10} these with the cases marked full, too: {BOUNDS['full']}",
             f"  {'deep':10} all slices of the other suites: {BOUNDS['deep']}",
             f"  {'all':10} full and deep", "", "Suites of the quick and the full ring:", ""]
    lines += [f"  {suite.name:10} {suite.about}" for suite in standard("quick")]
    lines += ["", "Deep suites (SUITE/SLICE names one slice); arm is aarch64 and armv7:", ""]
    for suite, about in ABOUT.items():
        names = [part.name for part in SLICES if part.suite == suite]
        lines += [f"  {suite:10} {about}", f"  {'':10}   {' '.join(names)}"]
    return "\n".join([*lines, "", *_COMMANDS.splitlines()])


_COMMANDS = """\
Others:

  status     each slice: its last result, and whether its inputs changed since (STALE)
  results    checks test/deep_results.txt and runs one of its short slices again, as CI does

  --ring=RING  which cases of a suite run: quick (default), full, or deep (all)
  --resume     keeps the results of slices whose inputs did not change since they passed

Deep slices write their results to test/deep_results.txt, which belongs into the commit.
MACE_TEST_DATA names the folder of models and conformance data (default ../shared); tests whose data
is not there are counted as skipped. Build results are kept in $MACE_CACHE (default ~/.cache/mace).
Exit codes: 0 all passed, 1 some failed, 2 unknown name or option, 3 cannot run, 130 Ctrl-C."""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="test", add_help=False, allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ring", choices=RINGS, default="quick")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    return parser.parse_args(arguments)


def plan_of(names: list[str], ring: str) -> Plan:
    plan = Plan()
    inner = {suite.name: suite for suite in standard(ring)}
    todo = list(names) or ["quick"]
    while todo:
        name = todo.pop(0)
        if name in GROUPS:
            todo[:0] = GROUPS[name]
        elif name == "deep":
            plan.rings.append(name)
            plan.slices += SLICES
        elif name in RINGS:
            plan.rings.append(name)
            plan.suites += standard(name)
        elif name == RESULTS:
            plan.results = True
        elif name in inner:
            plan.suites.append(inner[name])
        elif chosen := [part for part in SLICES if name in (part.suite, part.label)]:
            plan.slices += chosen
        else:
            raise RingsError(f"unknown suite '{name}'", "tools/test.sh --help names them all",
                             Exit.USAGE)
    plan.slices = [part for part in SLICES if part in plan.slices]  # each once
    return plan


def run(plan: Plan, runner: Runner, resume: bool) -> Exit:
    summary = Summary()
    chosen: list[Standing] = standings(runner.root, plan.slices) if plan.slices else []
    needs_set_up = plan.suites or plan.results or to_run(chosen, resume)
    set_up = runner.set_up() if needs_set_up else 0
    for suite in plan.suites:
        say(f"== {suite.name}")
        summary.add(suite.name, *runner.run(suite.name, suite.steps))
    run_slices(runner, chosen, resume, summary)
    if plan.results:
        say(f"== {RESULTS}")
        summary.add(RESULTS, check_lines(runner.root), 0)
        check_again(runner, summary)
    return summary.finish(set_up, [(ring, BOUNDS[ring]) for ring in plan.rings])


def main(arguments: list[str]) -> int:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    options = parse(arguments)
    if options.help:
        print(help_text())
        return Exit.PASSED
    runner = Runner.of_environment()
    try:
        if options.names == ["status"]:
            print_status(runner.root)
            return Exit.PASSED
        plan = plan_of(options.names, options.ring)
        with alone(runner.root), interruptible():
            return run(plan, runner, options.resume)
    except RingsError as error:
        print(f"test: {error}\ntest: cure: {error.cure}", file=sys.stderr)
        return error.code
    except OSError as error:
        if error.errno not in _OF_THE_DISK:
            raise
        place = f"{error.filename}: " if error.filename else ""
        print(f"test: {place}{error.strerror}\ntest: cure: free space, or permit writing there",
              file=sys.stderr)
        return Exit.CANNOT_RUN
    except Interrupted as interrupted:
        say("interrupted; the slice under way is not recorded, those before it are")
        return exit_code(interrupted)
