"""A case of each model of models_test.py on the GPU: by PoCL, or what OCL_ICD_VENDORS names.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from golden import Arrays
from models_test import CASES, make_run, run_cases, wanted_and_got

from mace_tools.support.protos import cache_dir
from mace_tools.testing.needed import need_pocl

pytestmark = pytest.mark.deep
# The least cosine similarity to the stored outputs, by the type of the images.
SIMILARITY = {"fp32_fp32": 0.9999, "fp16_fp32": 0.995}
ONE_EACH = {name: CASES[name] for name in
            {case.model: name for name, case in reversed(CASES.items())}.values()}
# Untrained weights: activations reach 1e10 to 1e21, but the largest fp16 value is 65504.
BEYOND_FP16 = {"squeezenet", "resnet50", "inception_v1"}
MAX_BRANCHES = 4  # the first node that overflows is found again in each


@pytest.fixture(scope="module", autouse=True)
def pocl():
    driver = need_pocl()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(driver))
        patch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
        yield


@pytest.fixture(scope="module", params=SIMILARITY)
def results(request, tmp_path_factory):
    """The data type, and the results of run_cases with it."""
    folder = tmp_path_factory.mktemp("models")
    runs = {name: make_run(name, case) for name, case in ONE_EACH.items()}
    found, log = run_cases(runs, folder, ["--device=GPU", f"--gpu_data_type={request.param}",
                                          f"--gpu_storage_path={folder}"])
    assert "the CPU takes over" not in log, log[-2000:]
    return request.param, found


@pytest.mark.parametrize("name", ONE_EACH)
def test_outputs_are_near_those_stored(name, results):
    data_type, found = results
    if data_type == "fp16_fp32" and is_beyond_fp16(name):
        pytest.skip("covered elsewhere: too large for fp16: test_nodes_in_float_cure_fp16")
    outputs, error, _ = found[name]
    assert not error, error
    check_similarity(name, outputs, SIMILARITY[data_type])


@pytest.mark.parametrize("name", [n for n in ONE_EACH if n.rsplit("/", 1)[-1] in BEYOND_FP16])
def test_nodes_in_float_cure_fp16(name, tmp_path):
    """--check_numerics names the first node that overflows; it and its successors run in
    float32."""
    runs = make_run(name, CASES[name])
    nodes = [node.name for node in runs[0].graph.nodes]
    flags = ["--device=GPU", f"--gpu_storage_path={tmp_path}", "--check_numerics"]
    first = len(nodes)
    for attempt in range(MAX_BRANCHES):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        outputs, error, _ = run_cases({name: runs}, folder, flags)[0][name]
        if not error:
            break
        assert "is the first with a bad value" in error and " f16[" in error, error
        first = min(first, nodes.index(error.rpartition("--float32_nodes=")[2].rstrip(")")))
        flags = [*flags[:3], f"--float32_nodes={','.join(dict.fromkeys(nodes[first:]))}"]
    assert not error and 0 < first < len(nodes), error
    check_similarity(name, outputs, SIMILARITY["fp16_fp32"])


def is_beyond_fp16(name: str) -> bool:
    return name.startswith("onnx/light/") and name.rsplit("/", 1)[-1] in BEYOND_FP16


def check_similarity(name: str, outputs: Arrays, least: float) -> None:
    for output, want, got in wanted_and_got(CASES[name], outputs):
        assert got.shape == want.shape
        similarity = cosine(got.astype(np.float64).ravel(), want.astype(np.float64).ravel())
        assert similarity >= least, f"'{output}': similarity {similarity:.6f}"


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    assert np.isfinite(a).all()
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-30))
