"""ONNX's official node tests: reads them, and compares them with the results of a run.

SPDX-License-Identifier: Apache-2.0
"""

import os
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.convert import importers
from mace_tools.convert.importers import onnx
from mace_tools.convert.importers.fixed_inputs import with_values
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.support.protos import REPO

ARCHIVE = "models/onnx/node_tests_v1.12.tar.gz"
UNSUPPORTED = REPO / "test" / "golden" / "onnx_nodes_unsupported.txt"
RTOL, ATOL = 1e-3, 1e-5  # a little wider than ONNX's own (1e-3, 1e-7): NumPy's float32 sums


@dataclass
class NodeTest:
    name: str
    model: Path
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]

    def convert(self, fixed: Sequence[int] = ()) -> Graph:
        """`fixed`: the inputs, by position, that are constants of the model. Errors: MaceError."""
        source = onnx.read(self.model)
        arrays = dict(zip(source.inputs, self.inputs))
        values = {name: arrays[name] for k, name in enumerate(source.inputs) if k in fixed}
        shapes = {name: array.shape for name, array in arrays.items() if name not in values}
        return convert(importers.translate("onnx", with_values(source, values), shapes))

    def feeds(self, graph: Graph, fixed: Sequence[int] = ()) -> dict[str, np.ndarray]:
        """The inputs that are not constants of the model, in types of the engine."""
        left = [array for k, array in enumerate(self.inputs) if k not in fixed]
        with np.errstate(over="ignore"):
            return {name: as_held(array, graph.tensors[name].dtype)
                    for name, array in zip(graph.inputs, left)}

    def difference(self, graph: Graph, results: dict[str, np.ndarray]) -> str:
        """The error of results, or an empty text."""
        for name, want in zip(graph.outputs, self.outputs):
            got = results[name]
            if got.shape != want.shape:
                return f"'{name}' has shape {list(got.shape)}, expected {list(want.shape)}"
            if not np.allclose(got, want, RTOL, ATOL, equal_nan=True):
                largest = np.nanmax(np.abs(got.astype(np.float64) - want.astype(np.float64)))
                return f"'{name}' is off by up to {largest:.4g}"
        return ""


def as_held(array: np.ndarray, dtype: str) -> np.ndarray:
    """Numbers in the type in which the engine holds them."""
    if array.dtype == np.uint16 and dtype == "f32":  # how the archive stores bfloat16
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(NUMPY[dtype])


def archive() -> Path:
    return Path(os.environ.get("MACE_TEST_DATA") or REPO.parent / "shared") / ARCHIVE


def names(path: Path) -> list[str]:
    """The tests of an archive, without unpacking it."""
    with tarfile.open(path) as tar:
        return sorted({n.split("/")[1] for n in tar.getnames() if "/test_" in n})


def unpack(path: Path, folder: Path) -> Path:
    with tarfile.open(path) as tar:
        tar.extractall(folder)
    return next(folder.iterdir())


def read(folder: Path) -> NodeTest:
    """model_const.onnx if it exists, in which all inputs but the first are constants."""
    model = folder / "model_const.onnx"
    if not model.is_file():
        model = folder / "model.onnx"
    return NodeTest(folder.name, model, _arrays(folder, "input"), _arrays(folder, "output"))


def _arrays(folder: Path, kind: str) -> list[np.ndarray]:
    count = len(list(folder.glob(f"{kind}_*.npy")))
    return [np.load(folder / f"{kind}_{k}.npy") for k in range(count)]


def known_unsupported(path: Path = UNSUPPORTED) -> dict[str, str]:
    """Test name to reason, from lines `name: reason`."""
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    return {name.strip(): reason.strip() for name, _, reason in (s.partition(":") for s in lines)}
