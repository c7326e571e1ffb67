"""A common interface to engines: each is a process that loads a network and runs it on request.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from files import HERE, Files

# Name -> (the module that it needs, the file that it loads). MACE runs as mace_run.
ENGINES: dict[str, tuple[str, Callable[[Files], Path]]] = {
    "mace": ("mace_tools", Files.mace),
    "xnnpack": ("ai_edge_litert", lambda files: files.path("tflite")),
    "onnxruntime": ("onnxruntime", lambda files: files.path("onnx")),
    "ncnn": ("ncnn", Files.ncnn),
    "mnn": ("MNN", Files.mnn),
}
# The same with networks in int8, and MACE in float32 for comparison. PyPI has neither
# ncnn's nor MNN's tools that quantize.
INT8_ENGINES: dict[str, tuple[str, Callable[[Files], Path]]] = {
    "mace": ("mace_tools", Files.mace_int8),
    "xnnpack": ("ai_edge_litert", Files.tflite_int8),
    "onnxruntime": ("onnxruntime", Files.onnx_int8),
    "mace_float": ("mace_tools", Files.mace),
}
# On the GPU, each by the interface that it has: OpenCL, Vulkan, WebGPU. All but mace_float may
# store and compute in fp16. PyPI's MNN has no GPU.
GPU_ENGINES: dict[str, tuple[str, Callable[[Files], Path]]] = {
    "mace_gpu": ("mace_tools", Files.mace),
    "mace_gpu_float": ("mace_tools", Files.mace),
    "ncnn_vulkan": ("ncnn", Files.ncnn),
    "litert_webgpu": ("ai_edge_litert", lambda files: files.path("tflite")),
}
# Our engines, and their flags of mace_run.
OURS: dict[str, list[str]] = {
    "mace": [], "mace_float": [], "mace_gpu": ["--device=GPU", "--gpu_data_type=fp16_fp32"],
    "mace_gpu_float": ["--device=GPU", "--gpu_data_type=fp32_fp32"]}


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(
        {**ENGINES, **INT8_ENGINES, **GPU_ENGINES}[name][0]) is not None


def mace_run() -> str:
    """$MACE_RUN, or this checkout's, built if necessary."""
    from mace_tools.run import runner
    from mace_tools.support.console import Console

    given = os.environ.get("MACE_RUN")
    return str(runner.find(Console(), Path(given) if given else None))


def machine_limits(threads: int) -> dict[str, float]:
    """Measures gflops and memory_gbps of this many threads."""
    done = subprocess.run([mace_run(), "--machine", "--num_threads", str(threads)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class EngineError(Exception):
    """An engine cannot run a network."""


def gpu_name(model: Path) -> str:
    """What the log of mace_run calls the GPU that runs this model. Without one, the CPU would
    run it: EngineError."""
    done = subprocess.run(
        [mace_run(), *OURS["mace_gpu"], "--model_file", str(model), "--model_data_file",
         str(model.with_suffix(".data"))],
        env={**os.environ, "MACE_CPP_MIN_VLOG_LEVEL": "1"},
        capture_output=True, text=True, check=True)
    found = re.search(r"\bGPU: (.*)", done.stdout + done.stderr)
    if not found:
        raise EngineError("mace_run finds no GPU; `tools/converter.py doctor` says why")
    return found[1]


class Process:
    """An engine in a process of its own. All times are in milliseconds."""

    def __init__(self, name: str, threads: int, model: Path | None, files: Files) -> None:
        self._mace, self._flags = name in OURS, OURS.get(name, [])
        self._files, self._threads, self._model = files, threads, model
        self._outputs = files.folder / f"{files.net.name}.{name}.npz"
        if self._mace:
            command = [*self._mace_command(), "--interactive"]
        else:
            command = [sys.executable, str(HERE / "worker.py"), name, str(threads)]
            if model is not None:
                command += [str(model), str(files.path("npy")), str(self._outputs)]
        self._process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.load_ms = self._answer()

    def _mace_command(self) -> list[str]:
        command = [mace_run(), "--num_threads", str(self._threads), *self._flags]
        if self._model is not None:
            command += ["--model_file", str(self._model), "--model_data_file",
                        str(self._model.with_suffix(".data")),
                        "--input", f"input={self._files.path('npy')}"]
        return command

    def _answer(self) -> float:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.fullmatch(r"(?:mace )?([0-9.eE+-]+)\s*", line)
            if found and (self._mace or line.startswith("mace ")):
                return float(found[1])
        assert self._process.stderr is not None
        message = self._process.stderr.read().strip().split("\n")[-1]
        raise EngineError(f"it ended with {self._process.wait()}: {message}")

    def pause(self) -> None:
        """Stops the process with all its threads, until it has a turn: threads of a pool that wait
        for the next run keep a core busy, for tens of milliseconds in some engines."""
        self._process.send_signal(signal.SIGSTOP)

    def turn(self) -> float:
        """Returns how long the second of two runs took, and pauses again. The first finds the
        caches full of another engine's data."""
        self.go_on()
        self.run()
        ms = self.run()
        self.pause()
        return ms

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def run(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._answer()

    def peak_mb(self) -> float:
        """Peak resident memory so far."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else float("nan")

    def outputs(self) -> list[np.ndarray]:
        """Ends the process and returns its outputs, flattened."""
        self.close()
        if self._mace:
            folder = self._files.folder / "mace_outputs"
            subprocess.run([*self._mace_command(), "--output_dir", str(folder)], check=True,
                           stdout=subprocess.DEVNULL)
            return [np.load(folder / f"{name}.npy").ravel() for name in self._files.net.outputs]
        with np.load(self._outputs) as arrays:
            return [arrays[name].ravel() for name in arrays.files]

    def kill(self) -> None:
        """Ends the process if it still runs."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.go_on()
        self._process.communicate()
