"""Stands in for adb, ssh and scp, and for the phones and boards that they reach.

SPDX-License-Identifier: Apache-2.0

A device is a folder of this machine: its shell is this machine's, with the paths of a phone led
into that folder, so that scripts really run and files really move. Every call is recorded. Rules
make calls fail, hang, end early, or give the answer of another device.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parent / "fake_device_tools.py"
# Of a phone, and the highest and the allowed kHz of each of its cores.
PIXEL = {"ro.product.model": "Pixel 4", "ro.board.platform": "msmnile",
         "ro.product.cpu.abilist": "arm64-v8a,armeabi-v7a,armeabi",
         "ro.build.version.release": "13", "ro.build.version.sdk": "33"}  # fmt: skip
CORES = [(1785600, 1785600)] * 2 + [(2841600, 2841600)]


class FakeDevices:
    """A folder with the programs; `bin` goes before the others in $PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir(parents=True)
        for name in ("adb", "ssh", "scp", "sshpass"):
            self._program(self.bin / name, f"#!{sys.executable} -IS\n{PROGRAM.read_text()}")
        self._state: dict[str, Any] = {}
        self._save()

    def phone(self, serial: str, state: str = "device", props: dict[str, str] | None = None,
              cores: list[tuple[int, int]] | None = None, celsius: float = 34.5, **more: Any
              ) -> Path:
        """Attaches one; returns its folder. cores: the highest and the allowed kHz of each."""
        root = self._root(serial, cores or CORES, celsius)
        properties = {**PIXEL, **(props or {})}
        lines = "".join(f"[{k}]: [{v}]\n" for k, v in properties.items())
        self.program(root, "getprop", lines.rstrip("\n"))
        (root / "data" / "local" / "tmp").mkdir(parents=True)
        self._add(serial, "phone", root, state, more)
        return root

    def board(self, at: str, machine: str = "aarch64", cores: list[tuple[int, int]] | None = None,
              celsius: float = 41.0, **more: Any) -> Path:
        """Connects one, as user@address."""
        root = self._root(at, cores or [(1800000, 1800000)] * 4, celsius)
        self._program(root / "bin" / "uname", f"#!/bin/sh\necho 6.1.0 {machine}\n")
        (root / "home").mkdir()
        (root / "etc").mkdir()
        (root / "etc" / "os-release").write_text('PRETTY_NAME="Debian GNU/Linux 12"\n')
        tree = root / "proc" / "device-tree"
        tree.mkdir(parents=True)
        (tree / "model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
        (tree / "compatible").write_text("raspberrypi,4-model-b\0brcm,bcm2711\0")
        self._add(at, "board", root, "device", more)
        return root

    def phone_again(self, serial: str, root: Path) -> None:
        """Plugs a phone in again that a rule disconnected."""
        self._add(serial, "phone", root, "device", {})

    def program(self, root: Path, name: str, says: str, code: int = 0) -> None:
        """A program of the device that only says something."""
        self._program(root / "bin" / name, f"#!/bin/sh\ncat <<'TXT'\n{says}\nTXT\nexit {code}\n")

    def rule(self, name: str, on: str, do: str, times: int = -1, skip: int = 0) -> None:
        """What happens at calls whose text matches `on`: 'disconnect', 'disconnect midway',
        'hang', 'cut' (of an answer), 'half' and 'other bytes' (of a file), 'fail MESSAGE',
        'answer TEXT'. times: how often; skip: after how many such calls."""
        self._load()
        self._state[name]["rules"].append({"on": on, "do": do, "times": times, "skip": skip})
        self._save()

    def change(self, name: str, **values: Any) -> None:
        self._load()
        self._state[name].update(values)
        self._save()

    def calls(self) -> list[list[str]]:
        """Every call, with its arguments."""
        file = self.folder / "calls.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def pushed(self) -> list[str]:
        """The names of the files that were copied to a device."""
        return [Path(c[4]).name for c in self.calls() if c[0] == "adb" and c[3:4] == ["push"]]

    def forget_calls(self) -> None:
        (self.folder / "calls.jsonl").unlink(missing_ok=True)

    def _root(self, name: str, cores: list[tuple[int, int]], celsius: float) -> Path:
        root = self.folder / "roots" / re.sub(r"[^A-Za-z0-9._-]", "_", name)
        (root / "bin").mkdir(parents=True)
        zone = root / "sys" / "class" / "thermal" / "thermal_zone0"
        zone.mkdir(parents=True)
        (zone / "type").write_text("cpu-1-0\n")
        (zone / "temp").write_text(f"{int(celsius * 1000)}\n")
        for k, (most, allowed) in enumerate(cores):
            folder = root / "sys" / "devices" / "system" / "cpu" / f"cpu{k}" / "cpufreq"
            folder.mkdir(parents=True)
            for file, value in (("cpuinfo_max_freq", most), ("scaling_max_freq", allowed),
                                ("scaling_cur_freq", allowed), ("scaling_governor", "schedutil")):
                (folder / file).write_text(f"{value}\n")
        (root / "proc").mkdir()
        (root / "proc" / "cpuinfo").write_text("Features\t: fp asimd asimdhp asimddp\n")
        (root / "proc" / "meminfo").write_text("MemTotal:        5634048 kB\n")
        return root

    def _add(self, name: str, kind: str, root: Path, state: str, more: dict[str, Any]) -> None:
        self._load()
        self._state[name] = {"kind": kind, "root": str(root), "state": state, "rules": [], **more}
        self._save()

    def _load(self) -> None:
        self._state = json.loads((self.folder / "devices.json").read_text())

    def _save(self) -> None:
        (self.folder / "devices.json").write_text(json.dumps(self._state))

    @staticmethod
    def _program(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)
