"""Changes bytes and texts: the same seed gives the same mutant.

SPDX-License-Identifier: Apache-2.0
"""

import random
import re

_WORDS = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\x01\0\0\0",
          b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\0" * 7 + b"\x80", b"\0\0\xc0\x7f", b"%s%n")
_TEXTS = (b"-1", b"0", b"1e999", b"nan", b"18446744073709551617", b"-9223372036854775808", b"null",
          b"[]", b"{}", b'""', b"*a", b"&a", b"../../../etc/passwd", b"\0", b"\xff", b"\x1b[31m")


def mutated(data: bytes, rng: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        rng.choice(_CHANGES)(found, rng)
    return bytes(found)


def _flip(data: bytearray, rng: random.Random) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, rng: random.Random) -> None:
    word = rng.choice(_WORDS)
    at = rng.randrange(len(data) + 1)
    data[at : at + len(word)] = word


def _insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice((*_WORDS, *_TEXTS, rng.randbytes(rng.randrange(1, 64))))


def _remove(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    del data[at : at + rng.choice((1, 2, 4, 8, 64, 1 << 20))]


def _repeat(data: bytearray, rng: random.Random) -> None:
    at, to = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    data[to:to] = data[at : at + rng.choice((1, 4, 16, 256))]


def _replace_word(data: bytearray, rng: random.Random) -> None:
    """Another text in place of a number or a word."""
    begin = rng.randrange(len(data) + 1)
    found = re.compile(rb"[\w.+-]+").search(bytes(data[begin : begin + 4096]))
    if found is not None:
        data[begin + found.start() : begin + found.end()] = rng.choice(_TEXTS)


_CHANGES = (_flip, _flip, _overwrite, _overwrite, _insert, _remove, _repeat, _replace_word)
