"""Throughput of the micro-kernels' hot loops on Arm cores, by the models of llvm-mca.

SPDX-License-Identifier: Apache-2.0

The hot loop is found in the compiled file: of the innermost loops, it is the one that multiplies
most. Its bound is the time that its multiply-adds alone would take.
"""

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CORES = ("cortex-a55", "cortex-a76")  # the model of cortex-a76 is cortex-a57's in LLVM 19
ITERATIONS = 200
MULTIPLY_ADD = re.compile(r"(fmla|fmls|fmlal\w*|bfmmla|bfmlal\w*)$")


@dataclass
class Loop:
    kernel: str  # the file that it is from
    lines: list[str]

    @property
    def fmas(self) -> list[str]:
        return [line for line in self.lines if MULTIPLY_ADD.match(line.split()[0])]


def _functions(archive: Path) -> list[tuple[str, list[tuple[int, str]]]]:
    """(file, instructions with their addresses) of every function."""
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(archive)],
                          check=True, capture_output=True, text=True).stdout
    found: list[tuple[str, list[tuple[int, str]]]] = []
    file = ""
    for line in text.splitlines():
        if header := re.match(r"(\S+)\.o:\s+file format", line):
            file = header[1].removesuffix(".pic")
        elif re.match(r"[0-9a-f]+ <.*>:$", line):
            found.append((file, []))
        elif code := re.match(r"\s*([0-9a-f]+):\t(.*)$", line):
            text = re.sub(r"\s*(//|;).*$", "", code[2].replace("\t", " "))
            found[-1][1].append((int(code[1], 16), text))
    return found


def _innermost_loops(code: list[tuple[int, str]]) -> list[list[str]]:
    index = {address: i for i, (address, _) in enumerate(code)}
    spans = []
    for i, (address, text) in enumerate(code):
        branch = re.match(r"(?:b\.\w+|cbn?z \w+,|tbn?z \w+, #\d+,|b) ?([0-9a-f]+) <", text)
        if branch and (target := index.get(int(branch[1], 16))) is not None and target <= i:
            spans.append((target, i))
    inner = [s for s in spans if not any(t != s and s[0] <= t[0] and t[1] <= s[1] for t in spans)]
    return [[text for _, text in code[first:last + 1]] for first, last in inner]


def hot_loops(archives: list[Path]) -> list[Loop]:
    """The hot loop of each file that has one, sorted by name."""
    best: dict[str, Loop] = {}
    for archive in archives:
        for file, code in _functions(archive):
            for lines in _innermost_loops(code):
                loop = Loop(file, lines)
                if len(loop.fmas) > len(best[file].fmas if file in best else []):
                    best[file] = loop
    return [best[file] for file in sorted(best)]


def _cycles(lines: tuple[str, ...], core: str) -> float:
    """Cycles of an iteration."""
    # The target of a branch does not matter, but it must be a label.
    text = "\n".join(re.sub(r"\b[0-9a-f]+ <.*", "0", line) for line in lines) + "\n"
    done = subprocess.run(["llvm-mca-19", "-mtriple=aarch64", f"-mcpu={core}", "-mattr=+bf16",
                           f"-iterations={ITERATIONS}"], input=text, check=True,
                          capture_output=True, text=True)
    total = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    assert total, done.stderr
    return int(total[1]) / ITERATIONS


@cache
def _cycles_per_fma(kind: str, core: str) -> float:
    """Cycles of independent multiply-adds. `kind` is one; its accumulator is replaced."""
    operands = kind.split(",", 1)[1]
    suffix = kind.split()[1].split(",")[0].split(".")[1]
    mnemonic = kind.split()[0]
    free = [i for i in range(32) if not re.search(rf"v{i}\.", operands)]
    lines = tuple(f"{mnemonic} v{i}.{suffix},{operands}" for i in free[:24])
    return _cycles(lines, core) / len(lines)


def percent_of_bound(loop: Loop, core: str) -> float:
    bound = sum(_cycles_per_fma(re.sub(r"v\d+\.", "v31.", fma, count=1), core)
                for fma in loop.fmas)
    return 100 * bound / _cycles(tuple(loop.lines), core)
