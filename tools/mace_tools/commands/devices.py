"""devices: the attached phones and the boards of a device yml, and what MACE keeps on them.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from typing import Any

from mace_tools.commands import result_file
from mace_tools.devices import adb, files, properties, session, targets
from mace_tools.support import tables
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode

COLUMNS = (tables.Column("device", least=12), tables.Column("kind", rank=3),
           tables.Column("model", least=10), tables.Column("SoC"), tables.Column("ABIs", least=9),
           tables.Column("system", rank=2), tables.Column("°C", rank=1, right=True),
           tables.Column("kept (MB)", right=True))  # fmt: skip


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Errors: MaceError if there is no way to any device."""
    if args.json is not None:
        result_file.check_writable(args.json, "--json")
    found = _find(args, console)
    results: list[dict[str, Any]] = [{"error": str(e)} for e in found.broken]
    for place in {p.device: p for p in found.places}.values():
        try:
            if args.clear:
                session.clear_taken(place.device, console)
                console.data(f"{place.device.title}: {place.device.folder} is removed")
            results.append(_report(place))
        except MaceError as e:
            results.append({"error": str(e)})
    for one in results:
        if "error" in one:
            console.error(one["error"])
    listed = [one for one in results if "error" not in one]
    if listed and not args.clear:
        _show(listed, console, args.wide)
    if not results:
        console.data("no device is attached")
    code = ExitCode.RUN_FAILED if len(listed) < len(results) else ExitCode.OK
    if args.json is not None:
        result_file.write_json(args.json, {"command": "devices", "exit_code": int(code),
                                      "devices": results})
    return code


def _find(args: argparse.Namespace, console: Console) -> targets.Places:
    """All devices, whatever their ABIs."""
    abis = [*targets.PHONE_ABIS, *(targets.BOARD_ABIS if args.device_yml else ())]
    if args.device_yml and not adb.is_installed():
        abis = [*targets.BOARD_ABIS]
    wanted = targets.Wanted.of(abis, None, args.target_devices, args.device_yml)
    return targets.find(wanted, console)


def _report(place: targets.Place) -> dict[str, Any]:
    """Errors: DeviceError."""
    device = place.device
    return {"name": device.name, "kind": device.kind, "folder": device.folder,
            "kept_bytes": files.kept_bytes(device), "machine": place.machine.report(),
            "state": properties.state_of(device).report()}


def _show(listed: list[dict[str, Any]], console: Console, wide: bool) -> None:
    rows = []
    for one in listed:
        machine, celsius = one["machine"], one["state"]["celsius"]
        rows.append([one["name"], one["kind"], machine["model"], machine["soc"],
                     ", ".join(machine["abis"]), machine["system"],
                     "" if celsius is None else f"{celsius:.0f}", f"{one['kept_bytes'] / 1e6:.1f}"])
    fitter = tables.Fitter(tables.output_width(wide))
    for line in (*fitter.lines(COLUMNS, rows), *fitter.note()):
        console.data(line)
