"""Running the models of a deployment file on phones and boards, several at once.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mace_tools.commands.context import Context
from mace_tools.commands.output_summary import ran_there
from mace_tools.devices import properties, targets
from mace_tools.devices.device import LIVE, Device, DeviceError
from mace_tools.devices.session import DeviceProgram, MaceRunError, Session
from mace_tools.devices.targets import Place, Places
from mace_tools.support import tables
from mace_tools.support.console import KeptConsole
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, MissingToolError, UsageError

COLUMNS = (tables.Column("device", least=16), tables.Column("SoC", rank=2),
           tables.Column("ABI", rank=1), tables.Column("model", least=12),
           tables.Column("on"), *(tables.Column(t, right=True) for t in (
               "init (ms)", "first run", "average", "fastest")),
           tables.Column("°C", rank=4), tables.Column("clocks", rank=3, right=True),
           tables.Column("", least=20))  # fmt: skip


@dataclass(frozen=True)
class Remote:
    """A place while its device is taken."""

    place: Place
    session: Session
    program: DeviceProgram


@dataclass(frozen=True)
class Chosen:
    """Where models run."""

    here: bool
    there: Places

    @property
    def several(self) -> bool:
        return self.here + len(self.there.places) > 1


# What is done with one model: its properties, once it ran.
Work = Callable[[Context, Any, Remote], dict[str, Any]]


def choose(context: Context) -> Chosen:
    """The places for `target_abis`. Errors: MaceError if there is none."""
    library, args = context.deployment.library, context.args
    wanted = targets.Wanted.of(library.target_abis, library.target_socs, args.target_devices,
                              args.device_yml)
    here = "host" in library.target_abis and not wanted.names
    if not wanted.abis:
        if wanted.names or wanted.device_yml:
            flag = "--target_devices" if wanted.names else "--device_yml"
            raise UsageError(f"{flag}: target_abis is {', '.join(library.target_abis)}, which no "
                             "phone or board has; --target_abis names theirs")
        return Chosen(True, Places())
    try:
        there = targets.find(wanted, context.console)
    except MissingToolError as e:
        if not here:
            raise
        context.console.warn(f"models run on this machine only: {e}")
        return Chosen(True, Places())
    if not there.places:
        if not here:
            raise targets.none_found(wanted, there)
        if not there.broken:
            context.console.warn(f"models run on this machine only: "
                                 f"{targets.none_found(wanted, there)}")
    _check_runtimes(context, there)
    return Chosen(here, there)


def _check_runtimes(context: Context, there: Places) -> None:
    for model in context.models.values():
        asked = (context.args.device,) if context.args.device else model.devices
        for place in there.places:
            for device in asked:
                targets.check_runtime(place, context.args.mace_run, device)


def programs(context: Context, chosen: Chosen) -> dict[str, Path]:
    """mace_run by ABI, all before anything runs. Errors: MissingToolError, RunFailedError."""
    return {abi: targets.program_for(context.console, context.args.mace_run, abi,
                                    is_needed=not chosen.here)
            for abi in dict.fromkeys(p.abi for p in chosen.there.places)}


def on_places(
    context: Context, found: list[Any], chosen: Chosen, work: Work
) -> tuple[bool, dict[str, list[dict[str, Any]]]]:
    """Does `work` with each model on each place, devices side by side; prints one table.

    Returns whether all went well, and the reports by model. What fails on one device is reported
    and does not stop the others."""
    there = chosen.there
    for broken in there.broken:
        context.console.error(str(broken))
    by_device: dict[Device, list[Place]] = {}
    for place in there.places:
        by_device.setdefault(place.device, []).append(place)
    built = programs(context, chosen)
    if len(by_device) > 1:
        context.console.info(f"{len(by_device)} devices at once, each shown when it is done; "
                             "--target_devices and --target_socs choose among them")
    done = _side_by_side(context, by_device, lambda own, device: _on_device(
        own, found, by_device[device], built, work))
    results: dict[str, list[dict[str, Any]]] = {job.tag: [] for job in found}
    for outcome in done:
        for tag, one in outcome:
            results[tag].append(one)
    for job in found:
        results[job.tag] += [_broken(e) for e in there.broken]
    _show(context, results)
    return all("error" not in one for ones in results.values() for one in ones), results


def _side_by_side(
    context: Context, by_device: dict[Device, list[Place]],
    one: Callable[[Context, Device], list[tuple[str, dict[str, Any]]]],
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    if len(by_device) <= 1:
        yield from [one(context, device) for device in by_device]
        return
    kept = {device: KeptConsole() for device in by_device}
    with ThreadPoolExecutor(len(by_device)) as pool:
        futures = {device: pool.submit(one, replace(context, console=kept[device]), device)
                   for device in by_device}
        try:
            for device, future in futures.items():
                future.exception()  # waits
                kept[device].show(context.console)
                yield future.result()
        except BaseException:  # above all of Ctrl-C: the threads tidy their devices up
            for future in futures.values():
                future.cancel()
            LIVE.stop()
            raise


def _on_device(
    context: Context, found: list[Any], places_of_it: list[Place], built: dict[str, Path],
    work: Work,
) -> list[tuple[str, dict[str, Any]]]:
    """All models on one device, by each of its ABIs; a lost connection ends that."""
    results: list[tuple[str, dict[str, Any]]] = []
    left = [(place, job) for place in places_of_it for job in found]
    try:
        with Session(left[0][0].device, context.console, context.args.device_timeout) as session:
            while left:
                place, job = left[0]
                program = DeviceProgram(session, built[place.abi], context.console)
                results.append((job.tag, _one(context, job, Remote(place, session, program),
                                              work)))
                left.pop(0)
    except DeviceError as e:
        context.console.error(str(e))
        results += [(job.tag, {**_who(place), "error": str(e)}) for place, job in left]
    return results


def _one(context: Context, job: Any, remote: Remote, work: Work) -> dict[str, Any]:
    """Errors: DeviceError if the device is lost."""
    device, session = remote.place.device, remote.session
    before = properties.state_of(device)
    session.files.pushed.clear()
    try:
        own = work(context, job, remote)
    except DeviceError as e:
        if not isinstance(e, MaceRunError):
            raise
        context.console.error(f"{job.tag}: {e}")
        return {**_who(remote.place), "error": str(e)}
    except MaceError as e:
        context.console.error(f"{device.title}: {e}")
        return {**_who(remote.place), "error": str(e)}
    after = properties.state_of(device)
    doubts = properties.warnings(before, after)
    for doubt in doubts:
        context.console.warn(f"{device.title}: {doubt}")
    return {**_who(remote.place), **own, "copied": list(session.files.pushed),
            "state": {"before": before.report(), "after": after.report(), "warnings": doubts}}


def _who(place: Place) -> dict[str, Any]:
    return {"name": place.device.name, "kind": place.device.kind, "abi": place.abi,
            "machine": place.machine.report()}


def _broken(e: MaceError) -> dict[str, Any]:
    name = e.device if isinstance(e, DeviceError) else ""
    return {"name": name, "kind": "", "abi": "", "machine": {}, "error": str(e)}


def _show(context: Context, results: dict[str, list[dict[str, Any]]]) -> None:
    """One table of all devices and models."""
    rows = [row for tag, ones in results.items() for one in ones for row in _rows(tag, one)]
    fitter = tables.Fitter(tables.output_width(context.args.wide))
    for line in (*fitter.lines(COLUMNS, rows), *fitter.note()):
        context.console.data(line)


def _rows(tag: str, one: dict[str, Any]) -> Iterator[list[str]]:
    machine = one["machine"]
    title = f"{one['name']} ({machine['model']})" if machine.get("model") else one["name"]
    who = [title, machine.get("soc", ""), one["abi"], tag]
    if "error" in one:
        yield [*who, "", "", "", "", "", "", "", "failed, see above"]
        return
    runs = one.get("devices") or {one.get("device", ""): one}
    state = one["state"]
    warm = [state[when]["celsius"] for when in ("before", "after")]
    celsius = "" if None in warm else f"{warm[0]:.0f}-{warm[1]:.0f}"
    share = state["after"]["clock_share"]
    clocks = "" if share is None else f"{100 * share:.0f} %"
    for device, run in runs.items():
        verdict = "" if run.get("validation", {}).get("passed", True) else "differs"
        count = None if device == "cpu" else ran_there(run, device)
        on = device.upper() if count is None else f"{device.upper()} ({count} steps)"
        yield [*who, on, *_times(run), celsius, clocks,
               verdict or ("times in doubt" if state["warnings"] else "")]


def _times(run: dict[str, Any]) -> list[str]:
    start = (run.get("starts") or [{}])[-1]
    latency = run.get("latency", {})
    if "run" in run:  # of a benchmark
        plain = run["run"]
        start, latency = {"warmup_ms": run.get("warmup", {}).get("first_ms")}, plain
    values = (start.get("init_ms"), start.get("warmup_ms"), latency.get("avg_ms"),
              latency.get("min_ms"))
    return ["" if v is None else f"{v:.3f}" for v in values]


def code_of(ok: bool, results: dict[str, Any]) -> ExitCode:
    """The exit status of a command that ran models everywhere."""
    for by_place in results.values():
        for one in (by_place, *by_place.get("places", [])):
            for run in (one.get("devices") or {"": one}).values():
                if not run.get("validation", {}).get("passed", True):
                    return ExitCode.VALIDATION_FAILED if ok else ExitCode.RUN_FAILED
    return ExitCode.OK if ok else ExitCode.RUN_FAILED


@contextlib.contextmanager
def taken(context: Context, place: Place, program: Path) -> Iterator[Remote]:
    """A place for one use. Errors: DeviceError."""
    with Session(place.device, context.console, context.args.device_timeout) as session:
        yield Remote(place, session, DeviceProgram(session, program, context.console))
