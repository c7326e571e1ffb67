"""Phones that adb reaches: which are attached, in which state, and one of them as a Device.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mace_tools.devices.device import Device, Fault
from mace_tools.support.exit_codes import MissingToolError, RunFailedError

FOLDER = "/data/local/tmp/mace"  # where every program that adb starts may execute files
TIMEOUT = 30  # seconds for `adb devices`, which may start its server first
INSTALL = ("`apt-get install adb` (Debian and Ubuntu), or Android's platform tools: "
           "https://developer.android.com/tools/releases/platform-tools")

_REPLUG = "unplug it, plug it in again, and see what `adb devices` says"
# What `adb devices` says of a phone that cannot be used, why that is, and the cure.
STATES = {
    "unauthorized": ("it does not allow this computer to debug it yet",
                     "unlock it and accept the question 'Allow USB debugging?'; if there is none, "
                     "run `adb kill-server` and plug it in again"),
    "authorizing": ("it has not answered yet whether it allows this computer to debug it",
                    "unlock it, accept the question 'Allow USB debugging?', and try again"),
    "offline": ("it is offline: adb sees it, but it does not answer", _REPLUG),
    "connecting": ("it is still connecting", "wait a few seconds and try again"),
    "no permissions": ("this user may not open its USB device",
                       "`apt-get install android-sdk-platform-tools-common`, log in again as a "
                       "member of the group plugdev, and plug it in again"),
    "recovery": ("it is in recovery mode", "start Android on it: `adb -s {name} reboot`"),
    "sideload": ("it is in sideload mode", "start Android on it: `adb -s {name} reboot`"),
    "bootloader": ("it is in its boot loader", "start Android on it: `fastboot reboot`"),
}
FAULTS = (
    Fault("unauthorized", *STATES["unauthorized"]),
    Fault("device offline", *STATES["offline"]),
    Fault("no permissions|insufficient permissions", *STATES["no permissions"]),
    Fault("device '[^']*' not found|no devices|device not found|no such device",
          "it is no longer connected", "plug it in again, and check the cable"),
    Fault("cannot connect to daemon|failed to start daemon", "adb's server does not start",
          "run `adb kill-server`, then `adb start-server`, and see what it says"),
    Fault("remote .*[Pp]ermission denied", "its shell may not write there",
          f"see who owns {FOLDER} on it: `adb -s {{name}} shell ls -l /data/local/tmp`"),
)


@dataclass(frozen=True)
class Listed:
    """A line of `adb devices`."""

    serial: str
    state: str

    @property
    def is_ready(self) -> bool:
        return self.state == "device"

    @property
    def trouble(self) -> tuple[str, str]:
        """Why it cannot be used, and the cure."""
        known = STATES.get(self.state, (f"adb says that its state is '{self.state}'", _REPLUG))
        return known[0], known[1].format(name=self.serial)


class Phone(Device):
    """An Android device by its serial number."""

    kind = "phone"
    faults = FAULTS
    lost = ("the connection to it ended", "plug it in again, and check the cable")

    def __init__(self, serial: str) -> None:
        super().__init__(serial, FOLDER)

    def shell_command(self, script: str) -> list[str]:
        return ["adb", "-s", self.name, "shell", script]

    def push_command(self, local: Path, remote: str) -> list[str]:
        return ["adb", "-s", self.name, "push", str(local), remote]

    def pull_command(self, remote: str, local: Path) -> list[str]:
        return ["adb", "-s", self.name, "pull", remote, str(local)]


def is_installed() -> bool:
    return shutil.which("adb") is not None


def listed() -> list[Listed]:
    """The attached phones. Errors: MissingToolError without adb; RunFailedError."""
    if not is_installed():
        raise MissingToolError(f"phones are reached by adb, which is not installed: {INSTALL}")
    try:
        done = subprocess.run(["adb", "devices"], capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, check=False, env=dict(os.environ))
    except (OSError, subprocess.TimeoutExpired) as e:
        raise RunFailedError(f"`adb devices` does not answer ({e}): run `adb kill-server`, then "
                             "`adb start-server`, and see what it says") from e
    if done.returncode != 0:
        raise RunFailedError(f"`adb devices` failed: {done.stderr.strip() or done.stdout.strip()}: "
                             "run `adb kill-server`, then `adb start-server`")
    found = []
    for line in done.stdout.replace("\r", "").splitlines():
        serial, tab, state = line.partition("\t")
        if tab and not line.startswith("*"):
            state = "no permissions" if state.startswith("no permissions") else state.split()[0]
            found.append(Listed(serial.strip(), state))
    return found
