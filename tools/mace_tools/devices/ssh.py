"""Boards with Linux that ssh reaches: one of a device yml as a Device.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shlex
import shutil
from pathlib import Path

from mace_tools.devices.device import Device, Fault
from mace_tools.devices.device_yml import Board
from mace_tools.support.exit_codes import MissingToolError

FOLDER = ".cache/mace_device"  # below the user's home
CONNECT = 15  # seconds to connect
_OPTIONS = ("-o", f"ConnectTimeout={CONNECT}", "-o", "ServerAliveInterval=10",
            "-o", "ServerAliveCountMax=3")  # fmt: skip
PACKAGES = {"ssh": "openssh-client", "scp": "openssh-client", "sshpass": "sshpass"}


class SshBoard(Device):
    """A board; `connect` looks for the folder of its user."""

    kind = "board"
    lost = ("the connection to it ended", "check the network and that it is still on")

    def __init__(self, name: str, board: Board) -> None:
        super().__init__(name, "")
        self.board = board
        at, port = f"{board.username}@{board.address}", board.port
        by_hand = f"`ssh -p {port} {at}`" if port != 22 else f"`ssh {at}`"
        self.faults = (
            Fault("REMOTE HOST IDENTIFICATION HAS CHANGED", f"{board.address} is another machine "
                  "than the last time", f"if that is right: `ssh-keygen -R {board.address}`"),
            Fault("Host key verification failed", f"this computer does not know {board.address} "
                  "yet", f"{by_hand} once, and accept its key"),
            Fault("Permission denied", f"it does not let {at} in", f"`ssh-copy-id -p {port} {at}`, "
                  "so that your key opens it" + (", or correct `password:` in the device yml"
                                                 if board.password else "")),
            Fault("Could not resolve hostname|Name or service not known",
                  f"nobody knows the address '{board.address}'",
                  "correct `address:` in the device yml"),
            Fault("Connection refused", f"{board.address} has no ssh server on port {port}",
                  "`apt-get install openssh-server` on it, or correct `port:` in the device yml"),
            Fault("No route to host|Connection timed out|Operation timed out|Network is "
                  "unreachable", f"{board.address} does not answer",
                  f"see whether it is on and in this network: `ping {board.address}`"),
            Fault("subsystem request failed|sftp-server", "its ssh server has no sftp, which scp "
                  "needs", "`apt-get install openssh-sftp-server` on it"),
        )

    @property
    def title(self) -> str:
        return f"board '{self.name}' ({self.board.username}@{self.board.address})"

    @property
    def lock_name(self) -> str:
        return f"{self.kind}.{self._at}.{self.board.port}"

    def connect(self) -> None:
        """Errors: MissingToolError, DeviceError."""
        needed = ("ssh", "scp", *(("sshpass",) if self.board.password else ()))
        for tool in needed:
            if shutil.which(tool) is None:
                raise MissingToolError(
                    f"{self.title} needs {tool}, which is not installed: `apt-get install "
                    f"{PACKAGES[tool]}`" + (", or a key instead of the password: `ssh-copy-id`"
                                            if tool == "sshpass" else ""))
        home = self.check('cd && pwd', "looking for the home folder", CONNECT + 15).strip()
        if not home.startswith("/"):
            raise self.error(f"its user's home folder is '{home}'", "give the user a home folder")
        self.folder = f"{home.rstrip('/')}/{FOLDER}"

    @property
    def environment(self) -> dict[str, str]:
        own = {"SSHPASS": self.board.password} if self.board.password else {}
        return {**os.environ, **own}

    def shell_command(self, script: str) -> list[str]:
        return [*self._with("ssh"), "-p", str(self.board.port), self._at,
                f"sh -c {shlex.quote(script)}"]

    def push_command(self, local: Path, remote: str) -> list[str]:
        return [*self._copy, str(local), self._path(remote)]

    def pull_command(self, remote: str, local: Path) -> list[str]:
        return [*self._copy, self._path(remote), str(local)]

    @property
    def _at(self) -> str:
        return f"{self.board.username}@{self.board.address}"

    def _path(self, remote: str) -> str:
        """For scp, which takes the text up to the first ':' outside of brackets for the machine."""
        address = self.board.address
        machine = f"[{address}]" if ":" in address else address
        return f"{self.board.username}@{machine}:{remote}"

    @property
    def _copy(self) -> list[str]:
        return [*self._with("scp"), "-q", "-P", str(self.board.port)]

    def _with(self, program: str) -> list[str]:
        if self.board.password:
            return ["sshpass", "-e", program, "-o", "NumberOfPasswordPrompts=1", *_OPTIONS]
        return [program, "-o", "BatchMode=yes", *_OPTIONS]
