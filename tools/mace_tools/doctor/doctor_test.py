"""doctor: each part of a DSP present and absent, and the emulator as it answers; the command.

SPDX-License-Identifier: Apache-2.0
"""

import json
import struct
import subprocess

import pytest

from mace_tools import cli
from mace_tools.commands.options.devices import GROUPS
from mace_tools.doctor import CHECKS, Machine, State, dsp
from mace_tools.run import runner
from mace_tools.support.exit_codes import ExitCode


@pytest.fixture
def machine(tmp_path):
    return Machine(root=tmp_path, which=lambda name: None)


def put(machine, path, text="", mode=0o644):
    file = machine.at(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


def states(machine):
    return {f.what: f for f in (check(machine) for check in dsp.CHECKS)}


def test_a_machine_without_a_dsp_needs_nothing_of_one(machine):
    found = states(machine)
    for what in ("SoC with a DSP", "driver (FastRPC)", "library (libcdsprpc.so)",
                 "permission (unsigned PD)", "vendor's library (libhexagon_controller.so)",
                 "its part on the DSP (libhexagon_nn_skel.so)", "vendor's library on the DSP"):
        assert found[what].state is State.ABSENT and not found[what].cure


@pytest.mark.parametrize("number, state, text", [
    ("339\n", State.OK, "Hexagon v66"),
    ("321", State.OK, "v65, for the vendor's library; MACE's own executor is for v66"),
    ("9999", State.ABSENT, "does not know"), ("what?", State.ABSENT, "no device of Qualcomm"),
])
@pytest.mark.parametrize("file", dsp.SOC_IDS)
def test_socs_by_their_number(machine, file, number, state, text):
    put(machine, file, number)
    found = dsp.soc(machine)
    assert found.state is state and text in found.text


def test_what_a_phone_lacks_is_named_with_the_cure(machine):
    put(machine, dsp.SOC_IDS[0], "384")
    found = states(machine)
    assert "CONFIG_QCOM_FASTRPC" in found["driver (FastRPC)"].cure
    assert "uses-native-library" in found["library (libcdsprpc.so)"].cure
    assert "sign the skeleton" in found["permission (unsigned PD)"].cure
    assert "dsp_library" in found["vendor's library (libhexagon_controller.so)"].cure


def test_a_phone_with_everything(machine):
    put(machine, dsp.SOC_IDS[0], "356")
    put(machine, dsp.DRIVERS[0])
    put(machine, dsp.LIBRARIES[1])
    found = states(machine)
    for what in ("SoC with a DSP", "driver (FastRPC)", "library (libcdsprpc.so)",
                 "permission (unsigned PD)"):
        assert found[what].state is State.OK, found[what]
    assert "SetHexagonToUnsignedPD" in found["permission (unsigned PD)"].text


SOURCE = """
int hexnn_controller_request_unsigned_pd(void) { return %d; }
int hexagon_nn_version(int* v) { *v = %d; return %d; }
"""


@pytest.mark.parametrize("unsigned, version, code, state, text", [
    (0, 0x21A01, 0, State.OK, "with version 0x21a01"),
    (0, 0x20F00, 0, State.MISSING, "version 0x20f00; MACE works with 0x21401 and 0x21a01"),
    (0, 0, 0x2C, State.MISSING, "hexagon_nn_version returned 0x2c"),
    (0x4E, 0x21A01, 0, State.MISSING, "no unsigned process domain: 0x4e"),
])
def test_the_vendors_library_is_asked_for_its_version(machine, unsigned, version, code, state,
                                                      text):
    put(machine, dsp.SOC_IDS[0], "356")
    file = put(machine, f"/vendor/lib64/{dsp.CONTROLLER}")
    source = put(machine, "/a.c", SOURCE % (unsigned, version, code))
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", file], check=True)
    found = states(machine)
    assert found[f"vendor's library ({dsp.CONTROLLER})"].state is State.OK
    assert "ADSP_LIBRARY_PATH" in found[f"its part on the DSP ({dsp.SKELETON})"].cure
    asked = found["vendor's library on the DSP"]
    assert asked.state is state and text in asked.text, asked
    assert bool(asked.cure) == (state is State.MISSING)


@pytest.mark.parametrize("content, text", [
    ("int other(void) { return 0; }", "undefined symbol"),
    ("int hexagon_nn_version(int* v) { for (;;) {} }", "did not answer"),
    ("int hexagon_nn_version(int* v) { __builtin_trap(); }", "it ended"),
])
def test_a_library_that_dies_or_hangs_harms_nothing(machine, monkeypatch, content, text):
    monkeypatch.setattr(dsp, "TIMEOUT", 2)
    file = put(machine, f"/usr/lib/{dsp.CONTROLLER}")
    source = put(machine, "/a.c", content)
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", file], check=True)
    machine.known["controller"] = file
    found = dsp.answer(machine)
    assert found.state is State.MISSING and text in found.text and found.cure


def test_the_part_on_the_dsp_is_looked_for_where_the_environment_says(machine, monkeypatch):
    machine.known["controller"] = "somewhere"
    file = put(machine, f"/data/dsp/{dsp.SKELETON}")
    monkeypatch.setenv("ADSP_LIBRARY_PATH", f"/none;{file.parent}")
    assert dsp.skeleton(machine).text == str(file)


def test_missing_tools_are_named_with_the_cure(machine, monkeypatch):
    monkeypatch.setattr(runner, "is_built", lambda tool: False)
    found = states(machine)
    assert "clang-19 lld-19" in found["compiler of the executor"].cure
    assert "bazel build //mace/hexagon:mace_dsp" in found["executor (mace_dsp.elf)"].cure
    assert found["emulator"].cure == "apt-get install qemu-user"
    assert found["executor in the emulator"].state is State.ABSENT
    machine.mace_dsp = machine.root / "none.elf"
    assert "cannot be read" in dsp.executor(machine).text


ANSWERS = [
    (struct.pack("<16I", 0x5053444D, 5, 1, 1, 4, 262144, *[0] * 10), State.OK, "262144 bytes"),
    (struct.pack("<16I", 0x5053444D, 7, 1, 1, *[0] * 12), State.MISSING, "speaks version 7"),
    (b"x" * 64, State.MISSING, "none of MACE's"), (b"", State.MISSING, "none of MACE's"),
]


@pytest.mark.parametrize("answer, state, text", ANSWERS)
def test_the_executor_is_asked_for_its_version(machine, answer, state, text):
    (machine.root / "answer").write_bytes(answer)
    emulator = put(machine, "/bin/emulator", f"#!/bin/sh\ncat {machine.root}/answer\n", 0o755)
    machine.known.update(emulator=str(emulator), executor=put(machine, "/mace_dsp.elf"))
    found = dsp.version(machine)
    assert found.state is state and text in found.text, found
    assert bool(found.cure) == (state is State.MISSING)


def test_an_emulator_that_hangs_is_given_up(machine, monkeypatch):
    monkeypatch.setattr(dsp, "TIMEOUT", 0.2)
    emulator = put(machine, "/bin/emulator", "#!/bin/sh\nexec sleep 60\n", 0o755)
    machine.known.update(emulator=str(emulator), executor=put(machine, "/mace_dsp.elf"))
    assert "did not answer" in dsp.version(machine).text


def test_every_group_of_checks_has_a_flag():
    assert list(GROUPS) == list(CHECKS)


def test_the_command_lists_all_checks(tmp_path, capfd):
    code = cli.main(["doctor", "--dsp", f"--json={tmp_path / 'r.json'}"])
    out, _ = capfd.readouterr()
    report = json.loads((tmp_path / "r.json").read_text())
    findings = report["findings"]["dsp"]
    assert len(findings) == len(CHECKS["dsp"]) and report["exit_code"] == code
    assert all(f["what"] in out and f["text"] in out for f in findings)
    missing = any(f["state"] == "missing" for f in findings)
    assert code == (ExitCode.MISSING_TOOL if missing else ExitCode.OK)
    assert all(f["cure"] for f in findings if f["state"] == "missing")
    assert report["version"] == 1 and list(report["findings"]) == ["dsp"]
