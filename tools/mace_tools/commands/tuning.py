"""Tuning on this machine: done once, with the results stored beside the models.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mace_tools import runner, settings
from mace_tools.commands.context import Context
from mace_tools.config import Model

TUNING_MS = 20_000  # at most for a model, unless the file says otherwise


def budget_ms(context: Context, model: Model) -> int:
    """Milliseconds for tuning on this machine; 0: no tuning."""
    if model.tuning_ms is not None:
        return model.tuning_ms
    return TUNING_MS if "host" in (context.deployment.library.target_socs or ()) else 0


def file(context: Context, device: str, what: str = "") -> Path:
    """The file of this machine's tuning results, or of another `what`."""
    folder = {"cpu": "cpu", "gpu": "opencl"}[device]
    place = context.folder / folder / "host"
    place.mkdir(parents=True, exist_ok=True)
    name = what or f"tuned_{folder}_parameter"
    return place / f"{context.deployment.library.library_name}_{name}.host.bin"


def settings_of(context: Context, model: Model, device: str) -> dict[str, Any]:
    """The settings of the deployment file, with those for tuning on this machine. Nothing on a
    DSP is tuned."""
    budget = budget_ms(context, model) if device in ("cpu", "gpu") else 0
    tuned = {"tuning_ms": budget, "tuning_file": file(context, device)} if budget else (
        {"tuning_ms": None})
    return model.settings | tuned


def tune_cpu(context: Context, mace_run: Path, pb: Path, data: Path, model: Model) -> Path:
    """Tunes what has not been tuned yet. Returns the file that ships with the model."""
    arguments = [f"--model_file={pb}", f"--model_data_file={data}",
                 *settings.flags(settings_of(context, model, "cpu"), "cpu")]
    table = runner.output(mace_run, [*arguments, "--dump=tuning"])
    context.console.info(f"tuned {len(table.splitlines())} kinds of CPU layers")
    return file(context, "cpu")
