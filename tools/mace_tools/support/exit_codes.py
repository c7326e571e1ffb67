"""What the exit status of tools/converter.py means; `-h` prints this table.

SPDX-License-Identifier: Apache-2.0
"""

from enum import IntEnum

from mace_tools.support.errors import MaceError


class ExitCode(IntEnum):
    """Statuses 1, 3 and 4 are also those of errors.py."""

    OK = 0
    ERROR = 1
    USAGE = 2
    BAD_MODEL = 3
    UNSUPPORTED_OPS = 4
    VALIDATION_FAILED = 5
    MISSING_TOOL = 6
    RUN_FAILED = 7
    INTERNAL = 70
    INTERRUPTED = 130


MEANING = {
    ExitCode.OK: "all went well",
    ExitCode.ERROR: "the deployment file, an input or the machine (disk, network) is at fault",
    ExitCode.USAGE: "the command line is wrong",
    ExitCode.BAD_MODEL: "the source model is damaged or contradictory",
    ExitCode.UNSUPPORTED_OPS: "the source model has operators that cannot be converted",
    ExitCode.VALIDATION_FAILED: "--validate or compare found a tensor that differs",
    ExitCode.MISSING_TOOL: "a package, framework or build tool is not installed",
    ExitCode.RUN_FAILED: "mace_run failed, or a build of it or of a library",
    ExitCode.INTERNAL: "a bug in MACE; please report it",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C)",
}


class UsageError(MaceError):
    """The command-line arguments are wrong."""

    exit_code = ExitCode.USAGE


class MissingToolError(MaceError):
    """Something that tools/setup.sh or pip installs is missing."""

    exit_code = ExitCode.MISSING_TOOL


class RunFailedError(MaceError):
    """mace_run did not succeed."""

    exit_code = ExitCode.RUN_FAILED


def table() -> str:
    """The table for people."""
    rows = (f"  {code.value:>3}  {text}" for code, text in MEANING.items())
    return "\n".join(["exit codes:", *rows])
