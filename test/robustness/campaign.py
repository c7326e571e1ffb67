"""Mutated files and models, for so many minutes: what crashed, hung, leaked or was told wrongly.

SPDX-License-Identifier: Apache-2.0

`tools/robustness.sh MINUTES [NAME ...]` goes on where it stopped: `build/robustness/state.json` has
the number of the next mutant of each format, and the counts so far. A mutant is its format's name
and its number, and the same in each run; `tools/robustness.sh --again NAME NUMBER` repeats one.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

import abis  # noqa: E402
import coverage  # noqa: E402
from format_seeds import FORMATS, GPU  # noqa: E402
from reader import LEAKS, SECONDS, write  # noqa: E402

from mace_tools.support.atomic import atomic_files  # noqa: E402

OUT = ROOT / "build" / "robustness"
COVERAGE_OUT = ROOT / "build" / "coverage_of_models"
READER = ROOT / "test/robustness/reader.py"
OUTCOMES = ("ok", "crashed", "hung", "memory", "wrong")
MODELS = "models"  # mutated by their structure (test/fuzz)
SOAK = "soak"  # engines and shapes without end; only where it is named
BYTES = "bytes"  # the same, led by libFuzzer's coverage; only where it is named
MODELS_BATCH = 500
MUTATIONS = "//test/fuzz:mutations"
DISK_CACHE = f"--disk_cache={Path.home()}/.cache/mace/bazel"
ASAN = ("--config=asan",)
DEVICES = ("CPU", "GPU", "DSP")
# What the DSP has ops for.
DSP_SEEDS = ("quantized", "golden_quantized")


def build(*targets: str, flags: Sequence[str] = ASAN) -> Path:
    """Under the sanitizers; returns the folder of the programs."""
    quiet = ("--show_result=0", "--noshow_progress", "--ui_event_filters=-info")
    subprocess.run(["bazel", "build", *flags, DISK_CACHE, *quiet, *targets], check=True, cwd=ROOT)
    done = subprocess.run(["bazel", "info", *flags, "bazel-bin"], check=True, cwd=ROOT, text=True,
                          capture_output=True)
    return Path(done.stdout.strip())


def file_of(target: str, programs: Path) -> Path:
    return programs / target.removeprefix("//").replace(":", "/")


# Or else a leak's stack ends in operator new.
_WHOLE_STACKS = ("--copt=-fno-omit-frame-pointer", "--linkopt=-fsanitize-link-c++-runtime")


def fuzz(out: Path, seconds: int) -> int:
    """The loader under libFuzzer, and before it the reader of models for a tenth of the time. What
    is found lies in `out`. Returns 1 if anything was."""
    programs = build("//test/fuzz:load_fuzz", "//test/fuzz:reader_fuzz",
                     flags=("--config=fuzz", *_WHOLE_STACKS))
    for name, share, flags in (("reader", 0.1, ["-max_len=4096"]),
                               ("load", 0.9, ["-max_len=8192", f"-dict={out / 'ops.dict'}"])):
        corpus = out / f"{name}_corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        (out / "ops.dict").write_text(_words())
        most = int(seconds * share) + 1
        done = subprocess.run(
            [str(programs / f"test/fuzz/{name}_fuzz"), f"-max_total_time={most}",
             f"-timeout={SECONDS}", "-rss_limit_mb=2048", f"-artifact_prefix={out}/",
             "-print_final_stats=1", *flags, str(corpus), str(ROOT / "test/fuzz/corpus")],
            check=False)
        if done.returncode != 0:
            return 1
    return 0


def _words() -> str:
    """The names of ops and attributes, which mutation alone would hardly find."""
    ops = json.loads((ROOT / "tools/ops.json").read_text())["ops"]
    names = {name for op in ops for name in (op["name"], *op["attrs"])}
    return "".join(f'"{name}"\n' for name in sorted(names))


_TRIES = 3


def _failures(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stdout.splitlines() if line.startswith("FAILED")]


def _only_leaks_are_unknown(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether nothing failed but LeakSanitizer itself: a driver's thread ended while it stopped all
    threads."""
    return ("LeakSanitizer has encountered a fatal error" in done.stderr
            and "detected memory leaks" not in done.stderr
            and all(line.endswith(": leak, see above") for line in _failures(done)))

# Of the last line that `mutations` prints; state.json sums the numbers.
_STAGES = r"models: (?P<loaded>\d+) loaded, .* (?P<ran>\d+) run, (?P<on_device>\d+) of them on"


class Campaign:
    """Tries mutants and counts what they come to; `programs`: the folder of mace_run and others.
    `device`: where models run."""

    def __init__(self, out: Path, programs: Path | None, reader: Path = READER,
                 device: str = "CPU") -> None:
        self.out, self.programs, self.reader, self.device = out, programs, reader, device
        self.state_file = out / "state.json"
        out.mkdir(parents=True, exist_ok=True)
        self.state: dict[str, dict[str, int]] = (
            json.loads(self.state_file.read_text()) if self.state_file.exists() else {})
        self.failed = 0

    def counts(self, name: str) -> dict[str, int]:
        if name == MODELS and self.device != "CPU":
            name += f" on {self.device}"
        return self.state.setdefault(name, {"next": 0, **dict.fromkeys(OUTCOMES, 0)})

    def batch(self, name: str, count: int) -> None:
        if name == MODELS:
            self.models(count)
        else:
            self.files(name, count)
        with atomic_files(self.state_file) as (file,):
            file.write(json.dumps(self.state, indent=1).encode())

    def program(self, name: str) -> str:
        """What reads a format, if that is not converter.py."""
        target = FORMATS[name].program
        return str(file_of(target, self.programs)) if self.programs and target else ""

    def folder(self, name: str) -> Path:
        """The seed of a format, which is written once."""
        folder = self.out / name.replace(" ", "_")
        seed = folder / "seed"
        if not seed.exists():
            unfinished = folder / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            kind = FORMATS[name]
            if kind.write is not None:
                kind.write(unfinished)
            else:
                words = [w.replace("FOLDER", str(unfinished)) for w in kind.arguments]
                subprocess.run([self.program(name), *words, "--write"], check=True)
            unfinished.rename(seed)
        return folder

    def files(self, name: str, count: int) -> None:
        """The next mutants of a format. One that ends its reader is counted, and passed over."""
        counts, folder = self.counts(name), self.folder(name)
        end = counts["next"] + count
        while counts["next"] < end:
            with subprocess.Popen(
                [sys.executable, str(self.reader), name, str(folder),
                 str(counts["next"]), str(end - counts["next"]), self.program(name)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as reader:
                assert reader.stdout is not None
                for line in reader.stdout:
                    words = line.split(maxsplit=2)  # the number alone: it ended the reader
                    if len(words) > 1:
                        self.note(name, words[1].rstrip(":"), " ".join(words[2:]).strip())
            if reader.returncode != 0 and counts["next"] < end:
                self.note(name, "crashed", f"the reader ended with {reader.returncode}")

    def note(self, name: str, outcome: str, about: str) -> None:
        counts = self.counts(name)
        number = counts["next"]
        counts["next"] += 1
        outcome = outcome if outcome in OUTCOMES else "crashed"
        counts[outcome] += 1
        if outcome == "ok":
            return
        self.failed += 1
        kept = self.out / "failures" / f"{name.replace(' ', '_')}_{number}"
        write(name, self.folder(name) / "seed", kept, number)
        print(f"{name} {number}: {outcome} {about}\n  kept in {kept}", flush=True)

    def models(self, count: int) -> None:
        assert self.programs is not None
        seeds = self.out / "model_seeds"
        if not seeds.exists():
            subprocess.run([sys.executable, str(ROOT / "test/fuzz/seeds.py"), str(seeds)],
                           check=True)
        on = "" if self.device == "CPU" else f"_{self.device}"
        failures = self.out / f"failures{on}"
        counts = self.counts(MODELS)
        first = counts["next"]
        folders = [seeds / name for name in DSP_SEEDS] if self.device == "DSP" else [seeds]
        command = [str(file_of(MUTATIONS, self.programs)), *map(str, folders),
                   f"--count={count}", f"--first={first}", f"--device={self.device}",
                   f"--out={failures}"]
        for _ in range(_TRIES):
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  check=False)
            if not _only_leaks_are_unknown(done):
                break
        counts["next"] += count
        bad = _failures(done)
        bad += ["it ended by itself"] if done.returncode not in (0, 1) else []
        for line in bad:
            kind = "hung" if "hang" in line or "second" in line else "crashed"
            counts[kind] += 1
        counts["ok"] += count - len(bad)
        stages = re.search(_STAGES, done.stdout)
        for stage, number in (stages.groupdict() if stages else {}).items():
            counts[stage] = counts.get(stage, 0) + int(number)
        self.failed += len(bad)
        if bad:
            failures.mkdir(parents=True, exist_ok=True)
            messages = failures / f"messages_from_{first}.txt"
            messages.write_text(done.stderr)
            print("\n".join(bad), f"\n  what the sanitizers print is in {messages}", flush=True)
        print(done.stdout.splitlines()[-1] if done.stdout else done.stderr[-400:], flush=True)


def table(state: dict[str, dict[str, int]]) -> str:
    lines = ["| what is mutated | tried | crashed | hung | beyond memory | wrong message |",
             "|---|---|---|---|---|---|"]
    for name, counts in state.items():
        lines.append(f"| {name} | {counts['next']:,} | {counts['crashed']} | {counts['hung']} | "
                     f"{counts['memory']} | {counts['wrong']} |")
    return "\n".join(lines)


def parsed() -> argparse.Namespace:
    names = [MODELS, BYTES, SOAK, *FORMATS]
    about = str(__doc__).splitlines()[0]
    parser = argparse.ArgumentParser(prog="tools/robustness.sh", description=about)
    parser.add_argument("minutes", type=float, nargs="?", default=5)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(names)}")
    parser.add_argument("--count", type=int, help="so many mutants, in place of minutes")
    parser.add_argument("--restart", action="store_true", help="forget what was tried")
    parser.add_argument("--again", nargs=2, metavar=("NAME", "NUMBER"), help="repeat a mutant")
    parser.add_argument("--out", type=Path, help="where results and failures lie")
    parser.add_argument("--device", choices=DEVICES, default="CPU",
                        help=f"where {MODELS} and {BYTES} run; GPU: by PoCL; DSP: the emulator")
    parser.add_argument("--abi", choices=sorted(abis.FLAGS),
                        help="as programs of 32 bits; armhf: under qemu, without sanitizers")
    parser.add_argument("--coverage", action="store_true",
                        help="without sanitizers: print which lines of the engine are reached")
    parser.add_argument("--no_models", action="store_true", help=f"all but {MODELS}")
    parser.add_argument("--no_engine", action="store_true", help="only what converter.py reads")
    args = parser.parse_args()
    args.names = args.names or [*(args.again or ())][:1]
    if not args.again and (args.minutes <= 0 if args.count is None else args.count <= 0):
        parser.error("give more than 0 minutes, or --count=N")
    unknown = [name for name in args.names if name not in names]
    if unknown:
        parser.error(f"there is no format {unknown[0]}; there are {', '.join(names)}")
    if len(args.names) > 1 and {BYTES, SOAK} & set(args.names):
        parser.error(f"{BYTES} and {SOAK} run alone")
    if args.device != "CPU" and not (args.names and set(args.names) <= {MODELS, BYTES}):
        parser.error(f"--device={args.device} is of {MODELS} and of {BYTES}: name one")
    if args.abi and (args.coverage or args.device == "GPU" or {BYTES, SOAK} & set(args.names)):
        parser.error(f"--abi={args.abi} is neither of {BYTES} and {SOAK} nor of coverage and GPUs")
    if args.abi and (others := [n for n in args.names if n not in _of_engine()]):
        parser.error(f"--abi={args.abi} is of what the engine reads, not of {others[0]}")
    args.out = args.out or (COVERAGE_OUT if args.coverage else
                            OUT.with_name(f"{OUT.name}_{args.abi}") if args.abi else OUT)
    args.names = args.names or [
        *([] if args.no_models or args.no_engine else [MODELS]),
        *(n for n, kind in FORMATS.items() if not (args.no_engine and kind.program)
          and not (args.coverage and not kind.runs_program())
          and not (args.abi and n not in _of_engine()))]
    return args


def _of_engine() -> list[str]:
    """What programs of any ABI read."""
    return [MODELS, *(name for name, kind in FORMATS.items()
                      if kind.runs_program() and not kind.on_gpu())]


def main() -> int:
    args = parsed()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.update(GPU)
    if args.device == "DSP":
        program = build("//mace/hexagon:mace_dsp", flags=()) / "mace/hexagon/mace_dsp.elf"
        os.environ["MACE_DSP_PROGRAM"] = str(program)
    os.environ.update(LEAKS, MACE_FUZZ_DEVICE=args.device)
    out = args.out.absolute()
    if args.restart:
        shutil.rmtree(out, ignore_errors=True)
    if args.names == [BYTES]:
        return fuzz(out / "fuzz", round(60 * args.minutes))
    if args.names == [SOAK]:
        program = build("//test/robustness:soak", flags=()) / "test/robustness/soak"
        return subprocess.run([program, f"--minutes={args.minutes}"], check=False).returncode
    targets = {MUTATIONS if n == MODELS else FORMATS[n].program
               for n in args.names} - {""}
    flags = coverage.FLAGS if args.coverage else abis.FLAGS.get(args.abi, ASAN)
    abis.prepare(args.abi)
    programs = build(*sorted(targets), flags=flags) if targets else None
    if programs and args.abi:
        programs = abis.startable(args.abi, targets, programs, out)
    campaign = Campaign(out, programs, device=args.device)
    if args.coverage:
        coverage.prepare(out)
    if args.again:
        name, number = args.again
        campaign.counts(name)["next"] = int(number)
        campaign.batch(name, 1)
        return 1 if campaign.failed else 0
    end = time.monotonic() + 60 * args.minutes
    left = dict.fromkeys(args.names, args.count or 1 << 60)
    while any(left.values()) and (args.count or time.monotonic() < end):
        for name in args.names:
            count = min(left[name], MODELS_BATCH if name == MODELS else FORMATS[name].batch)
            if count and (args.count or time.monotonic() < end):
                campaign.batch(name, count)
                left[name] -= count
    print(table(campaign.state))
    print(f"{campaign.failed} failures in this run; a mutant may take {SECONDS} s")
    enough = True
    if args.coverage:
        assert programs is not None
        text, enough = coverage.table(coverage.lines(
            out, [file_of(target, programs) for target in sorted(targets)]))
        print(text)
    return 0 if enough and not campaign.failed else 1


if __name__ == "__main__":
    sys.exit(main())
