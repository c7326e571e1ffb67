"""Formats numbers and names for people.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence

from mace_tools.support.tables import common_path

UNITS = ("KiB", "MiB", "GiB", "TiB")


def amount(count: int, unit: str = "bytes") -> str:
    """A number of bytes (or elements), short.

    >>> amount(900), amount(470400), amount(4816896), amount(1048576), amount(1536, "elements")
    ('900 bytes', '459.4 KiB', '4.594 MiB', '1 MiB', '1,536 elements')
    """
    if unit != "bytes" or count < 1024:
        return f"{count:,} {unit}"
    power = min((count.bit_length() - 1) // 10, len(UNITS))
    digits = 1 if power == 1 else 3
    return f"{count / 1024**power:.{digits}f}".rstrip("0").rstrip(".") + f" {UNITS[power - 1]}"


def exact(count: int, unit: str = "bytes") -> str:
    """
    >>> exact(4816896)
    '4,816,896 bytes'
    """
    return f"{count:,} {unit}"


def duration(us: float) -> str:
    """
    >>> duration(0.4), duration(81), duration(12345), duration(2500000)
    ('<1 µs', '81 µs', '12.3 ms', '2.5 s')
    """
    if us < 1:
        return "<1 µs"
    if us < 1000:
        return f"{us:.0f} µs"
    return f"{us / 1000:.3g} ms" if us < 1e6 else f"{us / 1e6:.3g} s"


def ratio(a: float, b: float, digits: int = 3) -> str:
    """a / b, rounded up unless it is exact, so that 1.000 means 1.

    >>> ratio(10, 10), ratio(1000001, 1000000), ratio(1, 4), ratio(1, 0)
    ('1.000', '1.001', '0.250', '-')
    """
    if not b:
        return "-"
    scale = 10**digits
    return f"{-(-a * scale // b) / scale:.{digits}f}"


def short_name(name: str, most: int = 60) -> str:
    """The most informative part of a tensor's name: the first of a TFLite list, without its middle.

    >>> short_name("MobilenetV1/Conv2d_2/Relu6;MobilenetV1/Conv2d_2/add")
    'MobilenetV1/Conv2d_2/Relu6'
    >>> short_name("fire2/expand1x1_1", 12), short_name("a/b", 3)
    ('fire2/e…x1_1', 'a/b')
    """
    first = name.split(";")[0]
    if len(first) <= most:
        return first
    tail = (most - 1) * 2 // 5
    return first[:most - 1 - tail] + "…" + first[len(first) - tail:]


def tags(names: Sequence[str], ops: Sequence[str]) -> list[str]:
    """The text in rectangles: names without the scope that most share and without the op, which has
    a colour.

    >>> tags(["net/fire2/Conv2d", "net/fire3/Conv2d", "data"], ["Conv2d", "Conv2d", ""])
    ['fire2', 'fire3', 'data']
    """
    firsts = [name.split(";")[0] for name in names]
    scope = common_path(firsts)
    return [name.removeprefix(scope).removesuffix(f"/{op}" if op else "")
            for name, op in zip(firsts, ops)]
