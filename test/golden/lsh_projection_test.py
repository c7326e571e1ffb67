"""TFLite's LSH_PROJECTION against LiteRT, bit by bit, over lengths of keys, types and weights.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from golden import Run, run_all

from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.testing.by_litert import litert
from mace_tools.testing.tflite_file import Maker

pytestmark = pytest.mark.full
SPARSE, DENSE = 1, 2
# Bytes of a feature; its key has 4 more. The hash mixes keys of up to 3, 7, 16, 32 and 64 bytes
# in other ways than longer ones, and those in blocks of 64.
LENGTHS = [*range(0, 32), *range(56, 72), *range(120, 132), 187, 188, 189, 252, 1000]
TYPES = ("float32", "int32", "int64", "int16", "int8", "uint8", "bool")


def drawn(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Any bits that a type may have; floats are numbers or NaN."""
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    return np.frombuffer(rng.bytes(int(np.prod(shape)) * np.dtype(kind).itemsize),
                         kind).reshape(shape)


def weights(rng: np.random.Generator, features: int) -> np.ndarray | None:
    """None, small integers whose products cancel to the bit or nearly, or numbers of any size."""
    which = rng.integers(0, 3)
    if which == 0:
        return None
    if which == 1:
        return rng.integers(-3, 4, features).astype(np.float32)
    return (rng.normal(size=features) * 10.0 ** rng.integers(-44, 38)).astype(np.float32)


def cases() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None, int]]:
    """Seeds, input, weights and type of each."""
    rng = np.random.default_rng(1)
    for length in LENGTHS:
        for kind in (SPARSE, DENSE):
            x = drawn(rng, (int(rng.integers(1, 9)), length), "uint8")
            yield drawn(rng, (3, 7), "float32"), x, weights(rng, len(x)), kind
    for k in range(140):
        lead = int(rng.integers(1, 12))
        shape = (lead, *rng.integers(1, 6, int(rng.integers(0, 4))).tolist())
        x = drawn(rng, shape, TYPES[k % len(TYPES)])
        if k % 3 == 0:
            x = np.repeat(x[:1], lead, 0)  # equal features, whose weights may add to 0
        seeds = rng.normal(size=rng.integers(1, 8, 2)).astype(np.float32)
        yield seeds, x, weights(rng, lead), 1 + k // 7 % 2
    x = drawn(rng, (5, 3), "int32")
    for functions, bits in ((1, 32), (2, 31), (3, 31), (9, 30), (300, 25), (70, 1), (4, 0), (0, 3),
                            (0, 0)):
        for kind in (SPARSE, DENSE):
            yield rng.normal(size=(functions, bits)).astype(np.float32), x, None, kind


def model(folder: Path, seeds: np.ndarray, x: np.ndarray, weight: np.ndarray | None, kind: int,
          fixed: bool = False) -> tuple[Path, dict[str, np.ndarray]]:
    """A model whose input is x or, if fixed, the seeds and the weights."""
    m, feeds, names = Maker(), {}, []
    for name, value, is_fed in (("hash", seeds, fixed), ("x", x, not fixed),
                                ("weight", weight, fixed)):
        if value is None:
            continue
        names.append(name)
        if is_fed:
            feeds[m.tensor(name, value.shape, value.dtype.name)] = value
        else:
            m.const(name, value)
    m.op("LSH_PROJECTION", names, [m.tensor("y", (), "int32")], "LSHProjectionOptions", Type=kind)
    folder.mkdir()
    return m.save(folder, list(feeds), ["y"]), feeds


@pytest.mark.parametrize("stored", ["f32", "f16"])
def test_numbers_are_those_of_litert(tmp_path, stored):
    runs, wanted = [], []
    for k, case in enumerate(cases()):
        path, feeds = model(tmp_path / f"{k}", *case, fixed=k % 5 == 0)
        (want,) = litert(path.read_bytes(), feeds)
        graph = convert(load("tflite", path))
        runs.append(Run(f"{k}: {case[0].shape} {case[1].dtype}{case[1].shape}", graph, feeds))
        wanted.append(want)
    for flags in ([], ["--num_threads=2"]):
        run_all(runs, tmp_path / f"runs{len(flags)}", flags, stored)
        for run, want in zip(runs, wanted):
            assert not run.error, f"{run.name}: {run.error}"
            np.testing.assert_array_equal(run.outputs["y"], want, run.name)
    ones = np.concatenate([want for want in wanted if want.size and
                           want.min() >= 0 and want.max() <= 1])
    assert 0.4 < ones.mean() < 0.6
