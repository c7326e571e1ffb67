"""Parts of variables (partitioned variables): how checkpoints name and place them.

SPDX-License-Identifier: Apache-2.0

The names of parts are keys whose order as bytes is that of what they say
(tensorflow/core/util/saved_tensor_slice_util, tensorflow/core/lib/strings/ordered_code); what a
graph restores is a text such as "4 6 0,2:-", the shape and for each axis start and length, or "-"
for all of it (tensorflow/core/framework/tensor_slice).
"""

from collections.abc import Sequence

ALL = -1  # the length of a part that has the whole axis
Extents = Sequence[tuple[int, int]]  # start and length along each axis


def key_of(name: str, extents: Extents) -> bytes:
    """The key of a part in the index."""
    text = name.encode().replace(b"\xff", b"\xff\x00").replace(b"\x00", b"\x00\xff")
    key = _number(0) + text + b"\x00\x01" + _number(len(extents))
    return key + b"".join(_signed(v) for extent in extents for v in extent)


def _number(value: int) -> bytes:
    count = (value.bit_length() + 7) // 8
    return bytes([count]) + value.to_bytes(count, "big")


def _signed(value: int) -> bytes:
    """n bytes, of which the first n bits, inverted, repeat the sign, so that they tell n."""
    bits = (value if value >= 0 else ~value).bit_length()
    count = bits // 7 + 1
    header = (1 << count) - 1 << 7 * count
    whole = value & (1 << 8 * count) - 1
    return (whole ^ header).to_bytes(count, "big")


def parse(text: str) -> tuple[list[int], list[tuple[int, int]]] | None:
    """The shape, and the part of each axis, that a graph restores; None: all of the tensor.

    Errors: ValueError."""
    words = text.split()
    if not words:
        return None
    shape = [int(word) for word in words[:-1]]
    parts = words[-1].split(":")
    if len(parts) != len(shape):
        raise ValueError(f"{text!r} has {len(shape)} extents and {len(parts)} parts")
    extents = []
    for own, part in zip(shape, parts):
        start, length = (0, own) if part == "-" else (int(v) for v in part.split(","))
        if start < 0 or length < 0 or start + length > own:
            raise ValueError(f"{text!r} has a part outside of the shape")
        extents.append((start, length))
    return shape, extents


def places(extents: Extents, shape: Sequence[int]) -> tuple[slice, ...]:
    """Where a part lies in an array. Errors: ValueError for one that lies outside of it."""
    found = []
    for (start, length), own in zip(extents, shape):
        end = own if length == ALL else start + length
        if not 0 <= start <= end <= own:
            raise ValueError(f"{list(extents)} lies outside of {list(shape)}")
        found.append(slice(start, end))
    return tuple(found)
