"""How models run best on this machine: measured once, kept beside them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

from mace_tools import runner
from mace_tools.commands.context import Context
from mace_tools.config import Model

TUNING_MS = 20_000  # of a model at most, unless it says otherwise


def budget_ms(context: Context, model: Model) -> int:
    """For measuring on this machine; 0: nothing is measured."""
    if model.tuning_ms is not None:
        return model.tuning_ms
    return TUNING_MS if "host" in (context.deployment.library.target_socs or ()) else 0


def file(context: Context, folder: str, what: str) -> Path:
    """Where results of this machine are, below the library's `folder`."""
    place = context.folder / folder / "host"
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{context.deployment.library.library_name}_{what}.host.bin"


def cpu_flags(context: Context, model: Model) -> list[str]:
    """Of a model on the CPU."""
    budget = budget_ms(context, model)
    return runner.flags({"tune": budget, "tuning_file": file(context, "cpu", "tuned_cpu_parameter"),
                         } if budget else {})


def tune_cpu(context: Context, mace_run: Path, pb: Path, data: Path, model: Model) -> Path:
    """Measures what is not known yet; the file that then ships with the model."""
    arguments = [f"--model_file={pb}", f"--model_data_file={data}",
                 f"--num_threads={model.num_threads}", *cpu_flags(context, model)]
    table = runner.output(mace_run, [*arguments, "--dump=tuning"])
    context.console.info(f"tuned {len(table.splitlines())} kinds of CPU layers")
    return file(context, "cpu", "tuned_cpu_parameter")
