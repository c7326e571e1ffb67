"""Counts the Arm instructions that a token takes in MACE and in llama.cpp, under qemu.

SPDX-License-Identifier: Apache-2.0

One thread. What a prompt takes is the difference between a process that has it behind a short one
and a process that has only the short one; what a new token takes is the same difference between
processes that make some more.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import llm_models
import report
from llm_engines import OURS, Engine, digits

sys.path.insert(0, str(llm_models.ROOT / "test" / "arm"))

import counting

PROMPT = 128
SHORT = 16  # tokens of the prompt before
NEW_TOKENS = 4
# Which llama.cpp, and the CPU of qemu.
CPUS = {"dotprod": "cortex-a76", "i8mm": "max"}
FIGURES = ("prefill", "decode")
CACHE = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache" / "mace")


def counted(engine: Engine, files: llm_models.Files, cpu: str, plugin: Path,
            functions: bool) -> dict[str, Counter[str]]:
    """Instructions of each function, or of all (""), of a token of each figure."""

    def total(prompts: list[str], new_tokens: int) -> Counter[str]:
        _, intervals = counting.count(engine.command(files, 1, new_tokens, False), plugin,
                                      "\0".join(prompts), cpu, functions)
        found = Counter({"": sum(i.instructions for i in intervals)})
        for interval in intervals:
            found.update(interval.functions)
        return found

    def difference(a: Counter[str], b: Counter[str], tokens: int) -> Counter[str]:
        return Counter({name: (n - b[name]) // tokens for name, n in a.items()})

    short, long = [digits(SHORT)], [digits(SHORT), digits(PROMPT, 1)]
    one, prompt = total(short, 1), total(long, 1)
    some, all_of_it = total(short, 1 + NEW_TOKENS), total(long, 1 + NEW_TOKENS)
    return {"prefill": difference(prompt, one, PROMPT),
            "decode": difference(difference(all_of_it, prompt, 1), difference(some, one, 1),
                                 NEW_TOKENS)}


def rows_of(name: str, cpus: list[str], mace_run: Path, llama: Path, plugin: Path,
            functions: bool) -> list[dict]:
    files = llm_models.unpacked(name, CACHE / "peers" / "decoders")
    rows = []
    for extension in cpus:
        row: dict = {"model": name, "cpu": CPUS[extension]}
        for engine in (Engine(OURS, mace_run),
                       Engine("llama.cpp", llama / f"llama.cpp_{extension}")):
            found = counted(engine, files, CPUS[extension], plugin, functions)
            for figure in FIGURES:
                row[f"{engine.name} {figure}"] = found[figure].pop("")
                for function, n in found[figure].most_common(12):
                    print(f"{engine.name:10}{figure:8}{n / 1e6:9.3f} M {function}")
        print(row, flush=True)
        rows.append(row)
    return rows


def table(rows: list[dict]) -> str:
    lines = ["| decoder | CPU | | mace | llama.cpp | ours / llama.cpp |", "|---" * 6 + "|"]
    for row in rows:
        for figure in FIGURES:
            ours, theirs = row[f"{OURS} {figure}"], row[f"llama.cpp {figure}"]
            lines.append(f"| {row['model']} | {row['cpu']} | {figure} | {ours / 1e6:.1f} | "
                         f"{theirs / 1e6:.1f} | {ours / theirs:.2f} |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="llm.sh arm",
                                     description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", default=",".join(llm_models.MODELS), help="comma list")
    parser.add_argument("--cpus", default=",".join(CPUS), help="comma list")
    parser.add_argument("--functions", action="store_true",
                        help="also print which functions execute most")
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--write", action="store_true",
                        help="rewrite the table of docs/language_models.md")
    parser.add_argument("--check_arguments", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    for given, known in ((args.models, llm_models.MODELS), (args.cpus, CPUS)):
        if unknown := set(given.split(",")) - set(known):
            parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return args


def main() -> int:
    args = parse()
    if args.check_arguments:  # before anything is built
        return 0
    given = os.environ.get("MACE_RUN_ARM64")
    mace_run = Path(given) if given else (
        counting.build("//tools:mace_run") / "tools/mace_run/mace_run")
    with tempfile.TemporaryDirectory() as folder:
        plugin = counting.build_plugin(Path(folder))
        rows = [row for name in args.models.split(",")
                for row in rows_of(name, args.cpus.split(","), mace_run,
                                   Path(os.environ["MACE_LLAMA_CPP"]), plugin, args.functions)]
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    if args.write:
        report.write(rows, llm_models.ROOT / "docs" / "language_models.md",
                     CACHE / "llm_arm_rows.json", list(llm_models.MODELS), table,
                     "Millions of instructions a token, under qemu.", "cpu",
                     ("<!-- arm: begin -->", "<!-- arm: end -->"))
    else:
        print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
