"""Tuning for the SoCs of attached devices, interruptions, and the command `devices`, with
fakes of adb, the devices and mace_run.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from mace_tools import cli
from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.commands.remote_test import ABIS, KEPT, PI, devices, left, run  # noqa: F401
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO

SOC = "--target_socs=msmnile"


@pytest.fixture
def tunes(place, devices, monkeypatch):  # noqa: F811
    monkeypatch.setenv("FAKE_TUNES", "tuned.")
    place.edit("runtime: cpu", "runtime: cpu+gpu")
    return place


def made(folder):
    build = folder / "build" / "digits_onnx"
    return {str(p.relative_to(build)): p.read_text() for part in ("cpu", "opencl")
            for p in build.glob(f"{part}/*/*")}


CPU = "cpu/arm64-v8a/digits_onnx_tuned_cpu_parameter.Pixel4.msmnile.bin"
GPU = "opencl/arm64-v8a/digits_onnx_tuned_opencl_parameter.Pixel4.msmnile.bin"
PROGRAMS = "opencl/arm64-v8a/digits_onnx_compiled_opencl_kernel.Pixel4.msmnile.bin"


def test_models_are_tuned_on_the_devices_of_target_socs(tunes, devices):  # noqa: F811
    devices.phone("A1")
    devices.phone("B2", props={"ro.board.platform": "msm8998"})
    code, out, err = tunes.call("convert", ABIS, SOC, f"--mace_run={tunes.mace_run}",
                                "--json=r.json")
    assert code == ExitCode.OK, err
    assert made(tunes.folder) == {CPU: "tuned.", GPU: "tuned.", PROGRAMS: "programs"}
    assert all(path in out for path in (CPU, GPU, PROGRAMS))
    report = json.loads((tunes.folder / "r.json").read_text())["models"]["digits_onnx"]
    assert list(report["tuned_on"]) == ["A1/arm64-v8a"]
    tuning = [c for c in tunes.calls() if "--dump=tuning" in c]
    assert len(tuning) == 2 and all(any(a.endswith("=20000") for a in c) for c in tuning)
    # What is known goes there, and comes back with more.
    code, _, err = tunes.call("run", ABIS, SOC)
    assert code == ExitCode.OK, err
    assert made(tunes.folder)[CPU] == "tuned.tuned."
    code, _, err = tunes.call("convert", ABIS, SOC, "--disable_tuning")
    assert code == ExitCode.OK and made(tunes.folder)[CPU] == "tuned.tuned."


def test_without_such_a_device_nothing_is_tuned(tunes, devices):  # noqa: F811
    devices.phone("B2", props={"ro.board.platform": "msm8998"})
    for arguments, message in (
            ((ABIS, SOC), "phone 'B2' has the SoC msm8998, not msmnile"),
            (("--target_abis=host", SOC), "target_abis is host, which is of no such SoC")):
        code, _, err = tunes.call("convert", *arguments)
        assert code == ExitCode.OK and message in err
        assert "the models run untuned on every SoC" in err and made(tunes.folder) == {}


@pytest.mark.full
def test_a_device_that_fails_while_it_tunes(tunes, devices):  # noqa: F811
    root = devices.phone("A1")
    devices.rule("A1", "exec .*mace_run", "disconnect")
    code, _, err = tunes.call("convert", ABIS, SOC, f"--mace_run={tunes.mace_run}")
    assert code == ExitCode.OK and "not tuned: phone 'A1': it is no longer connected" in err
    assert made(tunes.folder) == {} and not list((tunes.folder / "build").rglob("*.part"))
    devices.phone_again("A1", root)
    devices.rule("A1", r"pull .*tuning_file", "half")
    code, _, err = tunes.call("convert", ABIS, SOC, f"--mace_run={tunes.mace_run}")
    assert code == ExitCode.OK and "arrived" in err and made(tunes.folder).get(CPU) is None


@pytest.mark.full
def test_an_interruption_leaves_nothing(place, devices):  # noqa: F811
    """Neither on the device nor here, with one device and with two."""
    roots = [devices.phone("A1")]
    for names in ("A1", "A1,B2"):
        if names != "A1":
            roots.append(devices.phone("B2"))
        devices.change("A1", rules=[])
        place.mace_run.write_text("#!/bin/sh\nwhile :; do sleep 1; done\n")
        command = [sys.executable, str(REPO / "tools" / "converter.py"), "run", ABIS,
                   f"--config={place.config}", f"--mace_run={place.mace_run}",
                   "--output_dir=outputs"]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env={**os.environ})
        for _ in range(600):
            started = [pid for root in roots for pid in (root / KEPT).glob("run.*/pid")]
            if len(started) == len(roots) or child.poll() is not None:
                break
            time.sleep(0.1)
        numbers = [int(pid.read_text()) for pid in started]
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
        assert child.returncode == ExitCode.INTERRUPTED, err
        assert [left(root) for root in roots] == [["cache"]] * len(roots)
        assert not list((place.folder / "outputs").rglob("*.*"))
        for number in numbers:  # ended there, too
            with pytest.raises(ProcessLookupError):
                os.kill(number, 0)


@pytest.mark.full
def test_the_attached_devices_are_listed_and_cleared(place, devices, run, capfd):  # noqa: F811
    root = devices.phone("A1")
    assert run(ABIS)[0] == ExitCode.OK
    devices.phone("B2", state="offline")
    (place.folder / "dev.yml").write_text(PI)
    devices.board("pi@10.0.0.2")
    code = cli.main(["devices", "--device_yml=dev.yml", "--json=d.json"])
    out, err = capfd.readouterr()
    assert code == ExitCode.RUN_FAILED and "phone 'B2': it is offline" in err
    assert "A1" in out and "msmnile" in out and "bcm2711" in out or "BCM2711" in out
    listed = {d.get("name"): d for d in json.loads(
        (place.folder / "d.json").read_text())["devices"]}
    assert listed["A1"]["kept_bytes"] > 80000 and listed["pi"]["kept_bytes"] == 0
    assert cli.main(["devices", "--clear", "--target_devices=A1"]) == ExitCode.OK
    assert not (root / KEPT).exists()
    assert "phone 'A1': /data/local/tmp/mace is removed" in capfd.readouterr().out
    assert cli.main(["devices", "--target_devices=C3"]) == ExitCode.USAGE
