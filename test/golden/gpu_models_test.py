"""A case of each model of models_test.py on the GPU: by PoCL, or what OCL_ICD_VENDORS names.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from models_test import CASES, make_run, run_cases, wanted_and_got

from mace_tools.protos import cache_dir

# The least cosine similarity to the stored outputs, by what the images hold.
SIMILARITY = {"fp32_fp32": 0.9999, "fp16_fp32": 0.995}
ONE_EACH = {name: CASES[name] for name in
            {case.model: name for name, case in reversed(CASES.items())}.values()}
# Untrained weights: activations reach 1e10 to 1e21, and halves end at 65504.
BEYOND_HALF = {"squeezenet", "resnet50", "inception_v1"}
POCL = Path("/etc/OpenCL/vendors/pocl.icd")


@pytest.fixture(scope="module", params=SIMILARITY)
def results(request, tmp_path_factory):
    """The data type, and what run_cases found with it."""
    if not POCL.is_file():
        pytest.skip(f"no {POCL}: install pocl-opencl-icd")
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(POCL))
        patch.setenv("POCL_CACHE_DIR", str(cache_dir() / "pocl"))
        runs = {name: make_run(name, case) for name, case in ONE_EACH.items()}
        found, log = run_cases(runs, folder, ["--device=GPU", f"--gpu_data_type={request.param}",
                                              f"--gpu_storage_path={folder}"])
    assert "the CPU takes over" not in log, log[-2000:]
    return request.param, found


@pytest.mark.parametrize("name", ONE_EACH)
def test_outputs_are_near_those_stored(name, results):
    data_type, found = results
    if data_type == "fp16_fp32" and name.startswith("onnx/light/") and \
            name.rsplit("/", 1)[-1] in BEYOND_HALF:
        pytest.skip("its activations are beyond what a half holds; it needs fp32_fp32")
    outputs, error, _ = found[name]
    assert not error, error
    for output, want, got in wanted_and_got(CASES[name], outputs):
        assert got.shape == want.shape
        similarity = cosine(got.astype(np.float64).ravel(), want.astype(np.float64).ravel())
        assert similarity >= SIMILARITY[data_type], f"'{output}': similarity {similarity:.6f}"


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    assert np.isfinite(a).all()
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-30))
