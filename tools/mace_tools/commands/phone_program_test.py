"""Which mace_run phones and boards get: by an NDK or without one, or a given one; and what it can
open there. adb, ssh and the devices are fakes.

SPDX-License-Identifier: Apache-2.0
"""

import re

from mace_tools import cli
from mace_tools.commands.commands_test import place  # noqa: F401, the fixture
from mace_tools.commands.remote_test import ABIS, PI, devices, run  # noqa: F401, the fixtures
from mace_tools.devices import adb
from mace_tools.devices.session import Session
from mace_tools.support import ndk
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode


def test_models_for_the_dsp_are_refused_by_boards(place, devices, run):  # noqa: F811
    devices.board("pi@10.0.0.2")
    (place.folder / "dev.yml").write_text(PI)
    place.edit("runtime: cpu", "runtime: cpu+dsp\n    data_type: uint8")
    code, _, err, _ = run("--target_abis=arm64", "--device_yml=dev.yml")
    assert code == ExitCode.USAGE and "models for the DSP run on phones, and in the emulator" in err


def test_a_program_for_another_cpu_is_refused(place, devices, run):  # noqa: F811
    devices.phone("A1")
    elf = place.folder / "elf"
    elf.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0\x3e\0" + bytes(44))
    elf.chmod(0o755)
    code, _, err, _ = run(ABIS, f"--mace_run={elf}")
    assert code == ExitCode.MISSING_TOOL
    assert f"--mace_run={elf} is no program for arm64-v8a" in err
    assert "`bazel build --config=aarch64 --linkopt=-static" in err


def test_the_gpu_of_a_phone_needs_a_program_of_the_ndk(place, devices):  # noqa: F811
    devices.phone("A1")
    place.edit("runtime: cpu", "runtime: cpu+gpu")
    code = cli.main(["run", f"--config={place.config}", ABIS])
    _, err = place._capfd.readouterr()
    assert code == ExitCode.USAGE
    assert "phone 'A1': without an Android NDK, the mace_run for phones brings its own" in err
    assert "no way to their OpenCL: `export ANDROID_NDK_HOME=/path/to/ndk` builds one" in err
    place.edit("runtime: cpu+gpu", "runtime: cpu+dsp\n    data_type: uint8")
    code = cli.main(["run", f"--config={place.config}", ABIS])
    assert code == ExitCode.USAGE and "no way to their DSP" in place._capfd.readouterr().err


def test_a_broken_ndk_is_named_before_anything_is_built(place, devices, monkeypatch):  # noqa: F811
    devices.phone("A1")
    monkeypatch.setenv(ndk.HOME, "/no/ndk")
    code = cli.main(["run", f"--config={place.config}", ABIS])
    _, err = place._capfd.readouterr()
    assert code == ExitCode.MISSING_TOOL
    assert "mace_run for Android needs the Android NDK, and ANDROID_NDK_HOME=/no/ndk is no folder" \
        in err
    assert "without ANDROID_NDK_HOME, phones get a static program of Linux" in err


def test_a_library_for_the_dsp_is_copied_or_named(devices, tmp_path):  # noqa: F811
    """To the fake of a phone, with a mace_run that prints its arguments."""
    devices.phone("A1")
    program, library = tmp_path / "mace_run", tmp_path / "libhexagon_controller.so"
    program.write_text("#!/bin/sh\necho \"$@\"\n")
    library.write_text("a library")
    seen = ""
    with Session(adb.Phone("A1"), Console(), 10) as session:
        for value in (library.name, str(library)):
            texts = []
            session.run(program, [f"--dsp_library={value}"], {}, texts.append)
            seen += " ".join(texts).strip() + "\n"
    assert re.fullmatch(r"--dsp_library=libhexagon_controller.so\n"
                        r"--dsp_library=/data/local/tmp/mace/cache/\S+\n", seen)
    assert [n for n in devices.pushed() if "libhexagon" in n]
