"""Sealed models: a converted model, encrypted, in one file.

SPDX-License-Identifier: Apache-2.0

mace/sealed/sealed_model.h has the format, and docs/sealed_models.md says what it protects.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import MissingToolError
from mace_tools.support.limits import open_file, read_bytes
from mace_tools.support.protos import mace

MAGIC = b"MACESEAL"
VERSION = 1
KEY_BYTES = 32
MAX_KEY_FILE = 4096
NONCE_BYTES = 12
ALIGNMENT = 64
MAX_NAME_BYTES = 255
MAX_CONTENT_BYTES = 2**36 - 32  # that one nonce is good for
_PIECE = 1 << 24


@dataclass(frozen=True)
class Key:
    secret: bytes  # 32
    name: str = ""  # which key an app has to give

    @property
    def encoded_name(self) -> bytes:
        """Errors: MaceError for a name that the format does not take."""
        name = self.name.encode()
        if len(name) > MAX_NAME_BYTES or b"\0" in name:
            raise MaceError(f"the name of the key has {len(name)} bytes; at most {MAX_NAME_BYTES} "
                            "are possible, none of them zero")
        return name


def read_key(path: Path) -> bytes:
    """32 bytes, or as many in 64 hexadecimal digits. Errors: MaceError, OSError."""
    found = read_bytes(path, MAX_KEY_FILE)
    if len(found) == KEY_BYTES:
        return found
    try:
        key = bytes.fromhex(found.decode("ascii"))
    except ValueError:  # also for what is not ASCII
        key = b""
    if len(key) != KEY_BYTES:
        raise MaceError(f"'{path}' is no key: it has {len(found)} bytes, and a key has "
                        f"{KEY_BYTES}, or {2 * KEY_BYTES} hexadecimal digits; `head -c {KEY_BYTES} "
                        "/dev/urandom > FILE` makes one")
    return key


def check(graph: bytes, graph_file: Path, data_bytes: int) -> None:
    """That this is a converted model with its own weights. Errors: MaceError."""
    if graph.startswith(MAGIC):
        raise MaceError(f"'{graph_file}' is sealed already")
    net = mace().NetDef()
    try:
        net.ParseFromString(graph)
    except Exception as e:  # protobuf's error has no class that all versions share
        raise MaceError(f"'{graph_file}' is no converted model; give the .pb that `converter.py "
                        "convert` writes") from e
    if not net.HasField("format_version"):
        raise MaceError(f"'{graph_file}' is no converted model; give the .pb that `converter.py "
                        "convert` writes")
    if net.data_bytes != data_bytes:
        raise MaceError(f"'{graph_file}' has weights of {net.data_bytes} bytes, and the file of "
                        f"weights has {data_bytes}: it is missing or belongs to another model; "
                        "name it with --data")


def seal(graph: Path, data: Path | None, key: Key, out: Path) -> int:
    """Writes the sealed model, and returns its bytes. Errors: MaceError, OSError."""
    net = read_bytes(graph)
    data_bytes = data.stat().st_size if data else 0
    check(net, graph, data_bytes)
    padded = net + bytes(-len(net) % ALIGNMENT)
    if len(padded) + data_bytes > MAX_CONTENT_BYTES:
        raise MaceError(f"the model has {len(padded) + data_bytes} bytes; a sealed one has at most "
                        f"{MAX_CONTENT_BYTES}")
    head, nonce = _head(len(net), data_bytes, key)
    with atomic_files(out) as (file,):
        file.write(head)
        file.writelines(_encrypted(key, nonce, head, _pieces(padded, data)))
        return file.tell()


def _head(graph_bytes: int, data_bytes: int, key: Key) -> tuple[bytes, bytes]:
    """All before the content, and the content's nonce."""
    name = key.encoded_name
    first = os.urandom(NONCE_BYTES)
    second = os.urandom(NONCE_BYTES)
    while second == first:  # one nonce for two messages would give the key's secrets away
        second = os.urandom(NONCE_BYTES)
    head = MAGIC + struct.pack("<IIQQ", VERSION, len(name), graph_bytes, data_bytes)
    head += first + second + name
    (tag,) = _encrypted(key, first, head, iter(()))
    return head + tag, second


def _pieces(graph: bytes, data: Path | None) -> Iterator[bytes]:
    yield graph
    if data is not None:
        with open_file(data) as file:
            while piece := file.read(_PIECE):
                yield piece


def _encrypted(key: Key, nonce: bytes, added: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The encrypted pieces, and the tag of them and of `added`."""
    cipher = _aes_gcm(key.secret, nonce)
    cipher.authenticate_additional_data(added)
    for piece in pieces:
        yield cipher.update(piece)
    cipher.finalize()
    yield cipher.tag


def _aes_gcm(secret: bytes, nonce: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as e:
        raise MissingToolError("sealing needs the Python package cryptography, which is not "
                               "installed: run `tools/setup.sh`") from e
    return Cipher(algorithms.AES(secret), modes.GCM(nonce)).encryptor()
