"""A folder with the bundled digits model, a fake of mace_run, and the command line.

SPDX-License-Identifier: Apache-2.0
"""

import json
import shutil

import numpy as np

from mace_tools import cli
from mace_tools.support import protos
from mace_tools.support.protos import REPO
from mace_tools.testing import fake_mace_run

DIGITS = REPO / "models" / "digits"
EXPECTED = json.loads((DIGITS / "expected.json").read_text())


class Workplace:
    """A folder with the digits model, a fake of mace_run and the command line."""

    def __init__(self, folder, monkeypatch, capfd):
        self.folder, self._capfd = folder, capfd
        shutil.copytree(DIGITS, folder / "models" / "digits")
        self.config = folder / "models" / "digits" / "digits_onnx.yml"
        self.mace_run = fake_mace_run.write(folder)
        self.fake = folder / "fake"
        self.fake.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("FAKE_OUTPUTS", str(self.fake))
        self.pb = folder / "build" / "digits_onnx" / "model" / "digits_onnx.pb"
        self.data = self.pb.with_suffix(".data")

    def answer(self, digit, scale=1.0):
        """Sets the outputs of the fake."""
        output = np.array([EXPECTED["onnx"][digit]], np.float32) * scale
        np.save(self.fake / "probabilities.npy", output)

    def edit(self, old, new):
        text = self.config.read_text()
        assert old in text
        self.config.write_text(text.replace(old, new))

    def call(self, command, *arguments):
        """Runs a command. Returns the exit status, stdout and stderr."""
        more = [] if command == "convert" else [f"--mace_run={self.mace_run}"]
        code = cli.main([command, f"--config={self.config}", *more, *arguments])
        out, err = self._capfd.readouterr()
        return code, out, err

    def settings(self):
        """The settings that the converted model carries."""
        net = protos.mace().NetDef.FromString(self.pb.read_bytes())
        values = {s.name: getattr(s, s.WhichOneof("value")) for s in net.settings}
        return {name: value if isinstance(value, int | str) else list(value.items)
                for name, value in values.items()}

    def calls(self):
        """The arguments of every call of the fake, but for those in which `convert` only
        creates an engine."""
        file = self.fake / "calls.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [call for call in map(json.loads, lines) if "--no_checksum" not in call]

    def arguments(self):
        return json.loads((self.fake / "arguments.json").read_text())
