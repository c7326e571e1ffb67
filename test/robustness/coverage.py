"""Which lines of what reads and checks models the campaign's inputs alone reach.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
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
    others = [word for program in programs[1:] for word in ("-object", str(program))]
    done = subprocess.run(
        ["llvm-cov-19", "export", "-summary-only", f"-instr-profile={merged}", str(programs[0]),
         *others], check=True, capture_output=True, text=True)
    count: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    for file in json.loads(done.stdout)["data"][0]["files"]:
        name = file["filename"]
        name = name[name.rfind("mace/", 0, name.rfind("/")):]
        for folder in ASKED:
            if name.startswith(f"{folder}/") and not any(other in name for other in _OTHERS):
                count[folder] += file["summary"]["lines"]["count"]
                reached[folder] += file["summary"]["lines"]["covered"]
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
