"""How a run of mace_run ends, in a form that two runs can be compared by.

SPDX-License-Identifier: Apache-2.0
"""

import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.run import input_data, runner
from mace_tools.support.exit_codes import RunFailedError

_PRINTED_BYTES = 1 << 20


@dataclass(frozen=True)
class Ended:
    """`failure` is empty after a run without one: `signal SIGSEGV`, `status 1: MESSAGE` without
    names and numbers, `no end within 60 s`, `NaN or infinity in 2 outputs`."""

    failure: str
    log: str


def run(mace_run: Path, flags: Sequence[str], outputs: Sequence[str], seconds: float,
        environment: Mapping[str, str]) -> Ended:
    """Runs once. Errors: RunFailedError if the program cannot be started."""
    with tempfile.TemporaryDirectory(prefix="mace_outcome.") as folder, (
            tempfile.TemporaryFile()) as printed:
        command = [str(mace_run), *flags, f"--output_dir={folder}",
                   f"--json={folder}/report.json", "--warmup=0"]
        try:
            code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed,
                                  env=dict(environment), timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            return Ended(f"no end within {seconds:g} s", _end_of(printed))
        except OSError as e:
            raise RunFailedError(f"cannot start {mace_run}: {e.strerror}") from e
        log = _end_of(printed)
        if code < 0:
            return Ended(f"signal {signal.Signals(-code).name}", log)
        if code:
            return Ended(f"status {code}: {_message(log)}", log)
        files = runner.files_of(outputs)
        odd = sum(not _finite(Path(folder, files[name])) for name in outputs)
        return Ended(f"NaN or infinity in {odd} outputs" if odd else "", log)


def _finite(file: Path) -> bool:
    return bool(np.isfinite(input_data.read_npy(file, file.name)).all())


def _end_of(file: object) -> str:
    size = file.seek(0, 2)  # type: ignore[attr-defined]
    file.seek(max(0, size - _PRINTED_BYTES))  # type: ignore[attr-defined]
    return file.read().decode(errors="replace")  # type: ignore[attr-defined]


def _message(log: str) -> str:
    """The last error, without what differs between a model and its capsule."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line or "error" in line] or lines or [""]
    text = re.sub(r"'[^']*'", "'...'", errors[-1])
    return re.sub(r"\S*/\S*", "PATH", re.sub(r"\d+", "N", text))[:400]
