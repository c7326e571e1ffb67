"""Protobuf message classes, made from .proto files at run time, so that no generated code is in
git.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import functools
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from mace_tools.support.errors import MaceError
from mace_tools.support.os_errors import explain

REPO = Path(__file__).resolve().parents[3]
MACE_PROTO = REPO / "mace" / "proto" / "mace.proto"


def cache_dir() -> Path:
    """The folder for files that can be rebuilt: $MACE_CACHE or ~/.cache/mace."""
    return Path(os.environ.get("MACE_CACHE") or Path.home() / ".cache" / "mace")


def cache_folder(name: str) -> Path:
    """A folder in the cache, made if it is missing. Errors: MaceError if it cannot be written."""
    folder = cache_dir() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    except OSError as e:
        raise cache_error(e, folder) from e
    return folder


def cache_error(e: OSError, path: Path) -> MaceError:
    """Why a file or folder of the cache cannot be written."""
    return MaceError(f"cannot write the cache {path}: {explain(e, path)}; or set MACE_CACHE to "
                     "another folder")


@functools.cache
def load(path: Path) -> SimpleNamespace:
    """The messages and enum values of one .proto file (which imports no other).

    `load(MACE_PROTO).NetDef()` makes a message, `.DT_FLOAT` is an enum value."""
    # Imported here and below: most modules of the command line need the folders above only.
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    files = descriptor_pb2.FileDescriptorSet.FromString(_descriptors(path))
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = SimpleNamespace()
    for file in files.file:
        descriptor = pool.FindFileByName(file.name)
        for name, message in descriptor.message_types_by_name.items():
            setattr(names, name, message_factory.GetMessageClass(message))
        for enum in descriptor.enum_types_by_name.values():
            for value in enum.values:
                setattr(names, value.name, value.number)
    return names


def mace() -> SimpleNamespace:
    """The messages of the model format."""
    return load(MACE_PROTO)


def _descriptors(path: Path) -> bytes:
    """A serialized FileDescriptorSet, compiled once per content."""
    import hashlib
    import tempfile

    text = path.read_bytes()
    key = hashlib.sha256(text).hexdigest()[:16]
    cached = cache_dir() / "protos" / f"{path.stem}-{key}.desc"
    if cached.is_file():
        return cached.read_bytes()
    compiled = _compile(path)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=cached.parent)
        with os.fdopen(handle, "wb") as f:
            f.write(compiled)
        os.replace(temporary, cached)
    except OSError:
        pass  # the cache only saves time
    return compiled


def _compile(path: Path) -> bytes:
    # In a separate process, because protoc crashes beside other copies of protobuf, such as those
    # in the source frameworks.
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.desc"
        done = subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", f"-I{path.parent}",
             f"--descriptor_set_out={out}", str(path)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise MaceError(f"{path} is not a valid .proto file: {done.stderr.strip()[-500:]}")
        return out.read_bytes()
