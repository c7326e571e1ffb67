"""tokenizer: makes the tokenizer file of the engine.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

from mace_tools.config.files import missing
from mace_tools.convert.tokenizers import convert
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError
from mace_tools.support.os_errors import explain


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    source: Path = args.source
    if source.is_dir():
        source = source / "tokenizer.json"
    if not source.is_file():
        raise MaceError(f"SOURCE: {missing(str(source))}")
    out: Path = args.output or source.with_suffix(".tokenizer")
    if out.exists() and out.samefile(source):
        raise UsageError(f"--output={out} is the file that is read")
    try:
        data = convert.tokenizer_file(source)
    except OSError as e:
        raise MaceError(f"cannot read '{source}': {explain(e, e.filename)}") from e
    with atomic_files(out) as (file,):
        file.write(data)
    console.data(f"{out}  {len(data)} bytes")
    return ExitCode.OK
