"""Reads single values of a deployment file. Errors say what was found and what would be right.

SPDX-License-Identifier: Apache-2.0

The functions take what YAML made of a value and return it in its one typed form. They raise
ValueError, which pydantic collects.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Union

from mace_tools.config import component_names
from mace_tools.config.problems import WrongChoice, did_you_mean, nearest
from mace_tools.graph.op_schema import max_rank
from mace_tools.graph.states import Pair

MAX_EXTENT = 2**31 - 1
MAX_WHOLE = 1 << 64  # numbers are below it


def choice(*allowed: str | int, aliases: dict[str, str] | None = None) -> Callable[[Any], Any]:
    """One of a few words or numbers. Aliases are accepted spellings of an allowed word."""
    words = {str(a): a for a in allowed}
    spellings = {**words, **{k: words[v] for k, v in (aliases or {}).items()}}

    def read(value: Any) -> Any:
        word = str(int(value)) if isinstance(value, bool) else str(value)
        if not isinstance(value, str | int) or word not in spellings:
            raise WrongChoice(f"{shown(value)} is not one of {', '.join(spellings)}"
                              f"{did_you_mean(word, list(spellings))}",
                              nearest(word, list(spellings)))
        return spellings[word]

    return read


def text(value: Any) -> str:
    """A non-empty line of text; a bare number stands for its digits (tensors named 137)."""
    if isinstance(value, bool) or not isinstance(value, str | int) or str(value).strip() == "":
        raise ValueError(f"{shown(value)} is not a name")
    return str(value).strip()


def tensor_name(value: Any) -> str:
    """The name of a tensor or a node, which may begin and end with spaces; a bare number stands for
    its digits."""
    return value if isinstance(value, str) and value else text(value)


def file_name(value: Any) -> str:
    """Text that can be part of a file name."""
    name = text(value)
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise ValueError(f"{shown(value)} names files, so it may have only letters, digits, "
                         "'_', '-' and '.', and must not begin with '-' or '.'")
    return name


def whole_from(least: int) -> Callable[[Any], int]:
    """A whole number, at least `least`."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"{shown(value)} is not a whole number from {least}")
        return value

    return read


def between(low: float, high: float) -> Callable[[Any], float]:
    """A number above `low` and at most `high`."""

    def read(value: Any) -> float:
        found = number(value)
        if not low < found <= high:
            raise ValueError(f"{shown(value)} is not above {low:g} and at most {high:g}")
        return found

    return read


def texts(value: Any) -> tuple[str, ...]:
    """One name or a list of different names."""
    names = tuple(tensor_name(v) for v in listed(value))
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ValueError(f"{shown(twice[0])} appears twice")
    return names


def shares(value: Any) -> tuple[str, ...]:
    """Shares from 0 to 1 by device, {gpu: 0.9}, or a list of them as flags write them, [gpu=0.9]:
    as the latter."""
    given = [f"{d}={s}" for d, s in value.items()] if isinstance(value, dict) else value
    items = tuple(text(item) for item in listed(given))
    found: dict[str, str] = {}
    for item in items:
        device, _, share = item.partition("=")
        if device not in ("cpu", "gpu", "dsp") or not _is_share(share):
            raise ValueError(f"{shown(item)} is not a device (cpu, gpu or dsp) with a share from "
                             "0 to 1, such as {gpu: 0.9}")
        if device in found:
            raise ValueError(f"{shown(device)} appears twice")
        found[device] = share
    return items


def _is_share(word: str) -> bool:
    try:
        return re.fullmatch(r"[0-9.eE+-]+", word) is not None and 0 <= float(word) <= 1
    except ValueError:
        return False


def input_names(value: Any) -> tuple[str, ...]:
    """As `texts`; a model without inputs has an empty list."""
    return () if value == [] else texts(value)


def strings(value: Any) -> tuple[str, ...]:
    """One string or a list of strings, which may be equal."""
    return tuple(text(v) for v in listed(value))


def list_of(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """One value or a list of values."""

    def read_list(value: Any) -> tuple[Any, ...]:
        return tuple(read(v) for v in listed(value))

    return read_list


def some_of(*allowed: str) -> Callable[[Any], tuple[str, ...]]:
    """Some of a few words, in their order; the single word `none` stands for none of them."""
    read_one = choice(*allowed, "none")

    def read(value: Any) -> tuple[str, ...]:
        chosen = texts([read_one(v) for v in listed(value)])
        if "none" in chosen and len(chosen) > 1:
            raise ValueError("'none' stands alone; leave it out, or the others")
        return tuple(word for word in allowed if word in chosen)

    return read


def components(value: Any) -> tuple[str, ...]:
    """Names of components of a library, `all`, or former names."""
    return some_of("all", *component_names.NAMES, *component_names.FORMER)(value)


def custom_ops(value: Any) -> tuple[str, ...]:
    """Names of operators; 1 or `all` for every one that the converter does not know, 0 for none."""
    if isinstance(value, bool | int) or value in ("0", "1"):
        if int(value) not in (0, 1):
            raise ValueError(f"{shown(value)} is not 0, 1, all or names of operators")
        return ("all",) if int(value) else ()
    names = texts(value)
    if "all" in names and len(names) > 1:
        raise ValueError("'all' stands alone; leave it out, or the others")
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9_.:/-]+", name):
            raise ValueError(f"{shown(name)} is no name of an operator, which has letters, digits "
                             "and any of _.:/-")
    return names


# An extent that each run chooses is -1, or a name where dimensions are to be equal.
OPEN = -1
Dims = tuple[Union[int, str], ...]


def shapes(value: Any) -> tuple[Dims, ...]:
    """`1,224,224,3`, or a list of such, or a list of extents for a single shape; `[]` is the shape
    of a scalar. An extent may be open: -1 or a name."""
    if isinstance(value, tuple):  # of a model without inputs
        return value
    flat = isinstance(value, list) and all(_is_number(v) or _is_dim_name(v) for v in value)
    return tuple(shape(v) for v in ([value] if flat else listed(value)))


def _is_dim_name(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", value) is not None


def _extent(part: Any) -> int | str:
    word = str(part).strip()
    if isinstance(part, bool):
        raise ValueError(word)
    return word if _is_dim_name(word) else int(word)


def closed(dims: Dims) -> tuple[int, ...] | None:
    """The shape, if no extent of it is open."""
    return None if is_open(dims) else tuple(int(d) for d in dims)


def is_open(dims: Dims) -> bool:
    return any(isinstance(d, str) or d == OPEN for d in dims)


def shape(value: Any) -> Dims:
    if value == [] or isinstance(value, str) and re.fullmatch(r"\s*\[\s*\]\s*", value):
        return ()
    parts = _parts(value)
    if any(str(p).strip() == "?" for p in parts):
        raise ValueError(f"{shown(value)} still has a '?' to fill in: the model's file leaves this "
                         "open, so say what it is to be: a number, or -1 or a name if each run "
                         "chooses it")
    try:
        dims = tuple(_extent(p) for p in parts)
    except ValueError:
        raise ValueError(f"{shown(value)} is not a shape; a shape is whole numbers with commas "
                         "between, or [] for a scalar; -1 or a name stands for an extent that "
                         "each run chooses") from None
    bad = [d for d in dims if not isinstance(d, str) and d != OPEN and not 0 <= d <= MAX_EXTENT]
    if bad:
        raise ValueError(f"{shown(value)} has the extent {bad[0]}; extents are from 0 to "
                         f"{MAX_EXTENT}, or -1 or a name where each run chooses them")
    if len(dims) > max_rank():
        raise ValueError(f"{shown(value)} has {len(dims)} dimensions, more than {max_rank()}")
    return dims


def ranges(value: Any) -> tuple[tuple[float, float], ...]:
    """`-1,1`, or a list of such, or a list of two numbers."""
    flat = isinstance(value, list) and len(value) == 2 and all(_is_number(v) for v in value)
    return tuple(_range(v) for v in ([value] if flat else listed(value)))


def numbers(value: Any) -> tuple[float, ...]:
    """One number, or one per channel."""
    return tuple(number(v) for v in _parts(value))


def number(value: Any) -> float:
    try:
        result = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise ValueError(f"{shown(value)} is not a number")
    return result


def tensor_values(value: Any) -> dict[str, Any]:
    """Values by the names of tensors: a number, true, false, or nested lists of these."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{shown(value)} is not a mapping from inputs to their values")
    for name, given in value.items():
        if not _is_tensor(given):
            raise ValueError(f"{shown(given)} for '{name}' is not a number, true or false, or a "
                             "list of such whose rows are of one length")
    return {tensor_name(name): given for name, given in value.items()}


_STATE_KEYS = ("next", "shape", "max_shape")
_STATE_EXAMPLE = ("{next: OUTPUT, shape: [2, 1, 64]}; of a state that grows, {next: OUTPUT, "
                  "shape: [1, 4, -1, 64], max_shape: [1, 4, 1024, 64]}")


def states(value: Any) -> dict[str, Pair]:
    """By the name of an input: the output that becomes its next value, or a mapping with that
    output as `next`, the `shape`, and the `max_shape` of a state that grows."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{shown(value)} is not a mapping from inputs to outputs")
    return {tensor_name(name): _state(name, given) if isinstance(given, dict)
            else Pair(tensor_name(given))
            for name, given in value.items()}


def _state(name: str, given: dict[str, Any]) -> Pair:
    unknown = [key for key in given if key not in _STATE_KEYS]
    if unknown or "next" not in given:
        what = f"the key '{unknown[0]}'" if unknown else "no `next`"
        raise ValueError(f"{shown(given)} for '{name}' has {what}: write the output, or "
                         f"{_STATE_EXAMPLE}")
    dims = shape(given["shape"]) if "shape" in given else None
    named = [d for d in dims or () if isinstance(d, str)]
    if named:
        raise ValueError(f"the shape of '{name}' has the name '{named[0]}': no run chooses the "
                         "extents of a state; write a number, or -1 where it grows")
    own = None if dims is None else tuple(None if d == OPEN else int(d) for d in dims)
    if "max_shape" not in given:
        return Pair(tensor_name(given["next"]), own)
    most = shape(given["max_shape"])
    limit = closed(most)
    if own is None or None not in own or limit is None or len(limit) != len(own) or any(
            d not in (None, m) for d, m in zip(own, limit)):
        raise ValueError(f"{shown(given)} for '{name}': max_shape limits the extents that are -1 "
                         f"in shape, and repeats the others: {_STATE_EXAMPLE}")
    return Pair(tensor_name(given["next"]), own, limit)


def _is_tensor(value: Any) -> bool:
    if not isinstance(value, list):
        return isinstance(value, bool) or _is_number(value) and (
            value.bit_length() <= 1000 if isinstance(value, int) else math.isfinite(value))
    shapes = {_depths(v) for v in value}
    return len(shapes) == 1 and all(_is_tensor(v) for v in value)


def _depths(value: Any) -> tuple[int, ...]:
    """The extents of nested lists, by their first elements."""
    return (len(value), *_depths(value[0])) if isinstance(value, list) and value else ()


def whole(least: int, most: int, also: Sequence[int] = ()) -> Callable[[Any], int]:
    """A whole number in a range, or one of a few others."""
    expected = "".join(f"{n}, or " for n in also) + f"a whole number from {least} to {most}"

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not (
                value in also or least <= value <= most):
            raise ValueError(f"{shown(value)} is not {expected}")
        return int(value)

    return read


def sha256(value: Any) -> str:
    digest = str(value).strip().lower()
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError(f"{shown(value)} is not a SHA-256 checksum, which has 64 hexadecimal "
                         f"digits (this has {len(digest)} characters); `sha256sum FILE` prints it")
    return digest


def size_hw(value: Any) -> tuple[int, int]:
    """[height, width]."""
    try:
        dims = closed(shape(value)) or ()
    except ValueError:
        dims = ()
    if len(dims) != 2 or 0 in dims:
        raise ValueError(f"{shown(value)} is not [height, width]")
    return dims[0], dims[1]


def listed(value: Any) -> Sequence[Any]:
    """The elements of a list, or the single value as one."""
    if isinstance(value, list):
        if not value:
            raise ValueError("the list is empty")
        return value
    return [value]


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    if value is None:
        return "an empty value"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, int) and abs(value) >= MAX_WHOLE:
        return "a number of more than 64 bits"
    try:
        body = str(list(value)) if isinstance(value, list) else str(value)
    except ValueError:  # Python does not write numbers of thousands of digits
        return "a list with a number of more than 64 bits"
    return f"'{body if len(body) <= 60 else body[:57] + '...'}'"


def _parts(value: Any) -> list[Any]:
    if isinstance(value, list):
        return list(listed(value))
    return str(value).strip().strip("[]").split(",") if isinstance(value, str) else [value]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _range(value: Any) -> tuple[float, float]:
    try:
        low, high = (number(p) for p in _parts(value))
    except ValueError:
        raise ValueError(f"{shown(value)} is not a range, which is two numbers: low,high") from None
    if low > high:
        raise ValueError(f"{shown(value)} has its low end above its high end")
    return low, high
