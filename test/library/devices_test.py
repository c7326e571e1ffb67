"""A model from its deployment file to its answer on a board and on a phone: mace_run is cross-built
for arm64, with and without a (fake) NDK, copied by fakes of ssh and adb, and runs in QEMU.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import shutil

import consumers
import numpy as np
import pytest

from mace_tools import cli
from mace_tools.package.library import link
from mace_tools.run import runner
from mace_tools.support import ndk
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import cache_dir
from mace_tools.testing import fake_ndk
from mace_tools.testing.fake_devices import FakeDevices
from mace_tools.testing.needed import need_tools

PI = "devices:\n  pi: {target_abis: arm64, address: 10.0.0.2, username: pi}\n"
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


@pytest.fixture
def with_ndk(monkeypatch):
    """In the place where ndk_test.py has it, too, so that compiled files are found again."""
    folder = cache_dir() / "fake_ndk"
    shutil.rmtree(folder, ignore_errors=True)
    monkeypatch.setenv(ndk.HOME, str(fake_ndk.make(folder)))


@pytest.mark.parametrize("where", ["board", "phone", "phone with an NDK"])
def test_from_the_deployment_file_to_the_answer(tmp_path, monkeypatch, capfd, where, request):
    need_tools("bazel", "qemu-aarch64", "aarch64-linux-gnu-g++", "clang++-19", "ld.lld-19")
    monkeypatch.delenv(ndk.HOME, raising=False)
    devices = FakeDevices(tmp_path / "devices")
    monkeypatch.setenv("PATH", f"{devices.bin}:{os.environ['PATH']}")
    (launch,) = consumers.QEMU["arm64"]
    if where == "board":
        devices.board("pi@10.0.0.2", launch=launch)
        (tmp_path / "dev.yml").write_text(PI)
        options = ["--target_abis=arm64", f"--device_yml={tmp_path / 'dev.yml'}"]
    elif where == "phone":  # whose program is static, so that it finds no library of Debian
        devices.phone("A1", launch=shutil.which("qemu-aarch64"))
        options = ["--target_abis=arm64-v8a"]
    else:  # Debian's C library stands for Android's
        request.getfixturevalue("with_ndk")
        devices.phone("A1", launch=launch)
        options = ["--target_abis=arm64-v8a"]
    config = consumers.Place(tmp_path).config("lib")
    code = cli.main(["run", f"--config={config}", f"--output={tmp_path / 'build'}", *options,
                     f"--input={consumers.DIGITS / 'images' / '3.png'}", "--round=2", "--validate",
                     f"--json={tmp_path / 'r.json'}", f"--output_dir={tmp_path / 'out'}"])
    out, err = capfd.readouterr()
    assert code == ExitCode.OK, err
    assert ("runs a static program of Linux: on the CPU only" in err) == (where == "phone")
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


def test_the_program_of_the_ndk_looks_for_the_libraries_of_the_phone(
        tmp_path, monkeypatch, capfd, with_ndk):
    """It is no static one, and asks for libOpenCL and the vendor's library of the DSP, which are
    not here for Arm: models run on the CPU instead, with a message."""
    need_tools("bazel", "qemu-aarch64", "clang++-19", "ld.lld-19", "readelf")
    devices = FakeDevices(tmp_path / "devices")
    monkeypatch.setenv("PATH", f"{devices.bin}:{os.environ['PATH']}")
    devices.phone("A1", launch=consumers.QEMU["arm64"][0])
    config = consumers.Place(tmp_path).config("lib")
    words = ["run", f"--config={config}", f"--output={tmp_path / 'build'}",
             "--target_abis=arm64-v8a"]
    program = runner.find(Console(), None, runner.for_abi("arm64-v8a"))
    text = consumers.run(["readelf", "--wide", "--dynamic", "--program-headers", str(program)])
    assert "INTERP" in text and not re.search(r"NEEDED.*lib(std)?c\+\+|R(UN)?PATH", text)
    loads = re.findall(r"LOAD .* 0x([0-9a-f]+)$", text, re.MULTILINE)
    assert loads and all(int(align, 16) >= link.PAGE_BYTES for align in loads)
    dsp_quantized = f"dsp\n    quantize: {{samples: {consumers.DIGITS / 'images'}}}"
    for runtime, library in (("gpu", "libOpenCL.so"), (dsp_quantized, "libhexagon_controller.so")):
        text = config.read_text()
        config.write_text(text.replace("runtime: cpu", f"runtime: {runtime}"))
        cli.main(words)
        out, err = capfd.readouterr()
        config.write_text(text)
        assert library in out + err, out + err
