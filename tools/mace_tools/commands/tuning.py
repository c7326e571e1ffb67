"""Tuning on this machine, on phones and on boards: done once for each, with the results stored
beside the models.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path
from typing import Any

from mace_tools.commands.context import Context
from mace_tools.config.schema import Model
from mace_tools.devices.targets import Place
from mace_tools.graph import settings
from mace_tools.run import runner

TUNING_MS = 20_000  # at most for a model, unless the file says otherwise


def budget_ms(context: Context, model: Model, place: Place | None = None) -> int:
    """Milliseconds for tuning on this machine, or on a place; 0: no tuning."""
    if getattr(context.args, "disable_tuning", False):
        return 0
    if model.tuning_ms is not None:
        return model.tuning_ms
    socs = set(context.deployment.library.target_socs or ())
    # The places are those of the SoCs that the file names.
    asked = bool(socs - {"host"}) if place else "host" in socs
    return TUNING_MS if asked else 0


def file(context: Context, device: str, what: str = "", place: Place | None = None) -> Path:
    """The file of the tuning results of this machine or of a place, or of another `what`."""
    folder = {"cpu": "cpu", "gpu": "opencl"}[device]
    kept = context.folder / folder / (place.abi if place else "host")
    kept.mkdir(parents=True, exist_ok=True)
    name = what or f"tuned_{folder}_parameter"
    suffix = place.tuned_name if place else "host"
    return kept / f"{context.deployment.library.library_name}_{name}.{suffix}.bin"


def settings_of(
    context: Context, model: Model, device: str, place: Place | None = None
) -> dict[str, Any]:
    """The settings of the deployment file, with those for tuning on this machine or on a place.
    Nothing on a DSP is tuned."""
    budget = budget_ms(context, model, place) if device in ("cpu", "gpu") else 0
    tuned = {"tuning_ms": budget, "tuning_file": file(context, device, "", place)} if budget else (
        {"tuning_ms": None})
    return model.settings | tuned


def tune_cpu(
    context: Context, mace_run: Path | runner.Program, pb: Path, data: Path, model: Model,
    place: Place | None = None,
) -> Path:
    """Tunes what has not been tuned yet. Returns the file that ships with the model."""
    arguments = [f"--model_file={pb}", f"--model_data_file={data}",
                 *settings.flags(settings_of(context, model, "cpu", place), "cpu")]
    table = runner.output(mace_run, [*arguments, "--dump=tuning"])
    context.console.info(f"tuned {len(table.splitlines())} kinds of CPU layers")
    return file(context, "cpu", "", place)
