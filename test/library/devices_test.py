"""A model from its deployment file to its answer on a board and on a phone: mace_run is cross-built
for arm64, copied by stand-ins for ssh and adb, and runs in QEMU.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import shutil

import consumers
import numpy as np
import pytest

from mace_tools import cli
from mace_tools.exit_codes import ExitCode
from mace_tools.testing.fake_devices import FakeDevices
from mace_tools.testing.needed import need_tools

PI = "devices:\n  pi: {target_abis: arm64, address: 10.0.0.2, username: pi}\n"
pytestmark = pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                                reason="covered elsewhere: tools/test.sh library")


@pytest.mark.parametrize("where", ["board", "phone"])
def test_from_the_deployment_file_to_the_answer(tmp_path, monkeypatch, capfd, where):
    need_tools("bazel", "qemu-aarch64", "aarch64-linux-gnu-g++")
    devices = FakeDevices(tmp_path / "devices")
    monkeypatch.setenv("PATH", f"{devices.bin}:{os.environ['PATH']}")
    (launch,) = consumers.QEMU["arm64"]
    if where == "board":
        devices.board("pi@10.0.0.2", launch=launch)
        (tmp_path / "dev.yml").write_text(PI)
        options = ["--target_abis=arm64", f"--device_yml={tmp_path / 'dev.yml'}"]
    else:  # whose program is static, so that it finds no library of Debian
        devices.phone("A1", launch=shutil.which("qemu-aarch64"))
        options = ["--target_abis=arm64-v8a"]
    config = consumers.Place(tmp_path).config("lib")
    code = cli.main(["run", f"--config={config}", f"--output={tmp_path / 'build'}", *options,
                     f"--input={consumers.DIGITS / 'images' / '3.png'}", "--round=2", "--validate",
                     f"--json={tmp_path / 'r.json'}", f"--output_dir={tmp_path / 'out'}"])
    out, err = capfd.readouterr()
    assert code == ExitCode.OK, err
    assert "Top 5 of probabilities\n  1  3  0.9" in out and "Similarity Test Passed" in out
    np.testing.assert_allclose(np.load(tmp_path / "out" / "probabilities.npy")[0],
                               consumers.EXPECTED["onnx"][3], atol=1e-5)
    (place,) = json.loads((tmp_path / "r.json").read_text())["models"]["digits"]["places"]
    assert place["latency"]["runs"] == 2 and "mace_run" in "".join(place["copied"])
    code = cli.main(["benchmark", f"--config={config}", f"--output={tmp_path / 'build'}", *options,
                     "--max_num_runs=3", f"--json={tmp_path / 'b.json'}"])
    out, err = capfd.readouterr()
    assert code == ExitCode.OK and "Sort by Run Order" in out, err
    (place,) = json.loads((tmp_path / "b.json").read_text())["models"]["digits"]["places"]
    assert place["ops"] and place["copied"] and not any("mace_run" in n for n in place["copied"])
