"""Starts a program without network, with a read-only view of all files but those of one folder.

SPDX-License-Identifier: Apache-2.0

    python sandboxed.py '{"folder": F, "memory": BYTES, "file": BYTES, "report": FD}'
        PROGRAM ARG...

It needs no package, because the Python of a framework runs it. What the system does not grant is
written to the file descriptor FD as a JSON list; limits of memory and size hold everywhere.
Linux's own words for this: user_namespaces(7), mount_setattr(2), seccomp(2).
"""

import contextlib
import ctypes
import json
import os
import platform
import resource
import signal
import struct
import sys
from typing import Any

# User, mount, network, IPC and PID namespaces.
NEW_NAMESPACES = 0x10000000 | 0x00020000 | 0x40000000 | 0x08000000 | 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_RDONLY = 2, 4, 8, 1
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 1 << 18
MOUNT_SETATTR, AT_RECURSIVE, AT_FDCWD = 442, 0x8000, -100
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
DEVICES = ("null", "zero", "full", "random", "urandom")
SHARED = "/dev/shm"
NOBODY = 65534
# By machine: its number in audit.h, clone, and calls that reach beyond the process: sockets, other
# processes, mounts, namespaces, modules, keys, io_uring (which would pass the filter by).
_CALLS = {
    "x86_64": (0xC000003E, 56, (41, 101, 155, 161, 165, 166, 175, 176, 246, 248, 249, 250, 272,
                                298, 304, 308, 310, 311, 313, 321, 323)),
    "aarch64": (0xC00000B7, 220, (39, 40, 41, 51, 97, 104, 105, 106, 117, 198, 217, 218, 219, 241,
                                  265, 268, 270, 271, 273, 280, 282)),
}
_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)
CLONE3, EPERM, ENOSYS = 435, 1, 38


def main(given: dict[str, Any], command: list[str]) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    missing: list[str] = []
    try:
        _namespaces(libc, given["folder"])
    except OSError as e:
        missing += ["network and files are not taken away from it (the system grants no "
                    f"namespaces: {e.strerror})"]
    child = os.fork()  # the first process of the new namespace
    if child:
        _, status = os.waitpid(child, 0)
        return _as_exit(status)
    if hasattr(libc, "prctl"):
        libc.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    if not missing:
        try:
            _mount(libc, "proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
        except OSError:
            missing += ["it can see other processes"]
    for what, most in (("RLIMIT_DATA", given["memory"]),
                       ("RLIMIT_FSIZE", given["file"]), ("RLIMIT_CORE", 0)):
        hard = resource.getrlimit(getattr(resource, what))[1]
        most = int(most if hard == resource.RLIM_INFINITY else min(most, hard))
        resource.setrlimit(getattr(resource, what), (most, most))
    if not _filter(libc):
        missing += ["system calls are not filtered"]
    with contextlib.suppress(OSError):
        os.write(given["report"], json.dumps(missing).encode())
        os.close(given["report"])
    os.execv(command[0], command)
    return 127


def _namespaces(libc: Any, folder: str) -> None:
    """Errors: OSError if the system refuses; nothing is changed then but the namespaces."""
    if not hasattr(libc, "unshare"):
        raise OSError(ENOSYS, "not on this system")
    uid, gid = os.getuid(), os.getgid()
    _checked(libc.unshare(NEW_NAMESPACES))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid or NOBODY} {uid} 1"),
                       ("gid_map", f"{gid or NOBODY} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    _mount(libc, None, "/", None, MS_REC | MS_PRIVATE)
    _mount(libc, folder, folder, None, MS_BIND | MS_REC)
    _devices(libc)
    _attributes(libc, "/", ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0, AT_RECURSIVE)
    _attributes(libc, folder, 0, ATTR_RDONLY)
    for name in DEVICES:
        _attributes(libc, f"/dev/{name}", 0, ATTR_NODEV)
    _attributes(libc, SHARED, 0, ATTR_RDONLY)
    os.chdir(folder)


def _devices(libc: Any) -> None:
    """Replaces /dev by a folder with a few devices that reach nothing, and with a shared memory of
    its own, in which what lies in that of the system stands, too: models may lie there."""
    stage = "/proc"  # for the moment: any other place may be below /dev/shm
    _mount(libc, "tmpfs", stage, "tmpfs", MS_NOSUID, b"size=1m")
    for name in DEVICES:
        _bind(libc, f"/dev/{name}", f"{stage}/{name}")
    shared = f"{stage}/shm"
    os.mkdir(shared)
    _mount(libc, "tmpfs", shared, "tmpfs", MS_NOSUID | MS_NODEV, b"size=256m")
    for name in os.listdir(SHARED) if os.path.isdir(SHARED) else ():
        with contextlib.suppress(OSError):  # what cannot stand there, or has just gone, is left out
            _bind(libc, f"{SHARED}/{name}", f"{shared}/{name}")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{stage}/{name}")
    os.symlink("/proc/self/fd", f"{stage}/fd")
    _mount(libc, stage, "/dev", None, MS_BIND | MS_REC)
    _checked(libc.umount2(stage.encode(), 2))  # MNT_DETACH


def _bind(libc: Any, source: str, target: str) -> None:
    """Makes a file or folder stand at another place as well."""
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
        return
    if os.path.isdir(source):
        os.mkdir(target)
    else:
        open(target, "w").close()
    _mount(libc, source, target, None, MS_BIND | MS_REC)


def _mount(libc: Any, source: str | None, target: str, kind: str | None, flags: int,
           data: bytes | None = None) -> None:
    _checked(libc.mount(source and os.fsencode(source), os.fsencode(target), kind and kind.encode(),
                        ctypes.c_ulong(flags), data))


def _attributes(libc: Any, path: str, add: int, remove: int, flags: int = 0) -> None:
    wanted = struct.pack("QQQQ", add, remove, 0, 0)
    _checked(libc.syscall(MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), flags, wanted, len(wanted)))


def _filter(libc: Any) -> bool:
    """Denies system calls that reach beyond the process, for it and all that it starts."""
    known = _CALLS.get(platform.machine())
    if known is None or not hasattr(libc, "prctl"):
        return False
    audit, clone, denied = known
    load, equal, beyond, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, deny = 0x7FFF0000, 0x00050000
    rows = [(load, 0, 0, 4), (equal, 1, 0, audit), (answer, 0, 0, deny | EPERM), (load, 0, 0, 0),
            (beyond, 0, 1, 0x40000000), (answer, 0, 0, deny | EPERM)]  # numbers of another ABI
    for number in (*denied, *_EVERYWHERE):
        rows += [(equal, 0, 1, number), (answer, 0, 0, deny | EPERM)]
    rows += [(equal, 0, 1, CLONE3), (answer, 0, 0, deny | ENOSYS),  # libc then calls clone
             (equal, 0, 3, clone), (load, 0, 0, 16), (any_bit, 0, 1, 0x10000000),
             (answer, 0, 0, deny | EPERM), (answer, 0, 0, allow)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    head = struct.pack("HxxxxxxP", len(rows), ctypes.addressof(program))
    return libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, head, 0, 0) == 0


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _as_exit(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
