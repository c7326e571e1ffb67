"""Sealed models: their bytes, read by another class of the library that wrote them; and `seal`.

SPDX-License-Identifier: Apache-2.0

test/library/python_test.py opens them by the engine.
"""

import struct
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mace_tools import cli
from mace_tools.package import encryption
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import mace

KEY = bytes(range(32))


def model(folder: Path, weights: bytes = b"w" * 130) -> Path:
    net = mace().NetDef(name="net", format_version=2, data_bytes=len(weights))
    path = folder / "net.pb"
    path.write_bytes(net.SerializeToString())
    if weights:
        path.with_suffix(".data").write_bytes(weights)
    return path


def opened(sealed: bytes, key: bytes) -> tuple[str, bytes, bytes]:
    """The key's name, the graph and the weights, as mace/sealed/sealed_model.h has the format."""
    magic, version, name_bytes, graph_bytes, data_bytes = struct.unpack_from("<8sIIQQ", sealed)
    assert (magic, version) == (b"MACESEAL", 1)
    end = 56 + name_bytes
    AESGCM(key).decrypt(sealed[32:44], sealed[end:end + 16], sealed[:end])
    content = AESGCM(key).decrypt(sealed[44:56], sealed[end + 16:], sealed[:end + 16])
    padded = (graph_bytes + 63) // 64 * 64
    assert len(content) == padded + data_bytes and not any(content[graph_bytes:padded])
    return sealed[56:end].decode(), content[:graph_bytes], content[padded:]


def seal(model_file: Path, *flags: str) -> int:
    key = model_file.parent / "key"
    if not key.exists():
        key.write_bytes(KEY)
    return cli.main(["seal", str(model_file), f"--key_file={key}", *flags])


@pytest.mark.parametrize("weights", [b"", b"x", b"w" * 130, bytes(3 << 24)], ids=len)
def test_a_sealed_model_holds_the_model(tmp_path, weights, capsys):
    path = model(tmp_path, weights)
    assert seal(path, "--key_name=schlüssel") == 0
    sealed = (tmp_path / "net.sealed").read_bytes()
    assert opened(sealed, KEY) == ("schlüssel", path.read_bytes(), weights)
    assert capsys.readouterr().out == f"{tmp_path / 'net.sealed'}  {len(sealed)} bytes\n"
    with pytest.raises(InvalidTag):
        opened(sealed, bytes(32))


def test_each_sealing_takes_other_numbers(tmp_path):
    path = model(tmp_path)
    nonces = set()
    for k in range(4):
        assert seal(path, f"--output={tmp_path / 'out' / str(k)}") == 0
        sealed = (tmp_path / "out" / str(k)).read_bytes()
        nonces |= {sealed[32:44], sealed[44:56]}
    assert len(nonces) == 8


def test_keys_are_bytes_or_digits(tmp_path):
    for text in (KEY, KEY.hex().encode(), KEY.hex().upper().encode() + b"\n"):
        (tmp_path / "key").write_bytes(text)
        assert encryption.read_key(tmp_path / "key") == KEY


@pytest.mark.parametrize("key", [b"", b"x" * 31, b"x" * 64, b"00" * 31, b"\xff" * 33])
def test_what_is_no_key_is_refused(tmp_path, capsys, key):
    path = model(tmp_path)
    (tmp_path / "key").write_bytes(key)
    assert seal(path) == ExitCode.ERROR
    assert f"is no key: it has {len(key)} bytes" in capsys.readouterr().err
    assert not (tmp_path / "net.sealed").exists()


def test_what_is_no_model_is_refused(tmp_path, capsys):
    def refuses(words: str, *flags: str, code: int = ExitCode.ERROR) -> None:
        assert seal(path, *flags) == code
        assert words in capsys.readouterr().err.replace("\n", " ")
        assert not (tmp_path / "net.sealed").exists()

    path = tmp_path / "none.pb"
    refuses("MODEL: ")
    path = model(tmp_path)
    refuses("--data: ", f"--data={tmp_path / 'none'}")
    refuses("is one of the files that are read", f"--output={path}", code=ExitCode.USAGE)
    refuses("the name of the key has 256 bytes", f"--key_name={'n' * 256}")
    path.with_suffix(".data").write_bytes(b"short")
    refuses("has weights of 130 bytes, and the file of weights has 5")
    path.with_suffix(".data").unlink()
    refuses("has weights of 130 bytes, and the file of weights has 0")
    for text in (b"", b"\xff" * 50):
        path.write_bytes(text)
        refuses("is no converted model")
    path.write_bytes(encryption.MAGIC + bytes(100))
    refuses("is sealed already")


def test_a_key_is_needed(tmp_path, capsys):
    path = model(tmp_path)
    assert cli.main(["seal", str(path)]) == ExitCode.USAGE
    assert "--key_file" in capsys.readouterr().err
    assert cli.main(["seal", str(path), f"--key_file={tmp_path / 'no'}"]) == ExitCode.ERROR
    assert "--key_file: " in capsys.readouterr().err
