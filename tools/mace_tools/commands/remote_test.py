"""run and benchmark on phones and boards: adb, ssh, the devices and mace_run are fakes, which
record what they are asked, run it, and fail as devices do.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

import numpy as np
import pytest

from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.support import ndk
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.fake_devices import FakeDevices

ABIS = "--target_abis=arm64-v8a"
PI = """\
devices:
  pi:
    target_abis: arm64
    target_socs: [BCM2711]
    models: Raspberry Pi 4
    address: 10.0.0.2
    username: pi
"""
KEPT = "data/local/tmp/mace"


@pytest.fixture
def devices(place, monkeypatch):  # noqa: F811
    fake = FakeDevices(place.folder / "devices")
    monkeypatch.setenv("PATH", f"{fake.bin}:{os.environ['PATH']}")
    monkeypatch.delenv(ndk.HOME, raising=False)  # by which mace_run for phones is another one
    place.answer(4)
    return fake


@pytest.fixture
def run(place, devices):  # noqa: F811
    """Calls `run`; returns the exit status, stdout, stderr, and the reports by device."""

    def call(*arguments, command="run"):
        code, out, err = place.call(command, "--json=r.json", *arguments)
        file = place.folder / "r.json"
        report = json.loads(file.read_text())["models"]["digits_onnx"] if file.exists() else {}
        file.unlink(missing_ok=True)
        return code, out, err, report.get("places")

    return call


def left(root):
    """What is on a phone beside the cache."""
    kept = root / KEPT
    return sorted(p.name for p in kept.iterdir()) if kept.exists() else []


def test_a_model_runs_on_a_phone(devices, run):
    root = devices.phone("A1")
    code, out, err, (report,) = run(ABIS, "--input=models/digits/images/4.png", "--round=3",
                                    "--output_dir=outputs")
    assert code == ExitCode.OK, err
    assert "Run model digits_onnx on A1 (Pixel 4), msmnile, arm64-v8a" in err
    assert "Top 5 of probabilities\n  1  4  " in out
    (row,) = [line for line in out.splitlines() if line.startswith("A1 (Pixel 4)")]
    assert row.split()[3:] == ["msmnile", "arm64-v8a", "digits_onnx", "CPU", "1.000", "3.000",
                               "2.000", "2.000", "34-34", "100", "%"]
    assert report["name"] == "A1" and report["latency"]["runs"] == 3
    assert report["machine"]["soc"] == "msmnile" and report["state"]["before"]["celsius"] == 34.5
    assert sorted(report["copied"]) == ["0.npy", "digits_onnx.data", "digits_onnx.pb",
                                        "fake_mace_run"]
    assert np.load("outputs/probabilities.npy").argmax() == 4
    assert left(root) == ["cache"]


@pytest.mark.full
def test_only_what_changed_is_copied_again(place, devices, run):  # noqa: F811
    devices.phone("A1")
    run(ABIS)
    devices.forget_calls()
    code, _, err, (report,) = run(ABIS)
    assert code == ExitCode.OK, err
    assert devices.pushed() == [] and report["copied"] == []
    _, _, _, (report,) = run(ABIS, "--seed=7")
    assert report["copied"] == ["0.npy"]
    place.mace_run.write_text(place.mace_run.read_text() + "# changed\n")
    _, _, _, (report,) = run(ABIS)
    assert report["copied"] == ["fake_mace_run"]


@pytest.mark.full
def test_what_was_cut_off_in_the_cache_is_copied_again(devices, run):
    root = devices.phone("A1")
    run(ABIS)
    (weights,) = (root / KEPT / "cache").glob("*.data")
    weights.write_bytes(weights.read_bytes()[:100])
    _, _, _, (report,) = run(ABIS)
    assert report["copied"] == ["digits_onnx.data"]


def test_several_devices_at_once_in_one_table(place, devices, run):  # noqa: F811
    devices.phone("A1")
    devices.phone("B2", props={"ro.product.model": "Mi 6", "ro.board.platform": "msm8998"},
                  cores=[(1900800, 1900800), (2361600, 1190400)], celsius=47)
    (place.folder / "dev.yml").write_text(PI)
    root = devices.board("pi@10.0.0.2")
    code, out, err, report = run("--target_abis=host,arm64-v8a,arm64", "--device_yml=dev.yml",
                                 "--output_dir=outputs")
    assert code == ExitCode.OK, err
    assert [f["name"] for f in report] == ["A1", "B2", "pi"]
    assert [f["machine"]["soc"] for f in report] == ["msmnile", "msm8998", "BCM2711"]
    assert "Run model digits_onnx on host" in err and "3 devices at once" in err
    table = out[out.rindex("device "):].splitlines()
    assert [line.split()[0] for line in table[1:4]] == ["A1", "B2", "pi"]
    assert "50 %" in table[2] and "times in doubt" in table[2]
    assert "phone 'B2': its system holds cores back: cores 1 run at up to 1190 of 2361 MHz" in err
    assert sorted(p.name for p in (place.folder / "outputs").iterdir()) == [
        "A1_arm64-v8a", "B2_arm64-v8a", "pi_arm64", "probabilities.npy"]
    assert sorted(p.name for p in (root / "home/.cache/mace_device").iterdir()) == ["cache"]


@pytest.mark.full
def test_socs_and_names_choose(devices, run):
    devices.phone("A1")
    devices.phone("B2", props={"ro.board.platform": "msm8998"})
    _, _, err, (report,) = run(ABIS, "--target_socs=MSM8998")
    assert report["name"] == "B2"
    assert "phone 'A1' has the SoC msmnile, not MSM8998: left out" in err
    _, _, _, (report,) = run(ABIS, "--target_devices=A1")
    assert report["name"] == "A1"
    _, _, _, report = run(ABIS, "--target_socs=all")
    assert [f["name"] for f in report] == ["A1", "B2"]
    code, _, err, _ = run(ABIS, "--target_socs=kirin970")
    assert code == ExitCode.RUN_FAILED and "no device can be used for target_abis: arm64-v8a, " \
        "target_socs: kirin970" in err and "phone 'B2' has the SoC msm8998" in err
    code, _, err, _ = run(ABIS, "--target_devices=A2")
    assert code == ExitCode.USAGE and "no device 'A2'" in err and "there are A1, B2" in err
    code, _, err, _ = run("--target_abis=host", "--target_devices=A1")
    assert code == ExitCode.USAGE and "target_abis is host" in err
    code, _, err, _ = run(ABIS, "--target_socs=,")
    assert code == ExitCode.USAGE and "names no SoC" in err


@pytest.mark.full
@pytest.mark.parametrize("state, why, cure", [
    ("unauthorized", "does not allow this computer", "accept the question 'Allow USB debugging?'"),
    ("offline", "is offline", "unplug it"),
    ("no permissions (user in plugdev group); see [http://x]", "may not open its USB device",
     "android-sdk-platform-tools-common"),
    ("recovery", "recovery mode", "`adb -s A1 reboot`"), ("what", "its state is 'what'", "unplug"),
])
def test_phones_that_cannot_be_used(devices, run, state, why, cure):
    devices.phone("A1", state=state)
    code, out, err, _ = run(ABIS)
    assert code == ExitCode.RUN_FAILED and "phone 'A1': " in err and why in err and cure in err
    devices.phone("B2")
    code, out, err, report = run(ABIS)
    assert code == ExitCode.RUN_FAILED and why in err  # the other one ran
    assert report[0]["latency"] and why in report[1]["error"] and "failed, see above" in out


def test_an_abi_that_a_phone_lacks(devices, run):
    devices.phone("A1", props={"ro.product.cpu.abilist": "armeabi-v7a,armeabi"})
    code, _, err, _ = run(ABIS)
    assert code == ExitCode.RUN_FAILED
    assert "phone 'A1': it has armeabi-v7a, armeabi, not arm64-v8a: left out " \
        "(--target_abis=armeabi-v7a takes it)" in err
    code, _, err, _ = run("--target_abis=arm64-v8a,armeabi-v7a")
    assert code == ExitCode.OK, err


def test_no_phone_and_no_adb(devices, run, monkeypatch):
    code, _, err, _ = run(ABIS)
    assert code == ExitCode.RUN_FAILED and "attach a phone with USB debugging" in err
    assert "`--target_abis=host` runs on this machine" in err
    code, _, err, report = run("--target_abis=host,arm64-v8a")
    assert code == ExitCode.OK and "models run on this machine only" in err and not report
    code, _, err, _ = run("--target_abis=arm64")
    assert code == ExitCode.RUN_FAILED and "name boards with --device_yml=FILE" in err
    (devices.bin / "adb").unlink()
    code, _, err, _ = run(ABIS)
    assert code == ExitCode.MISSING_TOOL and "`apt-get install adb`" in err
    code, _, err, _ = run("--target_abis=host,arm64-v8a")
    assert code == ExitCode.OK and "adb, which is not installed" in err


LOST = "it is no longer connected: plug it in again"
FAULTS = [
    ("push", "disconnect", LOST), ("push", "disconnect midway", LOST),
    ("push .*\\.data", "half", "bytes of digits_onnx.data, "),
    ("push .*\\.pb", "other bytes", "digits_onnx.pb arrived with other bytes: try again"),
    ("exec .*mace_run", "disconnect", LOST), ("exec .*mace_run", "disconnect midway", LOST),
    ("exec .*mace_run", "cut", "its answer was cut off"),
    ("exec .*mace_run", "hang", "no answer within 8 s: see whether it is busy or asleep; "
                                "--device_timeout=SECONDS"),
    ("pull .*probabilities", "half", "bytes of /data/local/tmp/mace/run."),
    ("pull .*json", "disconnect", LOST),
    ("push", "fail adb: error: failed to copy 'x' to 'y': remote write failed: No space left on "
             "device", "its storage is full: remove files there, or run `tools/converter.py "
                       "devices --clear`"),
    ("mkdir", "fail mkdir: '/data/local/tmp/mace': Read-only file system", "is read-only"),
    ("getprop", "fail error: device unauthorized.", "does not allow this computer"),
    ("thermal", "fail error: device offline", "it is offline"),
    ("thermal", "fail error: closed", "the connection to it ended (error: closed): plug it in"),
]


@pytest.mark.full
@pytest.mark.parametrize("on, do, message", FAULTS)
def test_what_goes_wrong_on_the_way(place, devices, run, on, do, message):  # noqa: F811
    """The error says which device, why, and the cure; nothing half written is left here or there,
    another device is not disturbed, and the next run is well."""
    root = devices.phone("A1")
    devices.phone("B2")
    devices.rule("A1", on, do, times=1)
    code, out, err, report = run(ABIS, "--output_dir=outputs", *(
        ["--device_timeout=8"] if do == "hang" else []))
    assert code == ExitCode.RUN_FAILED and "phone 'A1': " in err and message in err, err
    assert "Traceback" not in err and "internal error" not in err
    good, bad = sorted(report, key=lambda f: "error" in f)
    assert good["name"] == "B2" and good["latency"] and message in bad["error"]
    outputs = place.folder / "outputs"
    assert not list(outputs.rglob(".*")) and not list((outputs / "A1_arm64-v8a").glob("*"))
    here = "disconnect" not in do
    if not here:
        devices.phone_again("A1", root)
    code, _, err, _ = run(ABIS, "--target_devices=A1")
    assert code == ExitCode.OK, err
    assert left(root) == ["cache"]
    assert not list((root / KEPT / "cache").glob("*.part"))


def test_a_full_phone_is_seen_before_anything_is_copied(devices, run):
    root = devices.phone("A1")
    devices.program(root, "df", "Filesystem 1K-blocks Used Available Use% Mounted on\n"
                                "/dev/block/dm-5 115249236 115240000 5000 100% /data")
    code, _, err, _ = run(ABIS)
    assert code == ExitCode.RUN_FAILED and "its storage is full: " in err and "are free" in err
    assert devices.pushed() == []


@pytest.mark.full
@pytest.mark.parametrize("code, text, message", [
    (1, "ERROR: the engine says no", "mace_run failed with status 1: ERROR: the engine says no"),
    (127, "sh: mace_run: not found", "cannot execute mace_run"),
    (126, "mace_run: Permission denied", "noexec"),
    (1, "./mace_run: /lib/libc.so.6: version `GLIBC_2.34' not found", "C library is too old"),
    (132, "", "does not know an instruction"), (137, "Killed", "memory is short"),
    (139, "Segmentation fault", "ended by signal 11"),
])
def test_mace_run_that_fails_on_a_device(place, devices, run, code, text, message):  # noqa: F811
    root = devices.phone("A1")
    place.mace_run.write_text(f'#!/bin/sh\necho "{text}" >&2\nexit {code}\n'.replace("`", "\\`"))
    status, out, err, (report,) = run(ABIS, "--output_dir=outputs")
    assert status == ExitCode.RUN_FAILED and "phone 'A1': " in err and message in err
    assert message in report["error"] and left(root) == ["cache"]
    assert not list((place.folder / "outputs").iterdir())


@pytest.mark.full
def test_a_run_that_an_interruption_left_is_ended_by_the_next(devices, run):
    root = devices.phone("A1")
    run(ABIS)
    devices.rule("A1", r"rm -rf \S*run\.\w*\n\)", "fail error: closed")
    code, _, err, _ = run(ABIS)
    assert "stays there until the next run" in err
    assert [name[:4] for name in left(root)] == ["cach", "run."]
    devices.change("A1", rules=[])
    code, _, err, _ = run(ABIS)
    assert code == ExitCode.OK and left(root) == ["cache"]


def test_a_phone_with_the_lines_of_an_old_adb(devices, run):
    devices.phone("A1", crlf=True)
    code, _, err, (report,) = run(ABIS)
    assert code == ExitCode.OK, err
    assert report["machine"]["soc"] == "msmnile" and report["latency"]


def test_the_answers_of_another_phone_are_replayed(devices, run):
    """A phone with toolbox, Android 5: no abilist, and no checksums."""
    root = devices.phone("OLD", props={"ro.product.cpu.abilist": "", "ro.product.model": "",
                                       "ro.product.cpu.abi": "armeabi-v7a",
                                       "ro.board.platform": "msm8916"})
    devices.rule("OLD", "thermal", "answer zone 38 tsens_tz_sensor0\nzone -99 x\ncore 0 0 0 0 -")
    devices.program(root, "sha256sum", "", code=127)
    code, out, err, (report,) = run("--target_abis=armeabi-v7a")
    assert code == ExitCode.OK, err
    assert report["state"]["before"]["celsius"] == 38 and report["state"]["after"]["clusters"] == [
        {"cores": [0], "max_mhz": 0, "allowed_mhz": 0, "governor": "-"}]


@pytest.mark.full
def test_validation_and_both_devices(place, devices, run):  # noqa: F811
    pytest.importorskip("onnxruntime")
    devices.phone("A1")
    place.edit("runtime: cpu", "runtime: cpu+gpu")
    code, out, err, (report,) = run(ABIS, "--validate", "--input=models/digits/images/4.png")
    assert code == ExitCode.OK, err
    assert out.count("Similarity Test Passed") == 2 and "GPU against CPU" in out
    assert set(report["devices"]) == {"cpu", "gpu"} and report["comparison"]["agree"]
    place.answer(4, scale=1.2)
    code, out, err, (report,) = run(ABIS, "--validate", "--device=cpu",
                                    "--input=models/digits/images/4.png")
    assert code == ExitCode.VALIDATION_FAILED and "differs" in out


@pytest.mark.full
def test_a_benchmark_on_a_phone(place, devices, run):  # noqa: F811
    devices.phone("A1")
    code, out, err, (report,) = run(ABIS, "--trace=t.json", command="benchmark")
    assert code == ExitCode.OK, err
    assert "Benchmark model digits_onnx on A1 (Pixel 4)" in err and "Sort by Run Order" in out
    assert (place.folder / "t.json").read_text() == "{}"
    devices.phone("B2")
    code, _, err, _ = run(ABIS, "--trace=t.json", command="benchmark")
    assert code == ExitCode.OK, err
    assert {p.name for p in place.folder.glob("t_*.json")} == {"t_A1_arm64-v8a.json",
                                                              "t_B2_arm64-v8a.json"}
