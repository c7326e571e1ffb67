"""Networks in fp16 arithmetic, under emulation, stay near the results of float32.

SPDX-License-Identifier: Apache-2.0

If weights are stored as fp16, a CPU with fp16 arithmetic computes and stores activations in it. The
bounds are those of docs/performance_arm.md.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from counting import LIBRARIES, ROOT, build

sys.path[:0] = [str(ROOT / "test/instructions"), str(ROOT / "tools")]

from small_networks import NETWORKS  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402
from mace_tools.testing.needed import need_tools  # noqa: E402

pytestmark = pytest.mark.deep
SIMILARITY = 0.9999
RELATIVE = 2e-2  # of the largest output


def call(mace_run: Path, model: Path, *options: str) -> str:
    """What mace_run prints about a model, on armv8.2 and on one thread."""
    return subprocess.run(
        ["qemu-aarch64", "-cpu", "max", "-L", "/usr/aarch64-linux-gnu", "-E",
         f"LD_LIBRARY_PATH={LIBRARIES}", str(mace_run), f"--model_file={model}.pb",
         f"--model_data_file={model}.data", "--num_threads=1", *options],
        check=True, capture_output=True, text=True).stdout


def outputs(mace_run: Path, model: Path, picture: Path) -> np.ndarray:
    folder = model.with_suffix(".out")
    folder.mkdir()
    call(mace_run, model, f"--input=x={picture}", f"--output_dir={folder}")
    (file,) = folder.glob("*.npy")
    return np.load(file).astype(np.float64).ravel()


@pytest.fixture(scope="module")
def mace_run() -> Path:
    need_tools("qemu-aarch64", "aarch64-linux-gnu-g++")
    return build("//tools:mace_run") / "tools/mace_run/mace_run"


@pytest.mark.parametrize("name", ("mobile", "residual"))
def test_outputs_are_near_those_of_floats(name: str, mace_run: Path, tmp_path: Path) -> None:
    graph = NETWORKS[name]()
    picture = tmp_path / "picture.npy"
    shape = graph.tensors["x"].shape
    np.save(picture, np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32))
    results = {}
    for stored in ("f32", "f16"):
        model = tmp_path / stored
        write_model(graph, model.with_suffix(".pb"), model.with_suffix(".data"), stored=stored)
        results[stored] = outputs(mace_run, model, picture)
    want, got = results["f32"], results["f16"]
    assert not np.array_equal(want, got)
    similarity = want @ got / (np.linalg.norm(want) * np.linalg.norm(got))
    assert similarity >= SIMILARITY
    assert np.abs(want - got).max() <= RELATIVE * np.abs(want).max()


def test_the_plan_shows_fp16_and_where_they_are_converted(mace_run: Path,
                                                            tmp_path: Path) -> None:
    model = tmp_path / "net"
    write_model(NETWORKS["mobile"](), model.with_suffix(".pb"), model.with_suffix(".data"),
                stored="f16")
    plan = call(mace_run, model, "--dump=plan", "--wide")
    assert "gemm_f16_8x16_rows__fp16" in plan and "dwconv_f16_3s1__fp16" in plan
    # Casts of the input, before and after the Reduce, which takes floats, and before the output.
    assert plan.count("Cast '") == 4, plan
