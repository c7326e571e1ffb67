"""Checks of connected devices: phones that adb reaches, and boards of a device yml.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.devices import adb, device_yml, properties, ssh, targets
from mace_tools.devices.device import Device, DeviceError
from mace_tools.doctor import cpu, dsp
from mace_tools.doctor.finding import Check, Finding, Machine, State
from mace_tools.support.errors import MaceError

# Where a device may have OpenCL, and the files of its way to a DSP.
OPENCL = tuple(f"{root}/{lib}/{name}" for root in ("/vendor", "/system/vendor", "/system")
               for lib in ("lib64", "lib") for name in ("libOpenCL.so", "egl/libGLES_mali.so",
                                                        "libPVROCL.so"))
OPENCL_LINUX = ("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1", "/usr/lib/libOpenCL.so.1",
                "/usr/lib/arm-linux-gnueabihf/libOpenCL.so.1", "/usr/lib/libmali.so")


def phones(machine: Machine) -> list[Finding]:
    if machine.which("adb") is None:
        return [Finding("phones", State.MISSING, "adb is not installed",
                        f"{adb.INSTALL}, if you have phones")]
    try:
        listed = adb.listed()
    except MaceError as e:
        return [Finding("adb", State.MISSING, str(e), "`adb kill-server`, then `adb devices`")]
    if not listed:
        return [Finding("phones", State.ABSENT, "none is attached")]
    found = []
    for one in listed:
        phone = adb.Phone(one.serial)
        if one.is_ready:
            found += _of(phone)
        else:
            found.append(Finding(phone.title, State.MISSING, *one.trouble))
    return found


def boards(machine: Machine) -> list[Finding]:
    if machine.device_yml is None:
        return [Finding("boards", State.ABSENT, "none is named: --device_yml=FILE names them")]
    found = []
    for name, entry in device_yml.load(machine.device_yml).items():
        board = ssh.SshBoard(name, entry)
        try:
            board.connect()
        except DeviceError as e:
            found.append(Finding(board.title, State.MISSING, e.why, e.cure))
            continue
        except MaceError as e:
            found.append(Finding(board.title, State.MISSING, str(e), "install it"))
            continue
        found += _of(board)
    return found


def _of(device: Device) -> list[Finding]:
    """All about one device."""
    try:
        own = properties.machine_of(device)
        what = f"{device.name}: "
        text = ", ".join(word for word in (own.model, own.soc, own.system) if word)
        usable = [a for a in own.abis if a in (*targets.PHONE_ABIS, *targets.BOARD_ABIS)]
        return [Finding(device.title, State.OK, text or "it does not say what it is"),
                Finding(f"{what}ABIs", State.OK if usable else State.MISSING,
                        f"--target_abis={','.join(usable)}" if usable else
                        f"{', '.join(own.abis) or 'none'}: MACE has no library for them",
                        "" if usable else "use another device"),
                *cpu.of_device(device, own, what),
                Finding(f"{what}memory", State.OK, f"{own.memory_kb / 1e6:.1f} GB"),
                *_drivers(device, what)]
    except DeviceError as e:
        return [Finding(device.title, State.MISSING, e.why, e.cure)]


def _drivers(device: Device, what: str) -> list[Finding]:
    """Of GPU and DSP, by their files. Errors: DeviceError."""
    files = (*OPENCL, *OPENCL_LINUX, *dsp.LIBRARIES, *dsp.DRIVERS)
    script = f"for f in {' '.join(files)}; do [ -e $f ] && echo $f; done; true"
    there = device.check(script, "looking for its drivers").split()
    numbers = device.check("cat " + " ".join(dsp.SOC_IDS) + " 2>/dev/null; true",
                           "asking for its SoC's number").split()
    opencl = [f for f in there if f in (*OPENCL, *OPENCL_LINUX)]
    gpu = Finding(f"{what}OpenCL", State.OK, opencl[0]) if opencl else Finding(
        f"{what}OpenCL", State.ABSENT, "no library: models with runtime: gpu run on its CPU")
    number = next((int(n) for n in numbers if n.isdigit()), None)
    generation = next((g for g, ids in dsp.GENERATIONS.items() if number in ids), "")
    if not generation:
        return [gpu, Finding(f"{what}DSP", State.ABSENT, "no Hexagon DSP that MACE knows")]
    ways = [f for f in there if f in dsp.LIBRARIES] + [f for f in there if f in dsp.DRIVERS]
    return [gpu, Finding(f"{what}DSP", State.ABSENT, f"Hexagon {generation}"
                         + (f" ({', '.join(ways)})" if ways else ", but no way to it")
                         + ": this release runs models for DSPs in the emulator only")]


CHECKS: tuple[Check, ...] = (phones, boards)
