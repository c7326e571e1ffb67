"""Which lines of what reads and checks models the campaign's inputs alone reach.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

FLAGS = ("--config=clang", "--platform_suffix=-coverage",
         "--per_file_copt=mace/.*@-fprofile-instr-generate,-fcoverage-mapping",
         "--linkopt=-fprofile-instr-generate")
# Folders of the engine, and the percentage of their lines that is asked for.
ASKED = {"mace/model": 90, "mace/proto": 90, "mace/ops": 85}
# Of protobuf, which no app has; and what only tests run.
_OTHERS = ("mace.pb.", "/testing/")
_MERGED = "merged.profdata"
_CONSTEXPR = re.compile(r"( *)(?:template <.*> )?constexpr .*\(.*\{$")


def prepare(out: Path) -> None:
    """Programs that are started from now on write there what they reach; so do earlier runs."""
    folder = out / "profiles"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["LLVM_PROFILE_FILE"] = str(folder / "%4m.profraw")


def lines(out: Path, programs: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """By folder: its lines, and those that the programs reached."""
    profiles = sorted((out / "profiles").glob("*.profraw"))
    merged = out / _MERGED
    subprocess.run(["llvm-profdata-19", "merge", "-o", merged, *profiles], check=True)
    # Names of sources begin with /proc/self/cwd, the folder in which Bazel compiles.
    root = next(p for p in programs[0].parents if p.name == "bazel-out").parent
    others = [word for program in programs[1:] for word in ("-object", str(program))]
    done = subprocess.run(
        ["llvm-cov-19", "show", "-show-instantiations=false", f"-instr-profile={merged}",
         str(programs[0]), *others], check=True, capture_output=True, text=True, errors="replace",
        cwd=root)
    return counted(done.stdout)


def counted(shown: str) -> dict[str, tuple[int, int]]:
    """Of what llvm-cov prints: a line that ends with a colon for each file, and `number| times|
    text` for each of its lines."""
    count: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    folder, skipped = "", ""
    for line in shown.splitlines():
        if line.endswith(":") and "|" not in line:
            name = line[line.rfind("mace/", 0, line.rfind("/")):-1]
            folder = next((f for f in ASKED if name.startswith(f"{f}/")), "")
            folder = "" if any(other in name for other in _OTHERS) else folder
            continue
        parts = line.split("|", 2)
        times = parts[1].strip() if folder and len(parts) == 3 else ""
        if not times:
            continue
        text = parts[2]
        start = _CONSTEXPR.match(text) if times == "0" else None
        if start is not None and not skipped:  # only the compiler runs it
            skipped = start[1] + "}"
        if not skipped:
            count[folder] += 1
            reached[folder] += times != "0"
        elif times != "0" or text.rstrip() == skipped:
            skipped = ""
    return {folder: (count[folder], reached[folder]) for folder in ASKED}


def table(found: dict[str, tuple[int, int]]) -> tuple[str, bool]:
    """For people, and whether all that is asked for is reached."""
    rows = ["| folder | lines | reached | asked |", "|---|---|---|---|"]
    enough = True
    for folder, (count, reached) in found.items():
        share = 100 * reached / max(count, 1)
        enough &= share >= ASKED[folder]
        rows.append(f"| {folder} | {count:,} | {share:.1f} % | {ASKED[folder]} % |")
    return "\n".join(rows), enough
