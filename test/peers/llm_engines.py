"""Processes that continue prompts with a decoder, whose engines have one interface.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from llm_models import CAPACITY, Files

OURS = "mace"
_OUR_LINE = re.compile(r"(\d+) tokens of prompt \((\d+) computed before\) at ([\d.]+) a second.* "
                       r"new tokens at ([\d.]+) a second")


def digits(length: int, first: int = 0) -> str:
    """A prompt of so many tokens, which has nothing in common with one for another `first`."""
    return "".join(str((first + k) % 10) for k in range(length))


class EngineError(Exception):
    """An engine cannot run a model."""


@dataclass(frozen=True)
class Engine:
    """`program`: mace_run, or a llama_worker."""

    name: str
    program: Path

    def command(self, files: Files, threads: int, new_tokens: int, checks: bool) -> list[str]:
        if self.name != OURS:
            return [str(self.program), str(files.gguf), str(threads), str(CAPACITY),
                    str(new_tokens)]
        return [str(self.program), f"--model_file={files.pb}", f"--model_data_file={files.data}",
                f"--num_threads={threads}", "--generate=-", "--temperature=0",
                "--ignore_stop_tokens", f"--max_new_tokens={new_tokens}",
                *([] if checks else ["--no_checksum"])]


@dataclass(frozen=True)
class Speed:
    """Tokens per second."""

    prompt: float
    new: float


def found(mace_run: str, llama: Path) -> list[Engine]:
    """Ours, and what is built of llama.cpp."""
    return [Engine(OURS, Path(mace_run)), *(
        Engine(name, llama / name) for name in ("llama.cpp", "llama.cpp_amx")
        if (llama / name).is_file())]


class Process:
    """An engine that has a model, on as many cores as threads. `checks`: whether it verifies the
    checksum of the weights, if it can."""

    def __init__(self, engine: Engine, threads: int, files: Files, new_tokens: int,
                 checks: bool = False) -> None:
        self._engine, ours = engine, engine.name == OURS
        self._process = subprocess.Popen(
            ["taskset", "--cpu-list", f"0-{threads - 1}",
             *engine.command(files, threads, new_tokens, checks)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL if ours else subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self._answers = self._process.stderr if ours else self._process.stdout

    def run(self, prompt: str, reused: int = 0) -> Speed:
        """`reused`: how many tokens of the prompt an earlier one left. Errors: EngineError."""
        assert self._process.stdin is not None and self._answers is not None
        try:
            self._process.stdin.write(prompt + "\0")
            self._process.stdin.flush()
        except BrokenPipeError as e:
            raise self._ended() from e
        for line in self._answers:
            match = _OUR_LINE.search(line) or re.fullmatch(
                r"(\d+) (\d+) ([\d.]+) ([\d.]+)\n", line)
            if match:
                if (int(match[1]), int(match[2])) != (len(prompt), reused):
                    raise EngineError(f"it took {match[1]} tokens, {match[2]} of them from "
                                      f"before; expected {len(prompt)} and {reused}")
                return Speed(float(match[3]), float(match[4]))
        raise self._ended()

    def _ended(self) -> EngineError:
        code = self._process.wait()
        assert self._process.stderr is not None
        return EngineError(f"it ended with {code}: {self._process.stderr.read()[-300:].strip()}")

    def pause(self) -> None:
        """Threads that wait for the next run keep cores busy."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def anonymous_mb(self) -> float:
        """Memory that no file is behind."""
        text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text()
        match = re.search(r"^Anonymous:\s+(\d+) kB", text, re.M)
        assert match is not None
        return int(match[1]) * 1024 / 1e6

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def first_token_ms(engine: Engine, threads: int, files: Files, prompt: str,
                   checks: bool = False) -> float:
    """From the start of a process to the first token behind the prompt."""
    begin = time.perf_counter()
    process = Process(engine, threads, files, 1, checks)
    try:
        process.run(prompt)
        return 1e3 * (time.perf_counter() - begin)
    finally:
        process.kill()


def cores() -> int:
    return len(os.sched_getaffinity(0))
