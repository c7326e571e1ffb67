"""Tuning models on the attached devices of `target_socs`, as convert and build do.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from typing import Any

from mace_tools.commands import gpu, remote, tuning
from mace_tools.commands.context import Context
from mace_tools.config.schema import Model
from mace_tools.devices import targets
from mace_tools.devices.targets import Place
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import MissingToolError

GENERIC = "nothing is tuned for a SoC, and the models run untuned on every SoC"


def places_of(context: Context) -> list[Place]:
    """The attached devices that `target_socs` asks for. None is a warning: what is converted and
    built fits every SoC then. Errors: UsageError, ConfigError."""
    library, args = context.deployment.library, context.args
    socs = [s for s in library.target_socs or () if s != "host"]
    if not socs or args.disable_tuning:
        return []
    wanted = targets.Wanted.of(library.target_abis, socs, args.target_devices, args.device_yml)
    if not wanted.abis:
        context.console.warn(f"target_socs: {', '.join(socs)}: target_abis is "
                             f"{', '.join(library.target_abis)}, which is of no such SoC: "
                             f"{GENERIC}")
        return []
    try:
        found = targets.find(wanted, context.console)
    except MissingToolError as e:
        context.console.warn(f"{e}: {GENERIC}")
        return []
    for broken in found.broken if found.places else ():
        context.console.warn(f"not tuned: {broken}")
    if not found.places:
        context.console.warn(f"{targets.none_found(wanted, found)}\n{GENERIC}")
    return found.places


def tune(context: Context, there: list[Place], done: Any, model: Model) -> dict[str, Any]:
    """Measures how a converted model runs best on each place; the files of that by place. What
    fails on one device is a warning, since the model runs untuned too."""
    files: dict[str, Any] = {}
    for place in there:
        if not tuning.budget_ms(context, model, place):
            continue
        try:
            if "gpu" in model.devices:
                targets.check_runtime(place, context.args.mace_run, "gpu")
            program = targets.program_for(context.console, context.args.mace_run, place.abi,
                                         is_needed=False)
            with remote.taken(context, place, program) as taken:
                own: dict[str, Any] = {}
                if "gpu" in model.devices:
                    own["opencl_files"] = gpu.tune(context, taken.program, done.pb, done.data,
                                                   model, taken)
                if "cpu" in model.devices:
                    own["tuning_file"] = str(tuning.tune_cpu(
                        context, taken.program, done.pb, done.data, model, place))
        except MaceError as e:
            context.console.warn(f"not tuned: {e}")
            own = {"error": str(e)}
        files[f"{place.device.name}/{place.abi}"] = own
    return {"tuned_on": files} if files else {}


def done(there: list[Place], report: dict[str, Any]) -> list[Place]:
    """The places for which `tune` tuned a model."""
    tuned = report.get("tuned_on", {})
    return [p for p in there if "error" not in tuned.get(f"{p.device.name}/{p.abi}", {"error": 1})]


def files(report: dict[str, Any]) -> Iterator[str]:
    """The paths of what `tune` made."""
    for own in report.get("tuned_on", {}).values():
        yield from own.get("opencl_files", {}).values()
        yield from [own["tuning_file"]] if "tuning_file" in own else []
