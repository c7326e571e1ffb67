"""Every network in the format of every engine, made once and cached.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from net import Net
from to_int8 import write_before_softmax, write_int8_onnx, write_int8_tflite
from to_onnx import write_onnx
from to_tflite import write_tflite

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))

# The packages on which the formats depend.
_SOURCES = ("net.py", "networks.py", "to_onnx.py", "to_tflite.py", "to_int8.py", "files.py",
            "requirements.txt")


class ConversionError(Exception):
    """A peer's converter refused a network."""


def cache_dir() -> Path:
    return Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache" / "mace")


@dataclass
class Files:
    net: Net
    folder: Path

    @classmethod
    def of(cls, net: Net) -> Files:
        """Writes the ONNX file, the TFLite file and the input image if they are missing."""
        digest = hashlib.sha256()
        for name in _SOURCES:
            digest.update((HERE / name).read_bytes())
        folder = cache_dir() / "peer_models" / digest.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        files = cls(net, folder)
        if not files.path("npy").is_file():
            write_onnx(net, str(files.path("onnx")))
            write_tflite(net, str(files.path("tflite")))
            rng = np.random.default_rng(0)
            picture = rng.uniform(-1, 1, net.shapes["input"]).astype(np.float32)
            np.save(files.path("npy"), picture)
        return files

    def path(self, suffix: str) -> Path:
        return self.folder / f"{self.net.name}.{suffix}"

    def mace(self) -> Path:
        """X.pb, beside X.data. Always made again, because the converter may have changed."""
        return self._converted(self.path("tflite"), "")

    def mace_int8(self) -> Path:
        return self._converted(self.tflite_int8(), "int8.")

    def before_softmax(self) -> tuple[Path, Path, dict[str, float]]:
        """The quantized network without its Softmax: for LiteRT, for MACE, and the step of the
        quantized values for which each output stands."""
        path = self.path("before_softmax.tflite")
        steps = write_before_softmax(self.tflite_int8(), path)
        return path, self._converted(path, "before_softmax."), steps

    def _converted(self, source: Path, prefix: str) -> Path:
        from mace_tools.convert.emit import write_model
        from mace_tools.convert.importers import load
        from mace_tools.convert.passes.pipeline import convert

        path = self.path(prefix + "pb")
        write_model(convert(load("tflite", source)), path, self.path(prefix + "data"))
        return path

    def tflite_int8(self) -> Path:
        path = self.path("int8.tflite")
        if not path.is_file():
            write_int8_tflite(self.path("tflite"), path, self.net.shapes["input"])
        return path

    def onnx_int8(self) -> Path:
        path = self.path("int8.onnx")
        if not path.is_file():
            write_int8_onnx(self.path("onnx"), path, self.net.shapes["input"])
        return path

    def ncnn(self) -> Path:
        """X.ncnn.param, beside X.ncnn.bin, by pnnx."""
        param = self.path("ncnn.param")
        if not param.is_file():
            spec = importlib.util.find_spec("pnnx")
            if spec is None or spec.origin is None:
                raise ConversionError("pnnx, which converts to ncnn, is not installed")
            program = Path(spec.origin).parent / "pnnx"
            work = self.folder / f"{self.net.name}_pnnx"
            work.mkdir(exist_ok=True)
            copied = shutil.copy(self.path("onnx"), work)
            # By default it stores fp16.
            _convert([str(program), str(copied), "fp16=0"])
            shutil.move(work / f"{self.net.name}.ncnn.bin", self.path("ncnn.bin"))
            shutil.move(work / f"{self.net.name}.ncnn.param", param)
            shutil.rmtree(work)
        return param

    def mnn(self) -> Path:
        path = self.path("mnn")
        if not path.is_file():
            program = Path(sys.executable).parent / "mnnconvert"
            _convert([str(program), "-f", "ONNX", "--modelFile", str(self.path("onnx")),
                      "--MNNModel", str(path), "--bizCode", "mace"])
        return path


def _convert(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ConversionError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise ConversionError(f"{' '.join(command)}: {(done.stderr or done.stdout)[-500:]}")
