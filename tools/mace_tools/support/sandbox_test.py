"""Tests of what a framework cannot do in its process.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import pytest

from mace_tools.support import sandbox
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.support.sandbox import Limits

LIMITS = Limits(256 << 20, 30, 8 << 20)
TRY = """
import json, os, socket, subprocess, sys
own, outside, process = sys.argv[1:]
def tried(what):
    try:
        return what() or "done"
    except Exception as e:
        return type(e).__name__
found = {
    "own": tried(lambda: open(own + "/own.txt", "w").write("x") and None),
    "outside": tried(lambda: open(outside, "w")),
    "remove": tried(lambda: os.unlink(outside)),
    "mode": tried(lambda: os.chmod(outside, 0)),
    "read": tried(lambda: open(outside).read()),
    "internet": tried(lambda: socket.socket()),
    "local": tried(lambda: socket.socket(socket.AF_UNIX)),
    "process": tried(lambda: os.kill(int(process), 0)),
    "trace": tried(lambda: open(f"/proc/{process}/environ").close()),
    "setting": tried(lambda: open("/proc/sys/kernel/core_pattern", "w")),
    "disk": tried(lambda: [n for n in os.listdir("/dev") if n.startswith(("sd", "vd", "nvme"))]),
    "more rights": tried(lambda: subprocess.run(["unshare", "-Ur", "true"], check=True)),
    "null": tried(lambda: open("/dev/null", "w").close()),
}
json.dump(found, open(own + "/found.json", "w"))
"""


def run(folder, code, *args, limits=LIMITS):
    program = folder.parent / "try.py"
    program.write_text(code)
    command = [sys.executable, str(program), str(folder), *map(str, args)]
    return sandbox.run("the test", command, folder, os.environ, limits)


@pytest.fixture
def folder(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    return own


def isolated(folder):
    """Whether the system grants namespaces."""
    run(folder, "import os, sys\nopen(sys.argv[1] + '/d', 'w').write(' '.join(os.listdir('/dev')))")
    return len((folder / "d").read_text().split()) < 16


@pytest.mark.parametrize("place", [None, "/dev/shm"])
def test_a_framework_reaches_only_its_folder(place):
    if place and not os.path.isdir(place):
        pytest.skip("this machine has no /dev/shm")
    with tempfile.TemporaryDirectory(dir=place) as made, tempfile.NamedTemporaryFile(
            prefix=os.fsdecode(b"no UTF-8 \xff"), dir=place):
        (Path(made) / "model.txt").write_text("kept")
        link = Path(made).with_name(f"{Path(made).name}.link")
        link.symlink_to(Path(made) / "model.txt")
        try:
            reaches_only(Path(made) / "own", Path(made) / "outside.txt")
            done = run(Path(made) / "own",
                       "import sys; assert open(sys.argv[2]).read() == 'kept'", link)
        finally:
            link.unlink()
        assert done.returncode == 0, done.printed


def reaches_only(folder, outside):
    folder.mkdir()
    if not isolated(folder):
        pytest.skip("this distribution: the kernel grants no namespaces")
    outside.write_text("kept")
    done = run(folder, TRY, outside, os.getpid())
    assert done.returncode == 0, done.printed
    assert json.loads((folder / "found.json").read_text()) == {
        "own": "done", "outside": "OSError", "remove": "OSError", "mode": "OSError",
        "read": "kept", "internet": "PermissionError", "local": "PermissionError",
        "process": "ProcessLookupError", "trace": "FileNotFoundError",
        "setting": "OSError", "disk": "done", "more rights": "CalledProcessError", "null": "done"}
    assert outside.read_text() == "kept"


@pytest.mark.parametrize("code, reason", [
    ("x = [bytearray(1 << 24) for _ in range(1 << 5)]", "more than 256 MB of memory"),
    ("open(sys.argv[1] + '/big', 'wb').write(b'0' * (9 << 20))", "File too large"),
    ("[open(f'{sys.argv[1]}/{k}', 'wb').write(b'0' * (4 << 20)) for k in range(9)]; "
     "import time; time.sleep(60)", "more than 8 MB of files"),
    ("os.symlink('/etc/passwd', sys.argv[1] + '/link')", "neither a file nor a folder: 'link'"),
    ("os.mkfifo(sys.argv[1] + '/pipe')", "neither a file nor a folder: 'pipe'"),
])
def test_what_it_takes_and_leaves_is_bounded(folder, code, reason):
    with pytest.raises(RunFailedError, match=f"the test .*{re.escape(reason)}"):
        done = run(folder, f"import os, sys\n{code}")
        raise RunFailedError(f"the test {done.reason()}")


def test_a_process_that_does_not_end_is_ended(folder):
    with pytest.raises(RunFailedError, match="the test was stopped, .* more than 0 seconds"):
        run(folder, "import time\ntime.sleep(60)", limits=Limits(1 << 30, 0.2, 1 << 20))


def test_what_it_started_ends_with_it(folder):
    if not isolated(folder):
        pytest.skip("this distribution: the kernel grants no namespaces")
    code = ("import os, sys, time\nalive = sys.argv[1] + '/alive'\n"
            "if os.fork() == 0:\n    os.setsid()\n    while True:\n"
            "        open(alive, 'a').write('x'); time.sleep(0.01)\n"
            "while not os.path.exists(alive):\n    time.sleep(0.01)\n")
    assert run(folder, code).returncode == 0
    size = (folder / "alive").stat().st_size
    time.sleep(0.2)
    assert size == (folder / "alive").stat().st_size


def test_what_the_system_does_not_grant_is_reported_once(folder, monkeypatch, capsys):
    starter = folder.parent / "starter.py"
    starter.write_text(sandbox.STARTER.read_text().replace(
        "    uid, gid =", "    raise OSError(1, 'Operation not permitted')\n    uid, gid ="))
    monkeypatch.setattr(sandbox, "STARTER", starter)
    sandbox._warn.cache_clear()
    for _ in range(2):
        assert run(folder, "import socket\ntry:\n    socket.socket()\nexcept PermissionError:\n"
                           "    pass\nelse:\n    raise SystemExit(9)").returncode == 0
    printed = capsys.readouterr().err
    assert printed.count("isolated less than it could be: network and files are not taken") == 1
    assert "docs/untrusted_files.md" in printed
