"""seal: encrypts a converted model for apps that keep its key.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

from mace_tools.commands.options.models import SEALED
from mace_tools.config.files import missing
from mace_tools.package import encryption
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError
from mace_tools.support.os_errors import explain


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    out: Path = args.output or args.model.with_suffix(SEALED)
    data = args.data or args.model.with_suffix(".data")
    for flag, path in (("MODEL", args.model), ("--key_file", args.key_file), ("--data", args.data)):
        if path is not None and not path.is_file():
            raise MaceError(f"{flag}: '{path}' is not a file" if path.exists() else
                            f"{flag}: {missing(str(path))}")
    if any(out.exists() and out.samefile(path) for path in (args.model, data, args.key_file)
           if path.exists()):
        raise UsageError(f"--output={out} is one of the files that are read")
    try:
        key = encryption.Key(encryption.read_key(args.key_file), args.key_name)
        size = encryption.seal(args.model, data if data.is_file() else None, key, out)
    except OSError as e:
        raise MaceError(f"cannot seal '{args.model}': {explain(e, e.filename)}") from e
    console.data(f"{out}  {size} bytes")
    return ExitCode.OK
