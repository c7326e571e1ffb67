"""Models whose weights an earlier build packed keep their answers, and are packed alike today.

SPDX-License-Identifier: Apache-2.0

The files in testdata were written by --pack_weights, kPackingVersion 1, with the answers of the
same build. They hold a first layer, a depthwise, a 1x1 and a 3x3 convolution.
"""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from golden import mace_run

from mace_tools.support import protos
from mace_tools.support.protos import REPO

STORED = Path(__file__).parent / "testdata"
STORED_VERSION = 1
TYPES = {"float32": np.float32, "int8": np.int8}


def run(name: str, *flags: str) -> None:
    done = subprocess.run(
        [
            mace_run(),
            f"--model_file={STORED / name}.pb",
            f"--model_data_file={STORED / name}.data",
            "--warmup=0",
            *flags,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def answer(name: str, folder: Path, dtype: type) -> np.ndarray:
    x = (np.arange(12 * 12 * 3) * 37 % 251 - 125).astype(dtype).reshape(1, 12, 12, 3)
    np.save(folder / "x.npy", x / dtype(64) if dtype == np.float32 else x)
    run(name, f"--input=x={folder / 'x.npy'}", f"--output_dir={folder / 'out'}")
    return np.load(next((folder / "out").glob("*.npy")))


@pytest.mark.parametrize("isa", ["scalar", "avx2"])
@pytest.mark.parametrize("kind", TYPES)
def test_answers_stay(kind: str, isa: str, tmp_path: Path) -> None:
    y = answer(f"packed_1_{kind}_{isa}", tmp_path, TYPES[kind])
    want = np.load(STORED / f"packed_1_{kind}_y.npy")
    np.testing.assert_allclose(
        y, want, rtol=0, atol=0 if kind == "int8" else 1e-5 * np.abs(want).max()
    )


@pytest.mark.parametrize("kind", TYPES)
def test_arrangements_stay_while_their_version_does(kind: str, tmp_path: Path) -> None:
    header = (REPO / "mace/device/packed_weights.h").read_text()
    version = re.search(r"kPackingVersion = (\d+);", header)
    assert version
    if int(version[1]) != STORED_VERSION:
        pytest.skip("this build: it packs in another arrangement; store its files here")
    name = f"packed_1_{kind}_scalar"
    run(name, "--pack_weights=scalar", f"--packed_model={tmp_path / 'again'}")
    assert (tmp_path / "again.data").read_bytes() == (STORED / f"{name}.data").read_bytes()
    again, stored = (
        protos.load(REPO / "mace/proto/mace.proto").NetDef.FromString(path.read_bytes())
        for path in (tmp_path / "again.pb", STORED / f"{name}.pb")
    )
    again.ClearField("graph_xxh3")  # of later builds only
    assert again == stored
