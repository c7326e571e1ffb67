"""How commands end: help, wrong use, interruption, a gone reader, a full disk, a bug of ours.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from mace_tools import cli
from mace_tools.commands import COMMANDS, module_of
from mace_tools.support.exit_codes import MEANING, ExitCode
from mace_tools.support.protos import REPO

CONVERTER = REPO / "tools" / "converter.py"
CONFIG = REPO / "models" / "digits" / "digits_onnx.yml"


@pytest.fixture
def convert(tmp_path, monkeypatch, capfd):
    """Runs `convert` on the digits, into a folder of its own."""
    monkeypatch.chdir(REPO)
    monkeypatch.setenv("MACE_CACHE", str(tmp_path / "cache"))

    def run(*more):
        code = cli.main(["convert", f"--config={CONFIG}", f"--output={tmp_path / 'out'}", *more])
        return code, *capfd.readouterr()

    return run


def fail_with(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(module_of("convert"), "command", fail)


def test_help_lists_commands_and_exit_codes(capfd):
    assert cli.main(["-h"]) == 0
    out = capfd.readouterr().out
    assert all(name in out for name in ("convert", "run", "benchmark"))
    assert all(text in out for text in MEANING.values())
    for command in COMMANDS:
        assert cli.main([command, "-h"]) == 0
        assert ("--config YML" in capfd.readouterr().out) == (
            command not in ("init", "replay", "seal", "source", "devices", "doctor", "wheel",
                            "java", "tokenizer"))


def test_the_table_of_commands_is_that_of_the_modules():
    folder = REPO / "tools" / "mace_tools" / "commands"
    assert {p.stem for p in folder.glob("*.py") if not p.name.endswith("_test.py")
            and re.search(r"^def (command|standalone)\(", p.read_text(), re.MULTILINE)
            } == set(COMMANDS)
    for name, command in COMMANDS.items():
        module = module_of(name)
        assert hasattr(module, "command") == command.takes_config, name
        assert hasattr(module, "standalone") != command.takes_config, name
        assert hasattr(module, "without_config") == bool(command.instead), name


# What takes long to import, and the modules of commands.
SLOW = ("PIL", "google.protobuf", "mace_tools.graph.ir", "mace_tools.run.runner", "numpy", "rich")
CHECKING = ("pydantic", "ruamel.yaml", "mace_tools.commands.context")  # a deployment file


@pytest.mark.parametrize("arguments, code, needed", [
    (["-h"], 0, ()), (["run", "-h"], 0, ()), (["doctor", "-h"], 0, ()), (["buidl"], 2, ()),
    (["run", "--rounds=3"], 2, ()), (["run", "--config=x", "--max_time=1"], 2, ()),
    (["run", "--config=nowhere.yml"], 1, CHECKING), (["build", "--config=bad.yml"], 1, CHECKING),
    (["run", f"--config={CONFIG}", "--model_name=none"], 2, CHECKING),
])
def test_help_and_errors_import_nothing_that_they_do_not_need(tmp_path, arguments, code, needed):
    bad = tmp_path / "bad.yml"
    bad.write_text(CONFIG.read_text().replace("runtime: cpu", "runtime: cpx"))
    arguments = [argument.replace("bad.yml", str(bad)) for argument in arguments]
    program = "import json, sys; from mace_tools.cli import main; code = main(sys.argv[1:]); " \
              "print(json.dumps([code, *sys.modules]))"
    done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=REPO, text=True,
                          capture_output=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(REPO / "tools")})
    returned, *modules = json.loads(done.stdout.splitlines()[-1])
    assert returned == code, done.stderr
    commands = {m for m in modules if m.startswith("mace_tools.commands.")
                and not m.startswith("mace_tools.commands.options")}
    assert {m for m in modules if m in (*SLOW, *CHECKING)} | commands == set(needed)


@pytest.mark.parametrize("arguments, message", [
    ([], "the following arguments are required: COMMAND"),
    (["convert"], "the following arguments are required: --config"),
    (["check"], "give --config=YML or MODEL; `tools/converter.py check -h` explains"),
    (["plan"], "give --config=YML or --records=FILE; `tools/"),
    (["conver", "--config=x"], "'conver' is not a command; did you mean 'convert'?"),
    (["build"], "the following arguments are required: --config"),
    (["buidl", "--config=x"], "'buidl' is not a command; did you mean 'build'?"),
    (["convert", "--conf=x"], "there is no option '--conf'; did you mean '--config'?"),
    (["run", "--confg=x"], "there is no option '--confg'; did you mean '--config'?"),
    (["run", "--config=x", "--rounds=3"], "there is no option '--rounds'; did you mean '--round'?"),
    (["run", "--config=x", "-round=3"], "there is no option '-round'; did you mean '--round'?"),
    (["run", "--config=x", "--omp-num-threads", "3"], "did you mean '--omp_num_threads'?"),
    (["run", "--config=x", "--warp_factor=9"], "there is no option '--warp_factor'; `tools/"),
    (["run", "--config=x", "--max_time=1"],
     "there is no option '--max_time' here; benchmark has it"),
    (["convert", "--device=cpu"],
     "no option '--device' here; run, generate, benchmark, check, compare, capsule have it"),
    (["run", "my.yml"], "'my.yml' stands without an option; did you mean '--config=my.yml'?"),
    (["run", "--config", "x", "y"], "'y' stands without an option; `tools/converter.py run -h`"),
    (["run", "--round", "--config=x"], "argument --round: expected one argument"),
    (["benchmark", "--config=x", "--max_time", "-3"], "'-3' is not a time in seconds above 0"),
])
def test_wrong_use(capfd, arguments, message):
    assert cli.main(arguments) == ExitCode.USAGE
    out, err = capfd.readouterr()
    assert message in err and out == ""


def test_a_bug_of_ours_leaves_a_log_and_no_traceback(convert, tmp_path, monkeypatch):
    fail_with(monkeypatch, ZeroDivisionError("oops"))
    code, _, err = convert()
    assert code == ExitCode.INTERNAL
    assert "internal error (ZeroDivisionError: oops); please report it with the log" in err
    assert "Traceback" not in err
    (log,) = (tmp_path / "cache" / "logs").iterdir()
    assert str(log) in err.replace("\n", "") and "Traceback" in log.read_text()


@pytest.mark.parametrize("error, code, message", [
    (OSError(errno.ENOSPC, "No space left on device", "/full/x"), ExitCode.ERROR,
     "/full/x: No space left on device; free some space"),
    (PermissionError(errno.EACCES, "Permission denied", "/x"), ExitCode.ERROR,
     "/x: Permission denied; check the permissions of /"),
    (FileNotFoundError(errno.ENOENT, "No such file or directory", "/x"), ExitCode.ERROR,
     "/x: No such file or directory; check the path"),
    (MemoryError(), ExitCode.ERROR, "not enough memory"),
    (KeyboardInterrupt(), ExitCode.INTERRUPTED, "interrupted"),
])
def test_the_machine_and_the_user_may_stop_a_command(convert, monkeypatch, error, code, message):
    fail_with(monkeypatch, error)
    found, out, err = convert()
    assert found == code and message in err and out == ""


def test_an_interruption_leaves_no_process_that_just_started(convert, monkeypatch):
    """Within subprocess.Popen nobody else knows it. Others of this process stay."""
    other = subprocess.Popen(["sleep", "60"])
    started = []

    def interrupted(context):
        started.append(subprocess.Popen(["sleep", "60"]).pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(module_of("convert"), "command", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    code, _, _ = convert()
    assert code == ExitCode.INTERRUPTED
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
    assert other.poll() is None
    assert signal.getsignal(signal.SIGINT) == handler
    other.kill()
    other.wait()


def test_a_full_disk_while_writing_leaves_nothing(convert, tmp_path, monkeypatch):
    def full(fd):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = convert()
    assert code == ExitCode.ERROR and "No space left on device; free some space" in err
    assert not [p for p in (tmp_path / "out").rglob("*") if p.is_file()]


def start(tmp_path, *arguments, **kwargs):
    environment = {**os.environ, "FAKE_OUTPUTS": str(tmp_path)}
    return subprocess.Popen([sys.executable, CONVERTER, *arguments], cwd=REPO, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                            **kwargs)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_engine_and_removes_what_was_begun(tmp_path, monkeypatch, signum):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    slow.chmod(0o755)
    # Who runs the tests in the background of a shell hands down an ignored SIGINT.
    child = start(tmp_path, "run", f"--config={CONFIG}", f"--output={tmp_path / 'out'}",
                  f"--mace_run={slow}",
                  preexec_fn=lambda: signal.signal(signum, signal.SIG_DFL))
    pid = tmp_path / "pid"
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signum)
    _, err = child.communicate(timeout=30)
    assert child.returncode == ExitCode.INTERRUPTED
    assert "interrupted" in err and "Traceback" not in err
    assert list(scratch.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_reader_that_goes_away_is_no_error_to_talk_about(tmp_path):
    child = start(tmp_path, "convert", f"--config={CONFIG}", f"--output={tmp_path / 'out'}")
    child.stdout.close()
    err = child.stderr.read()
    child.wait()
    assert "Traceback" not in err and "internal" not in err


def test_a_full_disk_under_stdout_is_reported():
    arguments = [sys.executable, CONVERTER, "convert", f"--config={CONFIG}", "--output"]
    with open("/dev/full", "w") as full, tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*arguments, folder], cwd=REPO, stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)
    assert done.returncode == ExitCode.ERROR
    assert done.stderr.splitlines()[-1] == "ERROR: No space left on device; free some space"


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_streams_are_no_error(tmp_path, closed):
    done = subprocess.run(
        [sys.executable, CONVERTER, "convert", f"--config={CONFIG}", f"--output={tmp_path}"],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: [os.close(number) for number in closed])
    assert done.returncode == ExitCode.OK, done.stderr
    assert ("up to date" in done.stdout or "digits" in done.stdout) == (1 not in closed)


@pytest.mark.parametrize("has_venv", [False, True])
def test_a_python_without_packages_finds_the_venv_or_says_setup(tmp_path, has_venv):
    """An isolated interpreter stands for a fresh machine's python3."""
    if has_venv:
        (tmp_path / "venv" / "bin").mkdir(parents=True)
        (tmp_path / "venv" / "bin" / "python").symlink_to(shutil.which("echo"))
    bare = f"import runpy, sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]; " \
           f"sys.argv = ['converter.py', '-h']; runpy.run_path({str(CONVERTER)!r}, " \
           f"run_name='__main__')"
    done = subprocess.run([sys.executable, "-I", "-c", bare], capture_output=True, text=True,
                          env={**os.environ, "MACE_CACHE": str(tmp_path)}, check=False)
    if has_venv:
        assert done.returncode == 0 and done.stdout.strip() == f"{CONVERTER} -h"
    else:
        assert done.returncode == ExitCode.MISSING_TOOL
        assert "flatbuffers" in done.stderr and "run `tools/setup.sh` once" in done.stderr
        assert "Traceback" not in done.stderr
