"""The command line: its arguments, and how commands end.

SPDX-License-Identifier: Apache-2.0

Errors that a user can act on end in one message and their exit code. Anything else is a bug in
MACE: a line to report and a log file, never a traceback on the screen.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mace_tools.cli.parser import parse
from mace_tools.commands import COMMANDS, module_of
from mace_tools.config.problems import did_you_mean
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError
from mace_tools.support.os_errors import explain
from mace_tools.support.protos import cache_dir

if TYPE_CHECKING:
    from mace_tools.commands.context import Context


def main(argv: Sequence[str]) -> int:
    """Runs one command and returns the exit status."""
    console = Console()
    before = _children()
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _main(list(argv), console)
    except MaceError as e:
        console.error(str(e))
        return int(e.exit_code)
    except KeyboardInterrupt:
        _end_children(before)
        console.error("interrupted; unfinished files were removed")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return ExitCode.ERROR
    except OSError as e:
        _forget_stdout()
        console.error(_os_error(e))
        return ExitCode.ERROR
    except MemoryError:
        console.error("not enough memory; close other programs or use a smaller model")
        return ExitCode.ERROR
    except Exception as e:  # a bug: every expected error is a MaceError
        console.error(_internal_error(e, argv))
        return ExitCode.INTERNAL


def _main(argv: list[str], console: Console) -> int:
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise UsageError(_no_such_command(argv[0]))
    try:
        args = parse(argv)
    except SystemExit:  # of -h
        return ExitCode.OK
    if not COMMANDS[args.command].takes_config:
        return module_of(args.command).standalone(args, console)
    if args.config is None:
        return module_of(args.command).without_config(args, console)
    return _with_config(args, console)


def _with_config(args: argparse.Namespace, console: Console) -> int:
    # Imported here: `-h` needs neither pydantic nor ruamel.yaml. The module of the command, which
    # takes longer, is imported once the deployment file has no errors.
    from mace_tools.commands.context import read

    return _run(args, read(args, console))


def _run(args: argparse.Namespace, context: Context) -> int:
    from mace_tools.commands import result_file

    if args.json is not None:
        result_file.check_writable(args.json, "--json")
    code, results = module_of(args.command).command(context)
    if args.json is not None:
        report: dict[str, Any] = {"command": args.command, "config": str(args.config),
                                  "library_name": context.deployment.library.library_name,
                                  "exit_code": int(code), "models": results}
        result_file.write_json(args.json, report)
    return code


def _no_such_command(name: str) -> str:
    return (f"'{name}' is not a command{did_you_mean(name, list(COMMANDS))}; "
            f"the commands are {', '.join(COMMANDS)}")


def _terminate(signum: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _children() -> set[int]:
    """The processes that this one has started and not waited for; empty where the system does not
    list them."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.update(map(int, path.read_text().split()))
    return found


def _end_children(spared: set[int]) -> None:
    """An interruption within subprocess.Popen leaves a process that nobody else knows."""
    handlers = [(number, signal.signal(number, signal.SIG_IGN))
                for number in (signal.SIGINT, signal.SIGTERM)]
    for child in _children() - spared:
        with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    for number, handler in handlers:
        signal.signal(number, handler)


def _forget_stdout() -> None:
    """Keeps Python from writing to stdout again at exit, if stdout has no reader or the disk is
    full."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _os_error(e: OSError) -> str:
    where = f"{os.fsdecode(e.filename)}: " if e.filename else ""
    return f"{where}{explain(e)}"


def _internal_error(e: Exception, argv: Sequence[str]) -> str:
    import traceback  # which no command needs that ends well

    what = f"{type(e).__name__}: {e}"
    text = f"{time.asctime()}\narguments: {list(argv)}\n\n{traceback.format_exc()}"
    log = cache_dir() / "logs" / f"error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text, encoding="utf-8")
        return f"internal error ({what}); please report it with the log {log}"
    except OSError:
        return f"internal error ({what}); please report it:\n{text}"
