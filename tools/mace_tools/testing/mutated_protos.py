"""Changes protocol buffers of models at random: values, kinds of attributes, and what is absent.

SPDX-License-Identifier: Apache-2.0
"""

import random
from typing import Any

INTEGERS = (-1, 0, 1, 2, 7, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 62), (1 << 63) - 1, -(1 << 63))
TEXTS = ("", "\0", "x\x1b[31m", "a" * 3000, "é", "../x", "x:0", "^x", "%s{}")
FLOATS = (0.0, -1.0, float("nan"), float("inf"), 1e38)


def mutated(message: Any, rng: random.Random, changes: int = 1) -> Any:
    """A copy with some fields changed."""
    copy = type(message)()
    copy.CopyFrom(message)
    for _ in range(changes):
        places = list(_places(copy))
        if places:
            _change(*rng.choice(places), rng)
    return copy


def _places(message: Any, depth: int = 0) -> Any:
    """All fields, as (message, descriptor): those that are set, and those of an attribute."""
    yield from ((message, field) for field in message.DESCRIPTOR.fields
                if _is_attribute(message) or _is_set(message, field))
    if depth > 12:
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            values = list(value.values()) if hasattr(value, "values") else []
        else:
            values = list(value) if hasattr(value, "add") else [value]
        for part in values:
            if hasattr(part, "DESCRIPTOR"):
                yield from _places(part, depth + 1)


def _is_attribute(message: Any) -> bool:
    return message.DESCRIPTOR.name in ("AttributeProto", "AttrValue")


def _is_set(message: Any, field: Any) -> bool:
    return any(field.number == one.number for one, _ in message.ListFields())


def _change(message: Any, field: Any, rng: random.Random) -> None:
    value = getattr(message, field.name)
    if hasattr(value, "append") or hasattr(value, "add"):
        _change_list(value, field, rng)
    elif hasattr(value, "keys"):
        if value and rng.random() < 0.5:
            del value[rng.choice(sorted(value))]
    elif field.message_type is not None:
        if rng.random() < 0.5:
            message.ClearField(field.name)
        else:
            value.SetInParent()
    else:
        setattr(message, field.name, _scalar(field, rng))


def _change_list(values: Any, field: Any, rng: random.Random) -> None:
    kind = rng.randrange(3)
    if kind == 0 and len(values):
        del values[rng.randrange(len(values))]
    elif kind == 1 and field.message_type is not None:
        values.add()
    elif field.message_type is not None:
        if len(values):
            values.add().CopyFrom(rng.choice(list(values)))
    elif kind == 1 and len(values):
        values[rng.randrange(len(values))] = _scalar(field, rng)
    else:
        values.append(_scalar(field, rng))


def _scalar(field: Any, rng: random.Random) -> Any:
    kinds = type(field)
    if field.type == kinds.TYPE_STRING:
        return rng.choice(TEXTS)
    if field.type == kinds.TYPE_BYTES:
        return rng.choice([t.encode() for t in TEXTS] + [b"\xff\xfe", b"\0" * 7])
    if field.type in (kinds.TYPE_FLOAT, kinds.TYPE_DOUBLE):
        return rng.choice(FLOATS)
    if field.type == kinds.TYPE_BOOL:
        return rng.random() < 0.5
    if field.type == kinds.TYPE_ENUM:
        return rng.choice([v.number for v in field.enum_type.values])
    narrow = field.type in (kinds.TYPE_INT32, kinds.TYPE_UINT32, kinds.TYPE_SINT32)
    unsigned = field.type in (kinds.TYPE_UINT32, kinds.TYPE_UINT64)
    low, high = (0 if unsigned else -(1 << 31 if narrow else 1 << 63)), (
        (1 << 31 if narrow else 1 << 63) - 1)
    return min(max(rng.choice(INTEGERS), low), high)
