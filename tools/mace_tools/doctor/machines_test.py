"""doctor: this machine's CPU and OpenCL, programs, frameworks, and devices that are fakes.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import sys

import pytest

from mace_tools import cli
from mace_tools.commands.options.devices import GROUPS
from mace_tools.doctor import Machine, State, cpu, devices, frameworks, gpu, programs
from mace_tools.doctor.finding import findings
from mace_tools.support import ndk
from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.fake_devices import FakeDevices


@pytest.fixture
def fake(tmp_path, monkeypatch):
    made = FakeDevices(tmp_path / "devices")
    monkeypatch.setenv("PATH", f"{made.bin}:{os.environ['PATH']}")
    return made


def found(checks, machine=None):
    return {f.what: f for f in findings(checks, machine or Machine())}


def test_this_machine_has_a_cpu():
    by_name = found(cpu.CHECKS)
    assert by_name["instructions"].state is State.OK
    assert "core" in by_name["cores"].text and "GB" in by_name["memory"].text


@pytest.mark.parametrize("features, names", [
    ("fp asimd evtstrm aes", ["NEON"]), ("neon vfpv4 half", ["NEON"]), ("half thumb", []),
    ("asimd asimdhp asimddp i8mm bf16", ["NEON", "fp16", "dot products", "bf16", "int8 matrices"]),
    ("sse4_2 avx2 fma f16c avx512f", ["AVX2 and FMA"]),
])
def test_instructions_by_the_words_of_linux(features, names):
    assert cpu.kernels_for(tuple(features.split())) == names


DEVICE = {"name": "G", "vendor": "V", "driver": "1", "version": "OpenCL 3.0 x", "type": 4,
          "extensions": "cl_khr_fp16 x", "units": 8, "group": 256, "images": 1,
          "image_width": 16384, "image_height": 16384, "memory": 1 << 30, "available": 1,
          "compiler": 1}  # fmt: skip


@pytest.mark.parametrize("platform, change, state, text", [
    ("P", {}, State.OK, "GPU, 8 compute units, images up to 16384x16384, fp16"),
    ("P", {"extensions": "", "type": 2}, State.OK, "not a GPU, 8 compute units"),
    ("P", {"image_height": 4096}, State.OK, "Known: its images are small"),
    ("Portable Computing Language", {}, State.OK, "Known: it computes on the CPU"),
    ("rusticl", {"name": "llvmpipe (LLVM)"}, State.OK, "RUSTICL_ENABLE"),
    ("P", {"available": 0}, State.ABSENT, "it is not available"),
    ("P", {"compiler": 0}, State.ABSENT, "it has no compiler"),
    ("P", {"version": "OpenCL 1.1 x"}, State.ABSENT, "OpenCL 1.2 is needed"),
    ("P", {"version": ""}, State.ABSENT, "OpenCL 1.2 is needed"),
    ("P", {"images": 0}, State.ABSENT, "it has no images"),
    ("P", {"group": 0}, State.ABSENT, "size of its work groups"),
])
def test_devices_of_opencl(platform, change, state, text):
    one = gpu.of_device({"name": platform}, {**DEVICE, **change})
    assert one.state is state and text in one.text, one


def opencl(program):
    machine = Machine()
    machine.known["opencl"] = [sys.executable, "-c", program]
    return findings(gpu.CHECKS, machine)


@pytest.mark.parametrize("program, text", [
    ("import os; os.kill(os.getpid(), 11)", "ended the process by SIGSEGV"),
    ("raise SystemExit('no luck')", "no luck"), ("print('noise')", "failed"),
    ("print('{\"library\": \"\", \"platforms\": []}')", "no libOpenCL.so"),
    ("print('{\"library\": \"l\", \"platforms\": []}')", "no driver with a device"),
])
def test_drivers_that_fail(program, text):
    one = opencl(program)[-1]
    assert one.state is State.MISSING and text in one.text and one.cure


def test_a_driver_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(gpu, "TIMEOUT", 0.2)
    (one,) = opencl("import time; time.sleep(60)")
    assert "did not start within" in one.text and "OCL_ICD_VENDORS" in one.cure


def test_this_machines_drivers_are_listed():
    """tools/setup.sh --for test installs PoCL."""
    by_name = found(gpu.CHECKS)
    assert by_name["library"].state is State.OK
    assert any("Portable Computing Language" in f.text for f in by_name.values())


def test_programs_that_are_missing_have_a_cure(monkeypatch):
    monkeypatch.delenv(ndk.HOME, raising=False)
    by_name = found(programs.CHECKS, Machine(which=lambda name: None))
    missing = [f for f in by_name.values() if f.state is State.MISSING]
    assert len(missing) == len(programs.PROGRAMS) + 1 and all(f.cure for f in missing)
    assert "ANDROID_NDK_HOME is not set" in by_name["Android NDK (compiles for phones)"].text


def test_programs_say_their_versions(tmp_path):
    for name, says in (("tool", "echo tool 1.2.3-4"), ("silent", "exit 1"), ("slow", "sleep 60")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    assert programs.version(str(tmp_path / "tool")) == ", 1.2.3-4"
    assert programs.version(str(tmp_path / "silent")) == ""
    assert programs.version(str(tmp_path / "none")) == ""


def test_frameworks_have_versions_or_a_cure():
    for one in findings(frameworks.CHECKS, Machine()):
        assert one.cure if one.state is State.MISSING else one.text


PI = "devices:\n  pi: {target_abis: arm64, address: 10.0.0.2, username: pi}\n"


def test_connected_devices(fake, tmp_path):
    root = fake.phone("A1", cores=[(1785600, 1785600)] * 2 + [(2841600, 1420800)])
    fake.program(root, "sha256sum", "")
    for path, text in (("sys/devices/soc0/soc_id", "339\n"),):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    fake.phone("B2", state="unauthorized")
    fake.board("pi@10.0.0.2")
    (tmp_path / "dev.yml").write_text(PI)
    by_name = found(devices.CHECKS, Machine(device_yml=tmp_path / "dev.yml"))
    assert "Pixel 4, msmnile, Android 13" in by_name["phone 'A1'"].text
    assert by_name["A1: ABIs"].text == "--target_abis=arm64-v8a,armeabi-v7a"
    assert "NEON, fp16, dot products" in by_name["A1: instructions"].text
    assert by_name["A1: cores"].text == (
        "1 core at up to 2841 MHz, held at 1420 MHz; 2 cores at up to 1785 MHz")
    held = by_name["A1: temperature and clocks"]
    assert held.state is State.MISSING and "let it cool down" in held.cure
    assert "Hexagon v66" in by_name["A1: DSP"].text
    assert by_name["A1: OpenCL"].state is State.ABSENT
    assert "Allow USB debugging" in by_name["phone 'B2'"].cure
    board = by_name["board 'pi' (pi@10.0.0.2)"]
    assert "Raspberry Pi 4 Model B" in board.text and by_name["pi: ABIs"].state is State.OK


def test_a_device_that_is_lost_is_a_finding(fake, tmp_path):
    fake.phone("A1")
    fake.rule("A1", "thermal", "disconnect")
    by_name = found(devices.CHECKS)
    assert by_name["phone 'A1'"].state is State.MISSING
    assert "no longer connected" in by_name["phone 'A1'"].text
    (tmp_path / "dev.yml").write_text(PI)
    by_name = found(devices.CHECKS, Machine(device_yml=tmp_path / "dev.yml"))
    assert "does not answer" in by_name["board 'pi' (pi@10.0.0.2)"].text


def test_the_command_has_all_groups(fake, tmp_path, capfd):
    code = cli.main(["doctor", "--cpu", "--devices", f"--json={tmp_path / 'r.json'}"])
    out, _ = capfd.readouterr()
    report = json.loads((tmp_path / "r.json").read_text())
    assert set(report["findings"]) == {"cpu", "devices"} and report["version"] == 1
    assert report["exit_code"] == code and code in (ExitCode.OK, ExitCode.MISSING_TOOL)
    assert GROUPS["cpu"] in out and out.rstrip().endswith("missing")
