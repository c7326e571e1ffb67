"""CRC-32C (RFC 3720, appendix B.4), as the files of TensorFlow's variables have it.

SPDX-License-Identifier: Apache-2.0

NumPy computes many parts of the data side by side. The parts are joined by a linear map: what zero
bytes make of a checksum.
"""

import numpy as np

_POLYNOMIAL = 0x82F63B78
_SMALL = 1 << 14  # bytes that are computed one by one


def _one_byte() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table


_BYTE = _one_byte()
_STEPS = [int(v) for v in _BYTE]
_FIRST = _BYTE[np.arange(1 << 16) & 255] ^ (np.arange(1 << 16, dtype=np.uint32) >> 8)
_PAIR = _BYTE[_FIRST & 255] ^ (_FIRST >> 8)  # of two bytes at once


def crc32c(data: memoryview | bytes) -> int:
    """The checksum of the data."""
    state, done = 0xFFFFFFFF, 0
    if len(data) >= _SMALL:
        state, done = _in_parts(data, state)
    for byte in bytes(data[done:]):
        state = _STEPS[(state ^ byte) & 255] ^ (state >> 8)
    return state ^ 0xFFFFFFFF


def masked(crc: int) -> int:
    """As LevelDB's tables store it, so that it can itself be part of checked data."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _in_parts(data: memoryview | bytes, state: int) -> tuple[int, int]:
    """The state after most of the data, and how many bytes that is."""
    words = np.frombuffer(data, "<u2", len(data) // 2)
    parts = 1 << (words.size.bit_length() // 2 + 1)
    length = words.size // parts
    columns = np.ascontiguousarray(words[: parts * length].reshape(parts, length).T)
    states = np.zeros(parts, np.uint32)
    for column in columns:
        states = _PAIR[(states ^ column) & 0xFFFF] ^ (states >> 16)
    tables = _after_zeros(2 * length)
    for part in states.tolist():
        state = (tables[0][state & 255] ^ tables[1][state >> 8 & 255]
                 ^ tables[2][state >> 16 & 255] ^ tables[3][state >> 24] ^ part)
    return state, 2 * parts * length


def _after_zeros(count: int) -> list[list[int]]:
    """What `count` zero bytes make of a state: a table for each of its bytes."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    result, power = bits, _BYTE[bits & 255] ^ (bits >> 8)
    while count:
        if count & 1:
            result = _apply(power, result)
        power, count = _apply(power, power), count >> 1
    values = np.arange(256, dtype=np.uint32)
    return [_apply(result, values << np.uint32(8 * k)).tolist() for k in range(4)]


def _apply(linear: np.ndarray, states: np.ndarray) -> np.ndarray:
    """The states after a linear map, which is given by the images of the 32 bits."""
    after = np.zeros_like(states)
    for bit, image in enumerate(linear):
        after ^= np.where(states >> np.uint32(bit) & 1, image, np.uint32(0))
    return after
