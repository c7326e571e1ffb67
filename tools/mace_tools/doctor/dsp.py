"""Checks of the DSP: the SoC, the way to its DSP, and the emulator.

SPDX-License-Identifier: Apache-2.0

The numbers of SoCs are those of Linux's qcom,ids.h, with the generation of their compute DSP.
"""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

from mace_tools.doctor.finding import Check, Finding, Machine, State
from mace_tools.run import runner
from mace_tools.support.protos import REPO

SOC_IDS = ("/sys/devices/soc0/soc_id", "/sys/devices/system/soc/soc0/id")
GENERATIONS = {
    "v60": (292, 317, 318, 319, 324, 325, 326, 327),
    "v65": (321, 336, 337, 341, 347, 360, 365, 366, 393),
    "v66": (339, 352, 355, 356, 362, 367, 373, 377, 384, 394, 400, 401, 407, 415, 450, 457),
}
MIN = "v66"  # that MACE's own executor is compiled for
# SM8150, SM6150, SM8250, SM7150, SM6125, SM8350, QCS605, QCS610.
UNSIGNED = (339, 355, 356, 365, 366, 394, 415, 347, 401)
DRIVERS = ("/dev/fastrpc-cdsp", "/dev/adsprpc-smd", "/dev/fastrpc-adsp")
FOLDERS = ("/vendor/lib64", "/vendor/lib", "/system/vendor/lib64", "/system/lib64", "/usr/lib",
           "/usr/lib/aarch64-linux-gnu")
LIBRARIES = tuple(f"{folder}/libcdsprpc.so" for folder in FOLDERS)
CONTROLLER = "libhexagon_controller.so"
SKELETON = "libhexagon_nn_skel.so"
SKELETON_FOLDERS = ("/vendor/lib/rfsa/adsp", "/system/lib/rfsa/adsp",
                    "/system/vendor/lib/rfsa/adsp", "/dsp", "/vendor/dsp", "/usr/lib/rfsa/adsp")
# Asks for the version in a process of its own, which may hang or die.
ASK = """import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
if sys.argv[2] == "1":
    print(library.hexnn_controller_request_unsigned_pd())
version = ctypes.c_int()
print(library.hexagon_nn_version(ctypes.byref(version)), version.value)
"""
ABI_HEADER = REPO / "mace" / "hexagon" / "nnlib" / "abi.h"
MESSAGES = REPO / "mace" / "hexagon" / "protocol" / "messages.h"
TIMEOUT = 20  # seconds for the emulator's first answer


def soc(machine: Machine) -> Finding:
    file = machine.first(*SOC_IDS)
    try:
        number = int(file.read_text()) if file is not None else None
    except (OSError, ValueError):
        number = None
    if number is None:
        return Finding("SoC with a DSP", State.ABSENT, "none: this is no device of Qualcomm; "
                       "models run in the emulator here")
    machine.known["soc"] = number
    found = next((g for g, ids in GENERATIONS.items() if number in ids), None)
    if found is None:
        return Finding("SoC with a DSP", State.ABSENT, f"the SoC with the number {number} has a "
                       "DSP that MACE does not know; hexagon_nn is for v60, v65 and v66")
    if found < MIN:
        return Finding("SoC with a DSP", State.OK, f"number {number}, Hexagon {found}, for the "
                       f"vendor's library; MACE's own executor is for {MIN} and later")
    return Finding("SoC with a DSP", State.OK, f"number {number}, Hexagon {found}")


def driver(machine: Machine) -> Finding:
    what = "driver (FastRPC)"
    if "soc" not in machine.known:
        return Finding(what, State.ABSENT, "not needed without a DSP")
    file = machine.first(*DRIVERS)
    if file is None:
        return Finding(what, State.MISSING, f"none of {', '.join(DRIVERS)} exists",
                       "use a kernel with the FastRPC driver (CONFIG_QCOM_FASTRPC)")
    if not os.access(file, os.R_OK):
        return Finding(what, State.MISSING, f"{file} may not be read by this user",
                       "run as a user of its group, or from an app, which Android lets use it")
    return Finding(what, State.OK, str(file))


def library(machine: Machine) -> Finding:
    what = "library (libcdsprpc.so)"
    if "soc" not in machine.known:
        return Finding(what, State.ABSENT, "not needed without a DSP")
    file = machine.first(*LIBRARIES)
    if file is None:
        return Finding(what, State.MISSING, "in none of the folders of the vendor's libraries",
                       "install the vendor's package for the compute DSP; apps for Android name it "
                       "in <uses-native-library>")
    return Finding(what, State.OK, str(file))


def permission(machine: Machine) -> Finding:
    what = "permission (unsigned PD)"
    if "soc" not in machine.known:
        return Finding(what, State.ABSENT, "not needed without a DSP")
    if machine.known["soc"] in UNSIGNED:
        return Finding(what, State.OK, "this SoC runs code without a signature in an unsigned "
                       "process domain: SetHexagonToUnsignedPD()")
    return Finding(what, State.MISSING, "this SoC is not known to have unsigned process domains",
                   "sign the skeleton for the device with the Hexagon SDK (docs/dsp.md)")


def _beside(name: str) -> list[Path]:
    """Where the variables of the environment lead: of the dynamic linker, and of FastRPC."""
    variables = ("LD_LIBRARY_PATH", "DSP_LIBRARY_PATH", "ADSP_LIBRARY_PATH")
    found = [folder for v in variables for folder in re.split("[:;]", os.environ.get(v, ""))]
    return [Path(folder) / name for folder in found if folder]


def controller(machine: Machine) -> Finding:
    what = f"vendor's library ({CONTROLLER})"
    file = machine.first(*(f"{folder}/{CONTROLLER}" for folder in FOLDERS))
    file = file or next((f for f in _beside(CONTROLLER) if f.is_file()), None)
    if file is None and "soc" not in machine.known:
        return Finding(what, State.ABSENT, "not needed without a DSP")
    if file is None:
        return Finding(what, State.MISSING, "in no folder of libraries, nor in LD_LIBRARY_PATH",
                       "put that of MACE 0.13 to 1.1 beside the app's libraries, or name it with "
                       "dsp_library (docs/dsp.md)")
    machine.known["controller"] = file
    return Finding(what, State.OK, str(file))


def skeleton(machine: Machine) -> Finding:
    what = f"its part on the DSP ({SKELETON})"
    if "controller" not in machine.known:
        return Finding(what, State.ABSENT, "not needed without the vendor's library")
    file = machine.first(*(f"{folder}/{SKELETON}" for folder in SKELETON_FOLDERS))
    file = file or next((f for f in _beside(SKELETON) if f.is_file()), None)
    if file is None:
        return Finding(what, State.MISSING, "in no folder in which the DSP looks",
                       "put the file for this DSP (v60, v65 or v66) under that name into a folder, "
                       "and set ADSP_LIBRARY_PATH to it before the engine is created")
    return Finding(what, State.OK, str(file))


def answer(machine: Machine) -> Finding:
    """Whether the vendor's library reaches the DSP, and which version it is."""
    what = "vendor's library on the DSP"
    file = machine.known.get("controller")
    if file is None:
        return Finding(what, State.ABSENT, "not tried: see above")
    unsigned = "1" if machine.known.get("soc") in UNSIGNED else "0"
    try:
        done = subprocess.run([sys.executable, "-c", ASK, str(file), unsigned], text=True,
                              capture_output=True, timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return Finding(what, State.MISSING, f"it did not answer: {e}", "start the device again")
    lines = done.stdout.split("\n")[:-1]
    if done.returncode != 0 or not lines:
        last = (done.stderr.strip().splitlines() or ["it ended"])[-1]
        return Finding(what, State.MISSING, f"it cannot be asked: {last}",
                       f"use the {CONTROLLER} of MACE 0.13 to 1.1, for this processor")
    code, version = (int(word) for word in lines[-1].split())
    if unsigned == "1" and int(lines[0]) != 0:
        return Finding(what, State.MISSING, f"no unsigned process domain: {int(lines[0]):#x}",
                       "sign the skeleton for the device with the Hexagon SDK (docs/dsp.md)")
    if code != 0:
        return Finding(what, State.MISSING, f"hexagon_nn_version returned {code & 0xffffffff:#x}: "
                       "the DSP does not load the skeleton", "see the skeleton and the permission "
                       "above; logcat says which file it misses")
    known = [int(v, 16) for v in re.findall(r"0x000\w+", ABI_HEADER.read_text())]
    if version not in known:
        return Finding(what, State.MISSING, f"version {version:#x}; MACE works with "
                       f"{' and '.join(f'{v:#x}' for v in known)}",
                       f"use the {CONTROLLER} and the skeleton of MACE 0.13 to 1.1")
    return Finding(what, State.OK, f"answers, with version {version:#x}")


def compiler(machine: Machine) -> Finding:
    what = "compiler of the executor"
    absent = [name for name in ("clang++-19", "ld.lld-19") if machine.which(name) is None]
    if absent and (machine.mace_dsp is not None or runner.is_built(runner.MACE_DSP)):
        return Finding(what, State.ABSENT, "not needed: the executor is built")
    if absent:
        return Finding(what, State.MISSING, f"no {' and no '.join(absent)}",
                       "tools/setup.sh --for test, or apt-get install clang-19 lld-19")
    return Finding(what, State.OK, "clang-19 and lld-19")


def executor(machine: Machine) -> Finding:
    what = "executor (mace_dsp.elf)"
    file = machine.mace_dsp
    if file is None and runner.is_built(runner.MACE_DSP):
        file = runner.kept(runner.MACE_DSP)
    if file is None or not os.access(file, os.R_OK):
        return Finding(what, State.MISSING, "not built yet" if file is None
                       else f"{file} cannot be read",
                       f"bazel build {runner.MACE_DSP.target} makes it; so does the first `run` of "
                       "a model with runtime: dsp")
    machine.known["executor"] = file
    return Finding(what, State.OK, str(file))


def emulator(machine: Machine) -> Finding:
    path = machine.which("qemu-hexagon")
    if path is None:
        return Finding("emulator", State.MISSING, "no qemu-hexagon", "apt-get install qemu-user")
    machine.known["emulator"] = path
    return Finding("emulator", State.OK, path)


def version(machine: Machine) -> Finding:
    """Whether the executor answers, and speaks this checkout's version of the protocol."""
    what = "executor in the emulator"
    command = [machine.known.get("emulator"), machine.known.get("executor")]
    if None in command:
        return Finding(what, State.ABSENT, "not tried: see above")
    constants = dict(re.findall(r"constexpr uint32_t (\w+) = (\w+);", MESSAGES.read_text()))
    magic, ours = (int(constants[n], 0) for n in ("kMessageMagic", "kProtocolVersion"))
    hello = struct.pack("<16I", magic, ours, 1, 1, *[0] * 12)
    try:
        answer = subprocess.run([str(c) for c in command], input=hello, capture_output=True,
                                timeout=TIMEOUT, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as e:
        return Finding(what, State.MISSING, f"it did not answer: {e}", _rebuild(command[1]))
    words = struct.unpack("<16I", answer) if len(answer) == 64 else None
    if words is None or words[0] != magic:
        return Finding(what, State.MISSING, "its answer is none of MACE's", _rebuild(command[1]))
    if words[1] != ours:
        return Finding(what, State.MISSING, f"it speaks version {words[1]} of the protocol, this "
                       f"checkout version {ours}", _rebuild(command[1]))
    return Finding(what, State.OK, f"answers, with version {ours} of the protocol and {words[5]} "
                   "bytes of VTCM")


def _rebuild(file: object) -> str:
    return f"build {Path(str(file)).name} again: bazel build {runner.MACE_DSP.target}"


CHECKS: tuple[Check, ...] = (soc, driver, library, permission, controller, skeleton, answer,
                             compiler, executor, emulator, version)
