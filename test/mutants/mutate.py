"""Changes mace/plan and mace/memory in one place after the other, and checks which test notices.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutant_list import Mutant
from mutant_report import (
    CAUGHT,
    EQUIVALENT,
    SURVIVED,
    UNREACHED,
    Verdicts,
    folder_of,
    key_of,
    print_report,
    read_equivalent,
)
from mutant_runs import BrokenTest, Program, find_reach, is_caught
from mutant_schemata import (
    SWITCH_HEADER,
    MutatedFile,
    leave_out_what_fails,
    mutated_file,
)
from rich.console import Console

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDERS = ("mace/plan", "mace/memory")
TESTS = ("//mace/plan/...", "//mace/memory/...", "//mace/runtime:all")
# An index beyond a vector ends the run, as in the suite asan.
BUILD = ["--keep_going", "--define=opencl=false", "--noshow_progress", "--show_result=0",
         "--ui_event_filters=-info",
         "--per_file_copt=mace/(plan|memory)/.*@-w,-O1,-Wno-narrowing,-D_GLIBCXX_ASSERTIONS",
         "--per_file_copt=mace/(plan|memory)/.*_test\\.cc@-O0"]  # tests compile slowly


def _files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def _is_mutated(name: str) -> bool:
    path = Path(name)
    return name.startswith(tuple(f + "/" for f in FOLDERS)) and path.suffix in (".cc", ".h") and (
        not path.stem.endswith("_test") and "testing" not in path.parts)


def _copy_tree(tree: Path) -> list[str]:
    """Copies all files in git except those to be mutated, and returns the names of these."""
    names = _files()
    extra = {SWITCH_HEADER: HERE / "mutant_switch.h",
             SWITCH_HEADER[:-1] + "cc": HERE / "mutant_switch.cc"}
    wanted = {name: ROOT / name for name in names if not _is_mutated(name)} | extra
    for name, source in wanted.items():
        target = tree / name
        content = source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(source.stat().st_mode)
    known = set(names) | set(wanted)
    for path in tree.rglob("*"):
        inside = path.relative_to(tree)
        if not inside.parts[0].startswith("bazel-") and path.is_file() and (
                str(inside) not in known):
            path.unlink()
    return [name for name in names if _is_mutated(name)]


def _mutate(work: Path, names: list[str], console: Console) -> list[MutatedFile]:
    tree = work / "tree"
    files = []
    next_id = 0
    for name in sorted(names):
        files.append(mutated_file(name, (ROOT / name).read_bytes(), next_id))
        next_id += len(files[-1].mutants)
        # The other files include it while they are tried.
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(files[-1].content)
    known = json.loads((work / "left_out.json").read_text()) if (
        (work / "left_out.json").exists()) else {}
    texts = {}
    for file in files:
        key = hashlib.sha256("\n".join(f"{m.start} {m.change} {m.left_out}"
                                       for m in file.mutants).encode() + file.content).hexdigest()
        if key not in known:
            before = file.ids()
            leave_out_what_fails(tree, file)
            known[key] = {i - file.first_id: file.mutants[i - file.first_id].left_out
                          for i in set(before) - set(file.ids())}
        for at, reason in known[key].items():
            file.leave_out({file.first_id + int(at)}, reason)
        texts[file.path] = file.text()
    (work / "left_out.json").write_text(json.dumps(known))
    for path, text in texts.items():
        (tree / path).write_bytes(text)
    tried = sum(len(file.ids()) for file in files)
    console.print(f"{tried} mutants in {len(files)} files; {next_id - tried} are left out")
    return files


def _build(tree: Path, tests: list[str], jobs: int) -> list[Program]:
    cache = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache/mace")
    bazel = ["bazel", "build", f"--disk_cache={cache / 'bazel'}", f"--jobs={jobs}", *BUILD]
    query = " union ".join(f"tests({t})" for t in tests)
    listed = subprocess.run(
        ["bazel", "query", f"({query}) except attr(tags, gpu, ({query}))", "--noshow_progress"],
        cwd=tree, capture_output=True, text=True, check=True).stdout.split()
    subprocess.run([*bazel, *listed], cwd=tree, check=True)
    programs = []
    for label in listed:
        package, name = label.removeprefix("//").split(":")
        binary = tree / "bazel-bin" / package / name
        programs.append(Program(binary, package, Path(f"{binary}.runfiles/mace")))
    return programs


def sample_of(mutants: list[tuple[int, Mutant]], count: int | None) -> list[tuple[int, Mutant]]:
    """`count` of those of each folder, the same in each run; a larger sample holds the smaller."""
    if count is None:
        return mutants
    by_hash = sorted(mutants, key=lambda m: hashlib.sha256(
        f"{key_of(m[1])} {m[1].start}".encode()).digest())
    sample = []
    for folder in FOLDERS:
        sample += [m for m in by_hash if folder_of(m[1].path) == folder][:count]
    return sorted(sample)


def _numbered_key(mutant: Mutant, seen: Counter[str]) -> str:
    key = key_of(mutant)
    seen[key] += 1
    return f"{key} | {seen[key]}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="test/mutants/run.sh", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE",
                        help="a file or folder of mace/plan or mace/memory; all if none is named")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="only N of the mutants of each folder, chosen by a hash of their"
                             " lines, so that they are the same in each run")
    parser.add_argument("--again", action="store_true",
                        help="only those that were not caught by the run before; the table counts"
                             " the others as they were then")
    parser.add_argument("--at-least", type=float, metavar="PERCENT", default=0,
                        help="fail if fewer are caught in one of the folders")
    parser.add_argument("--tests", metavar="TARGETS", default=",".join(TESTS),
                        help="the tests that are to notice, by commas (default: %(default)s)")
    parser.add_argument("--work", type=Path, metavar="FOLDER",
                        help="where the copy of the tree and the verdicts are kept")
    parser.add_argument("--jobs", type=int, default=2,
                        help="of the build, and mutants that are tried at a time")
    args = parser.parse_args()
    for name in args.files:
        if not _chosen(args.files, name) or not (ROOT / name).exists() or (
                not f"{name}/".startswith(tuple(f + "/" for f in FOLDERS))):
            parser.error(f"{name} is no file or folder of {' or '.join(FOLDERS)}")
    return args


def _chosen(chosen: list[str], path: str) -> bool:
    return not chosen or any(path == c or path.startswith(c.rstrip("/") + "/") for c in chosen)


def main() -> int:
    args = _arguments()
    console = Console(width=None if sys.stdout.isatty() else 120)
    cache = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache/mace")
    work = args.work or cache / "mutants" / hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    (work / "tree").mkdir(parents=True, exist_ok=True)
    files = _mutate(work, _copy_tree(work / "tree"), console)
    programs = _build(work / "tree", args.tests.split(","), args.jobs)
    try:
        for program in programs:
            find_reach(program)
    except BrokenTest as e:
        print(f"mutants: {e}", file=sys.stderr)
        return 1

    equivalent = read_equivalent(HERE / "equivalent.txt")
    verdicts = Verdicts.read(work / "verdicts.json")
    seen: Counter[str] = Counter()
    mutants = [(i, f.mutants[i - f.first_id]) for f in files for i in f.ids()]
    keys = {i: _numbered_key(m, seen) for i, m in mutants}
    stale = sorted(set(equivalent) - set(seen))
    if stale:
        print("mutants: equivalent.txt names mutants that are not there:", *stale, sep="\n  ",
              file=sys.stderr)
        return 1
    mutants = sample_of([(i, m) for i, m in mutants if _chosen(args.files, m.path)], args.sample)
    whole = Counter(folder_of(f.path) for f in files for _ in f.ids())
    chosen = Counter(folder_of(m.path) for _, m in mutants)
    for folder, count in chosen.items():
        console.print(f"trying {count} of the {whole[folder]} mutants of {folder}")

    def verdict_of(numbered: tuple[int, Mutant]) -> str:
        i, mutant = numbered
        if key_of(mutant) in equivalent:
            return EQUIVALENT
        if args.again and verdicts.found.get(keys[i]) == CAUGHT:
            return CAUGHT
        caught = is_caught(programs, i, str(Path(mutant.path).parent))
        return UNREACHED if caught is None else CAUGHT if caught else SURVIVED

    tried = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for (i, mutant), verdict in zip(mutants, pool.map(verdict_of, mutants), strict=True):
            if verdict != EQUIVALENT:
                verdicts.found[keys[i]] = verdict
            tried.append((mutant, verdict))
            if len(tried) % 100 == 0:
                verdicts.write()
                print(f"mutants: {len(tried)} of {len(mutants)}", file=sys.stderr)
    verdicts.write()
    left_out = Counter(m.path for f in files for m in f.mutants if m.left_out)
    least = print_report(tried, left_out, console)
    return 0 if least >= args.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
