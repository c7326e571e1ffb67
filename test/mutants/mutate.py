"""Changes mace/plan and mace/memory in one place after the other, and checks which test notices.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import hashlib
import os
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
    numbered_key,
    print_report,
    read_equivalent,
)
from mutant_runs import BrokenTest, caught_by, find_reach
from mutant_schemata import KnownFailures, MutatedFile, mutated_file
from mutant_tree import build, copy_tree, files_of
from rich.console import Console

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDERS = ("mace/plan", "mace/memory")
TESTS = ("//mace/plan/...", "//mace/memory/...", "//mace/runtime:all")
# An index beyond a vector ends the run, as in the suite asan.
BUILD = ["--define=opencl=false",
         "--per_file_copt=mace/(plan|memory)/.*@-w,-O1,-Wno-narrowing,-D_GLIBCXX_ASSERTIONS",
         "--per_file_copt=mace/(plan|memory)/.*_test\\.cc@-O0"]  # tests compile slowly


def _is_mutated(name: str) -> bool:
    path = Path(name)
    return name.startswith(tuple(f + "/" for f in FOLDERS)) and path.suffix in (".cc", ".h") and (
        not path.stem.endswith("_test") and "testing" not in path.parts)


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
    failures = KnownFailures(tree, work / "left_out.json")
    texts = {}
    for file in files:
        failures.leave_out(file)
        texts[file.path] = file.text()
    for path, text in texts.items():
        (tree / path).write_bytes(text)
    tried = sum(len(file.ids()) for file in files)
    console.print(f"{tried} mutants in {len(files)} files; {next_id - tried} are left out")
    return files


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
    mutated = [name for name in files_of(ROOT) if _is_mutated(name)]
    copy_tree(ROOT, work / "tree", set(mutated))
    files = _mutate(work, mutated, console)
    tests = " union ".join(f"tests({t})" for t in args.tests.split(","))
    programs = build(work / "tree", f"({tests}) except attr(tags, gpu, ({tests}))", args.jobs,
                     BUILD)
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
    keys = {i: numbered_key(m, seen) for i, m in mutants}
    stale = sorted(k for k in set(equivalent) - set(seen) if k.startswith(FOLDERS))
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
        caught = caught_by(programs, i, str(Path(mutant.path).parent))
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
