"""tools/test.sh: rings of tests, single suites, what a change affects, and the state of deep ones.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import errno
import sys
from dataclasses import dataclass, field, replace

from rings.affected import Affected, affected, bazel_query, changed_files
from rings.check import check_again, check_lines
from rings.deep import Standing, print_status, run_slices, standings, to_run
from rings.errors import Exit, RingsError
from rings.runner import Interrupted, Runner, alone, exit_code, interruptible, say
from rings.slices import ABOUT, SLICES
from rings.steps import Slice, Suite
from rings.suites import BOUNDS, RINGS, dsp, host, pocl, python, standard
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
    may_be_empty: bool = False  # whether suites may have no case of their ring


def help_text() -> str:
    lines = ["usage: tools/test.sh [NAME ...] [--ring=RING] [--resume]",
             "       tools/test.sh affected [BASE] [--ring=RING] [--list]",
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

  affected   what a change can affect, from where the branch left main, or from BASE, to the files
             as they are now: lint, C++ tests by Bazel's graph, Python tests by their imports
  status     each slice: its last result, and whether its inputs changed since (STALE)
  results    checks test/deep_results.txt and runs one of its short slices again, as CI does

  --ring=RING  which cases of a suite run: quick (default), full, or deep (all)
  --resume     keeps the results of slices whose inputs did not change since they passed, and of
               the others those C++ tests that Bazel knows to give the same
  --list       names what is affected, and runs nothing

Deep slices write their results to test/deep_results.txt, which belongs into the commit.
MACE_TEST_DATA names the folder of models and conformance data (default ../shared); tests whose data
is not there are counted as skipped. Build results are kept in $MACE_CACHE (default ~/.cache/mace).
Exit codes: 0 all passed, 1 some failed, 2 unknown name or option, 3 cannot run, 130 Ctrl-C."""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="test", add_help=False, allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ring", choices=RINGS, default="quick")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    options = parser.parse_args(arguments)
    if options.list and options.names[:1] != ["affected"]:
        parser.error("--list belongs to affected")
    if options.names[:1] == ["affected"] and len(options.names) > 2:
        parser.error(f"affected takes one BASE, not {' '.join(options.names[1:])}")
    return options


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


def run(plan: Plan, runner: Runner, resume: bool, set_up: float | None = None) -> Exit:
    runner = replace(runner, strict=bool({"full", "deep"} & set(plan.rings)))
    summary = Summary()
    chosen: list[Standing] = standings(runner.root, plan.slices) if plan.slices else []
    if set_up is None:
        needs_set_up = plan.suites or plan.results or to_run(chosen, resume)
        set_up = runner.set_up() if needs_set_up else 0
    for suite in plan.suites:
        say(f"== {suite.name}")
        summary.add(suite.name, *runner.run(suite.name, suite.steps, plan.may_be_empty))
    run_slices(runner, chosen, resume, summary)
    if plan.results:
        say(f"== {RESULTS}")
        summary.add(RESULTS, check_lines(runner.root), 0)
        check_again(runner, summary)
    return summary.finish(set_up, [(ring, BOUNDS[ring]) for ring in plan.rings])


def suites_of(found: Affected, ring: str) -> list[Suite]:
    """Lint, and the suites of a ring with the affected targets and files only."""
    lint, *_ = standard(ring)
    suites = [lint]
    if found.host:
        suites.append(Suite("host", "", (host(ring, tuple(found.host)),)))
    if found.gpu:
        suites.append(Suite("gpu", "", (pocl(ring, tuple(found.gpu)),)))
    if found.dsp:
        suites.append(Suite("dsp", "", (replace(dsp(ring)[0], targets=tuple(found.dsp)),)))
    files = tuple(path for path in found.python if not path.startswith("tools/lint/"))
    if files:
        suites.append(Suite("python", "", (python(ring, files),)))
    return suites


def run_affected(options: argparse.Namespace, runner: Runner) -> Exit:
    base = options.names[1] if len(options.names) > 1 else None
    files = changed_files(runner.root, base)
    set_up = runner.set_up()  # without all packages, Bazel's graph has holes
    found = affected(runner.root, files, bazel_query(runner.root))
    for note in found.notes:
        say(note)
    tests = [*found.host, *found.gpu, *found.dsp, *found.python]
    if options.list:
        print(*tests, sep="\n")
        return Exit.PASSED
    say(f"{len(files)} changed files affect {len(found.host)} C++ tests, {len(found.gpu)} of the "
        f"GPU, {len(found.dsp)} of the DSP, and {len(found.python)} files of Python tests")
    plan = Plan(suites=suites_of(found, options.ring), may_be_empty=True)
    return run(plan, runner, False, set_up)


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
        if options.names[:1] == ["affected"]:
            with alone(runner.root), interruptible():
                return run_affected(options, runner)
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
        say("interrupted; nothing is recorded of what was under way")
        return exit_code(interrupted)
