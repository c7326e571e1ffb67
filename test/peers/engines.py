"""Engines behind one face: load a network, run it once, say how long it took.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from net import Net
from to_onnx import write_onnx
from to_tflite import write_tflite

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))


@dataclass
class Files:
    """One network in every format."""

    net: Net
    folder: Path

    @classmethod
    def write(cls, net: Net, folder: Path) -> Files:
        write_onnx(net, str(folder / f"{net.name}.onnx"))
        write_tflite(net, str(folder / f"{net.name}.tflite"))
        return cls(net, folder)

    def path(self, suffix: str) -> Path:
        return self.folder / f"{self.net.name}.{suffix}"

    def picture(self) -> np.ndarray:
        """NHWC, seeded."""
        rng = np.random.default_rng(0)
        return rng.uniform(-1, 1, self.net.shapes["input"]).astype(np.float32)


class Engine(ABC):
    """A network that is loaded. Milliseconds throughout."""

    load_ms: float = 0.0

    @abstractmethod
    def run(self) -> float: ...

    @abstractmethod
    def outputs(self) -> list[np.ndarray]:
        """Of the last run, NHWC."""

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        pass


class Mace(Engine):
    def __init__(self, files: Files, threads: int) -> None:
        from mace_tools import runner
        from mace_tools.cli_console import Console
        from mace_tools.convert import convert
        from mace_tools.emit import write_model
        from mace_tools.importers import load

        graph = convert(load("tflite", files.path("tflite")))
        model, data = files.path("pb"), files.path("data")
        write_model(graph, model, data)
        np.save(files.path("npy"), files.picture())
        self._out = Path(tempfile.mkdtemp(dir=files.folder))
        self._command = [
            str(runner.find(Console(), None)), "--model_file", str(model), "--model_data_file",
            str(data), "--input", f"input={files.path('npy')}", "--num_threads", str(threads)]
        self._names = files.net.outputs
        self._process = subprocess.Popen([*self._command, "--interactive"], text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.load_ms = self._line()

    def _line(self) -> float:
        assert self._process.stdout is not None
        return float(self._process.stdout.readline())

    def run(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._line()

    def outputs(self) -> list[np.ndarray]:
        subprocess.run([*self._command, "--output_dir", str(self._out)], check=True,
                       stdout=subprocess.DEVNULL)
        return [np.load(self._out / f"{name}.npy") for name in self._names]

    def close(self) -> None:
        self._process.communicate()


class LiteRt(Engine):
    """TensorFlow Lite with XNNPACK, its default on the CPU."""

    def __init__(self, files: Files, threads: int) -> None:
        from ai_edge_litert.interpreter import Interpreter

        begin = time.perf_counter()
        self._net = Interpreter(str(files.path("tflite")), num_threads=threads)
        self._net.allocate_tensors()
        self.load_ms = 1e3 * (time.perf_counter() - begin)
        self._net.set_tensor(self._net.get_input_details()[0]["index"], files.picture())

    def run(self) -> float:
        begin = time.perf_counter()
        self._net.invoke()
        return 1e3 * (time.perf_counter() - begin)

    def outputs(self) -> list[np.ndarray]:
        return [self._net.get_tensor(d["index"]) for d in self._net.get_output_details()]


class OnnxRuntime(Engine):
    def __init__(self, files: Files, threads: int) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        begin = time.perf_counter()
        self._net = ort.InferenceSession(str(files.path("onnx")), options)
        self.load_ms = 1e3 * (time.perf_counter() - begin)
        self._feed = {"input": np.ascontiguousarray(files.picture().transpose(0, 3, 1, 2))}
        self._last: list[np.ndarray] = []

    def run(self) -> float:
        begin = time.perf_counter()
        self._last = self._net.run(None, self._feed)
        return 1e3 * (time.perf_counter() - begin)

    def outputs(self) -> list[np.ndarray]:
        return [y.transpose(0, 2, 3, 1) if y.ndim == 4 else y for y in self._last]


# Name -> (how to make it, the module that it needs).
ENGINES: dict[str, tuple[Callable[[Files, int], Engine], str]] = {
    "mace": (Mace, "mace_tools"),
    "xnnpack": (LiteRt, "ai_edge_litert"),
    "onnxruntime": (OnnxRuntime, "onnxruntime"),
}


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(ENGINES[name][1]) is not None
