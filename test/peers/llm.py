"""Times decoders in MACE and in llama.cpp with the same weights, taking turns in one run.

SPDX-License-Identifier: Apache-2.0

Each engine and number of threads is a process, which is stopped while another has its turn. A
figure is the median of the rounds in which the engine's figure for the fewest threads was within
10 % of its best: in the others, something else used the machine.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import llm_models
import numpy as np
import report
from llm_engines import OURS, Engine, EngineError, Process, cores, digits, first_token_ms, found

NEW_TOKENS = 17  # of a turn, of which the first is the prompt's
FIRST = 16  # tokens of the prompt before the first token
PROMPTS = (128, 512)
CONTEXTS = (128, 900)
NEAR_BEST = 0.9
# The figures of a row, and whether more is better.
FIGURES = {**{f"decode_{n}": True for n in CONTEXTS}, **{f"prefill_{n}": True for n in PROMPTS},
           "first_ms": False, "checked_ms": False, "anonymous_mb": False}
Key = tuple[Engine, int]
Samples = dict[str, dict[Key, list[float]]]


def turns(keys: list[Key], rounds: int) -> Iterator[Key]:
    for i in range(rounds):
        yield from keys[i % len(keys):] + keys[:i % len(keys)]


def measure(files: llm_models.Files, keys: list[Key], rounds: int) -> Samples:
    samples: Samples = {figure: {key: [] for key in keys} for figure in FIGURES}
    with ExitStack() as ended:
        processes: dict[Key, Process] = {}
        for engine, threads in keys:
            process = Process(engine, threads, files, NEW_TOKENS)
            ended.callback(process.kill)
            process.run(digits(FIRST))
            process.pause()
            processes[engine, threads] = process
        different = count(1)
        for key in turns(keys, rounds):
            process = processes[key]
            process.go_on()
            for length in PROMPTS:
                speed = process.run(digits(length, next(different)))
                samples[f"prefill_{length}"][key].append(speed.prompt)
                if length in CONTEXTS:
                    samples[f"decode_{length}"][key].append(speed.new)
            process.pause()
        for key in turns(keys, 1):
            processes[key].go_on()
            processes[key].run(digits(max(CONTEXTS), 1))
            processes[key].pause()
        for key in turns(keys, rounds):
            process, length = processes[key], max(CONTEXTS)
            process.go_on()
            samples[f"decode_{length}"][key].append(process.run(digits(length, 1), length - 1).new)
            process.pause()
        for key in keys:
            samples["anonymous_mb"][key].append(processes[key].anonymous_mb())
    for key in turns(keys, rounds):
        for figure, checks in (("first_ms", False), ("checked_ms", True)):
            samples[figure][key].append(first_token_ms(*key, files, digits(FIRST), checks))
    return samples


def medians(samples: Samples, keys: list[Key]) -> dict[Key, dict[str, float]]:
    fewest = min(threads for _, threads in keys)
    rows: dict[Key, dict[str, float]] = {key: {} for key in keys}
    for figure, more_is_better in FIGURES.items():
        for key in keys:
            alone = np.array(samples[figure][key[0], fewest])
            good = alone >= NEAR_BEST * alone.max() if more_is_better else (
                alone <= alone.min() / NEAR_BEST)
            rows[key][figure] = float(np.median(np.array(samples[figure][key])[good]))
    return rows


def rows_of(name: str, files: llm_models.Files, engines: list[Engine], threads: list[int],
            rounds: int, limits: Callable[[int], dict[str, float]]) -> list[dict]:
    keys = []
    for engine in engines:
        try:
            first_token_ms(engine, 1, files, digits(FIRST))
            keys += [(engine, number) for number in threads]
        except EngineError as error:
            print(f"MISSING: {engine.name} cannot run {name}: {error}", file=sys.stderr)
    found = medians(measure(files, keys, rounds), keys)
    rows = [{"model": name, "threads": key[1], "engine": key[0].name, **found[key],
             "gops": llm_models.operations(name) / 1e9,
             "cache_mb": llm_models.cache_bytes(name, llm_models.CAPACITY) / 1e6,
             **{f"gb_{n}": llm_models.bytes_per_token(name, n) / 1e9 for n in CONTEXTS},
             **limits(key[1])} for key in keys]
    for row in rows:
        print(f"{name:12}{row['threads']:2} {row['engine']:14}" + "".join(
            f"  {figure} {row[figure]:8.1f}" for figure in FIGURES), flush=True)
    return rows


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="llm.sh", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", default=",".join(llm_models.MODELS), help="comma list")
    parser.add_argument("--threads", default="1,2", help="comma list")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, help="write all figures here")
    parser.add_argument("--write", action="store_true",
                        help="rewrite the table of docs/language_models.md")
    parser.add_argument("--check_arguments", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    unknown = set(args.models.split(",")) - set(llm_models.MODELS)
    if unknown:
        parser.error(f"no such model: {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(llm_models.MODELS)}")
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", args.threads):
        parser.error(f"--threads is '{args.threads}'; give numbers of threads, such as 1,2")
    args.threads = [int(number) for number in args.threads.split(",")]
    if max(args.threads) > cores():
        parser.error(f"this machine has {cores()} cores")
    if args.rounds < 1:
        parser.error(f"--rounds is {args.rounds}; it must be at least 1")
    if shutil.which("taskset") is None:
        parser.error("taskset, of util-linux, is not installed")
    return args


def mace_run() -> str:
    """$MACE_RUN, or this checkout's, built if necessary."""
    given = os.environ.get("MACE_RUN")
    if given:
        return given
    from mace_tools.run import runner
    from mace_tools.support.console import Console

    return str(runner.find(Console(), None))


def main() -> int:
    args = parse()
    if args.check_arguments:  # before anything is built
        return 0
    program = mace_run()

    def limits(threads: int) -> dict[str, float]:
        done = subprocess.run([program, "--machine", f"--num_threads={threads}"],
                              capture_output=True, text=True, check=True)
        measured = json.loads(done.stdout)
        return {key: measured[key] for key in ("int8_gops", "read_gbps")}

    cache = Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache" / "mace")
    engines = found(program, Path(os.environ["MACE_LLAMA_CPP"]))
    known = {number: limits(number) for number in args.threads}
    rows: list[dict] = []
    for name in args.models.split(","):
        files = llm_models.made(name, cache / "peers" / "decoders", program)
        rows += rows_of(name, files, engines, args.threads, args.rounds, known.__getitem__)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    if args.write:
        report.write(rows, llm_models.ROOT / "docs" / "language_models.md",
                     cache / "llm_rows.json", list(llm_models.MODELS), report.decoder_table,
                     report.decoder_machine(rows))
    else:
        print(report.decoder_table(rows))
    return 0 if any(row["engine"] == OURS for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
