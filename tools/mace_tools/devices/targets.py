"""Where the models of a deployment file run: this machine, attached phones, boards.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mace_tools.devices import adb, device_yml, properties, ssh
from mace_tools.devices.device import Device, DeviceError
from mace_tools.run import runner
from mace_tools.support import ndk
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import MissingToolError, RunFailedError, UsageError

PHONE_ABIS = ("arm64-v8a", "armeabi-v7a", "x86_64")
BOARD_ABIS = device_yml.ABIS


@dataclass(frozen=True)
class Place:
    """A device, and the ABI for which it runs models."""

    device: Device
    machine: properties.Machine
    abi: str

    @property
    def name(self) -> str:
        """For tables and headings."""
        model = f" ({self.machine.model})" if self.machine.model else ""
        return f"{self.device.name}{model}"

    @property
    def file_name(self) -> str:
        """For the names of its result files."""
        return f"{re.sub(r'[^A-Za-z0-9._-]', '_', self.device.name)}_{self.abi}"

    @property
    def tuned_name(self) -> str:
        """The contract's, for files of what is tuned for it."""
        model = re.sub(r"[^A-Za-z0-9_-]", "", self.machine.model) or "unknown"
        return f"{model}.{re.sub(r'[^A-Za-z0-9_-]', '', self.machine.soc) or 'unknown'}"


@dataclass
class Places:
    """`broken` are devices that cannot be used; `left_out` says why others are not."""

    places: list[Place] = field(default_factory=list)
    broken: list[MaceError] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """What the deployment file and the command line ask for."""

    abis: tuple[str, ...]
    socs: tuple[str, ...] = ()  # empty: any
    names: tuple[str, ...] = ()  # empty: any
    device_yml: Path | None = None

    @classmethod
    def of(cls, abis: Sequence[str], socs: Sequence[str] | None, names: str | None,
           yml: Path | None) -> Wanted:
        """From the values of options and keys. `host` is no SoC of a device, and `all` is any."""
        listed = tuple(n.strip() for n in (names or "").split(",") if n.strip())
        if names is not None and not listed:
            raise UsageError("--target_devices names no device")
        chosen = tuple(s for s in socs or () if s != "host")
        return cls(tuple(a for a in abis if a != "host"), () if "all" in chosen else chosen,
                   listed, yml)


def find(wanted: Wanted, console: Console) -> Places:
    """All devices that are asked for. Errors: MissingToolError, UsageError, ConfigError,
    RunFailedError if none is there at all, with what there is and why it does not do."""
    found, seen = Places(), []
    phones = [a for a in wanted.abis if a in PHONE_ABIS]
    boards = [a for a in wanted.abis if a in BOARD_ABIS]
    if wanted.device_yml is not None and not boards:
        raise UsageError(f"--device_yml={wanted.device_yml}: target_abis is "
                         f"{', '.join(wanted.abis)}, and boards have {' or '.join(BOARD_ABIS)}")
    if phones:
        seen += _phones(wanted, phones, found)
    if boards:
        seen += _boards(wanted, boards, found)
    unknown = [name for name in wanted.names if name not in seen]
    if unknown:
        there = f"there are {', '.join(seen)}" if seen else "no device is there"
        raise UsageError(f"--target_devices={','.join(wanted.names)}: no device '{unknown[0]}' for "
                         f"{', '.join(wanted.abis)} is there; {there}")
    for line in found.left_out:
        console.info(line)
    return found


def none_found(wanted: Wanted, found: Places) -> RunFailedError:
    """The error where nothing can be used."""
    asked = f"target_abis: {', '.join(wanted.abis)}"
    asked += f", target_socs: {', '.join(wanted.socs)}" if wanted.socs else ""
    reasons = [*map(str, found.broken), *found.left_out]
    if reasons:
        return RunFailedError(f"no device can be used for {asked}:\n  " + "\n  ".join(reasons))
    cures = []
    if any(a in PHONE_ABIS for a in wanted.abis):
        cures.append("attach a phone with USB debugging (`adb devices` shows it)")
    if any(a in BOARD_ABIS for a in wanted.abis):
        cures.append("name boards with --device_yml=FILE")
    return RunFailedError(f"no device is there for {asked}: {', or '.join(cures)}; "
                          "`--target_abis=host` runs on this machine")


def _phones(wanted: Wanted, abis: Sequence[str], found: Places) -> list[str]:
    """Adds them; returns the names of all that are attached."""
    listed = adb.listed()
    for one in listed:
        if wanted.names and one.serial not in wanted.names:
            continue
        phone = adb.Phone(one.serial)
        if not one.is_ready:
            found.broken.append(phone.error(*one.trouble))
            continue
        _add(wanted, abis, phone, found)
    return [one.serial for one in listed]


def _boards(wanted: Wanted, abis: Sequence[str], found: Places) -> list[str]:
    if wanted.device_yml is None:
        return []
    boards = device_yml.load(wanted.device_yml)
    for name, entry in boards.items():
        if wanted.names and name not in wanted.names:
            continue
        board = ssh.SshBoard(name, entry)
        usable = [a for a in abis if a in entry.target_abis]
        if not usable:
            found.left_out.append(f"{board.title} is for {', '.join(entry.target_abis)} by the "
                                  f"device yml, not for {', '.join(abis)}: left out")
            continue
        try:
            board.connect()
        except DeviceError as e:
            found.broken.append(e)
            continue
        _add(wanted, usable, board, found, entry)
    return list(boards)


def _add(wanted: Wanted, abis: Sequence[str], device: Device, found: Places,
         board: device_yml.Board | None = None) -> None:
    """A Place for each ABI that the device has, unless its SoC is not asked for."""
    try:
        own = properties.machine_of(device)
    except DeviceError as e:
        found.broken.append(e)
        return
    socs = {s.lower() for s in (own.soc, own.known.get("soc_model", "")) if s}
    if board is not None:
        socs |= {s.lower() for s in board.target_socs}
        own = properties.named(own, board.models, board.target_socs)
    if wanted.socs and not socs & {s.lower() for s in wanted.socs}:
        found.left_out.append(f"{device.title} has the SoC {own.soc or '(it does not say which)'}, "
                              f"not {' or '.join(wanted.socs)}: left out")
        return
    usable = [a for a in abis if a in own.abis]
    if not usable:
        text = (f"it has {', '.join(own.abis) or 'no known ABI'}, not {' or '.join(abis)}")
        cure = f"--target_abis={own.abis[0]}" if own.abis else "see `uname -m` on it"
        if wanted.names:
            found.broken.append(device.error(text, cure))
        else:
            found.left_out.append(f"{device.title}: {text}: left out ({cure} takes it)")
        return
    found.places += [Place(device, own, abi) for abi in usable]


def program_for(console: Console, given: Path | None, abi: str, is_needed: bool) -> Path:
    """The mace_run for an ABI: `given`, if it is for it, or the one of this checkout. is_needed:
    whether a `given` one for another ABI is an error, since nothing else uses it.

    Errors: MissingToolError, RunFailedError."""
    if given is not None and _fits(given, abi):
        return given.resolve()
    tool = runner.for_abi(abi)
    if given is not None and is_needed:
        raise MissingToolError(f"--mace_run={given} is no program for {abi}; `bazel build "
                               f"{' '.join(tool.flags)} {tool.target}` makes one")
    if abi in PHONE_ABIS and not runner.by_ndk(abi):
        console.info(f"{ndk.HOME} is not set, so that {abi} runs a static program of Linux: on the "
                     "CPU only (docs/devices.md)")
    return runner.find(console, None, tool)


# What mace_run needs of a phone besides its CPU.
_BY_LIBRARY = {"gpu": "OpenCL", "dsp": "DSP"}


def check_runtime(place: Place, given: Path | None, device: str) -> None:
    """Whether mace_run has a way to a place's GPU or DSP. Errors: UsageError."""
    if device == "dsp" and place.abi not in PHONE_ABIS:
        raise UsageError("models for the DSP run on phones, and in the emulator of this "
                         f"machine, not on {place.device.title} (docs/dsp.md): --target_abis=host, "
                         "or --device=cpu where runtime is cpu+dsp")
    if device in _BY_LIBRARY and given is None and place.abi in PHONE_ABIS \
            and not runner.by_ndk(place.abi):
        raise UsageError(f"{place.device.title}: without an Android NDK, the mace_run for phones "
                         "brings its own C library, and so has no way to their "
                         f"{_BY_LIBRARY[device]}: `export {ndk.HOME}=/path/to/ndk` builds one that "
                         "has, --mace_run=FILE names one; or --device=cpu")


# e_machine of ELF files, and whether they have 64 bits.
_ELF = {"arm64": (183, True), "armhf": (40, False), "arm64-v8a": (183, True),
        "armeabi-v7a": (40, False), "x86_64": (62, True)}  # fmt: skip


def _fits(program: Path, abi: str) -> bool:
    """Whether a program is for an ABI; a script is for every one. Errors: MissingToolError."""
    try:
        with program.open("rb") as file:
            head = file.read(20)
    except OSError as e:
        raise MissingToolError(f"--mace_run={program} cannot be read: {e.strerror}") from e
    if not head.startswith(b"\x7fELF") or len(head) < 20:
        return head.startswith(b"#!")
    return (int.from_bytes(head[18:20], "little"), head[4] == 2) == _ELF[abi]
