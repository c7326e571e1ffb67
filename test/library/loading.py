"""A model loaded in each of the ways that apps have: what it takes, and how much memory.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import consumers
from consumers import APP, compile_app

WAYS = ("files", "memory", "stream", "compiled in")
LOAD = APP / "load.cc"


@dataclass(frozen=True)
class Loaded:
    """Microseconds and KiB of one process, and the first elements that it computed."""

    load_us: int
    create_us: int
    run_us: int
    rss_loaded: int
    anonymous_loaded: int
    rss_run: int
    anonymous_run: int
    values: tuple[float, ...]


class Ways:
    """Programs that load a model, whose libraries are built from its deployment file."""

    def __init__(self, place: consumers.Place, config: Path, tag: str) -> None:
        self.tag = tag
        packages = {}
        for name, keys in (("files", ""), ("embedded", "build_type: code\nembed_model_data: 1\n")):
            built = place.folder / f"{name}.yml"
            text, count = re.subn(r"^library_name: .*\n", f"library_name: {name}\n{keys}",
                                  config.read_text(), flags=re.MULTILINE)
            assert count == 1
            built.write_text(text)
            assert place.build(built) == 0
            packages[name] = place.unpacked(name)
        self.model = packages["files"] / "model"
        self.from_files = compile_app(packages["files"], place.folder / "load", source=LOAD)
        self.from_code = compile_app(packages["embedded"], place.folder / "load_code",
                                     source=LOAD, flags=("-DFROM_CODE",))

    def load(self, way: str, given: bytes = b"") -> Loaded:
        """Runs a process; `given` are the bytes of the first input."""
        if way == "compiled in":
            words = [self.from_code, "code", self.tag]
        else:
            words = [self.from_files, way, self.model / f"{self.tag}.pb",
                     self.model / f"{self.tag}.data"]
        done = subprocess.run(list(map(str, words)), input=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        answer = done.stdout.decode().split()
        return Loaded(*map(int, answer[:7]), tuple(map(float.fromhex, answer[7:])))

