"""Tables of Unicode that tokenizers need, from Python's unicodedata.

SPDX-License-Identifier: Apache-2.0
"""

import sys
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np

VERSION = unicodedata.unidata_version
CODE_POINTS = sys.maxunicode + 1
CATEGORIES = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
              "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs",
              "Co", "Cn")  # fmt: skip
_SPACE, _WORD = 32, 64
# White_Space of Unicode's PropList.txt, the same since version 6.3.
WHITE_SPACE = (*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029,
               0x202F, 0x205F, 0x3000)  # fmt: skip
# Of \w (UTS #18, annex C) what no category has: Other_Alphabetic symbols, and joiners.
_WORD_CATEGORIES = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}
_OTHER_WORDS = (*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A), *range(0x1F150, 0x1F16A),
                *range(0x1F170, 0x1F18A), 0x200C, 0x200D)  # fmt: skip
_HANGUL = range(0xAC00, 0xD7A4)


@dataclass(frozen=True)
class Classes:
    """Two stages: for the upper bits of a code point a block of 256 classes."""

    blocks: bytes
    classes: bytes


@cache
def classes() -> Classes:
    number = {name: i for i, name in enumerate(CATEGORIES)}
    table = np.zeros(CODE_POINTS, np.uint8)
    for c in range(CODE_POINTS):
        category = unicodedata.category(chr(c))
        table[c] = number[category] | (_WORD if category in _WORD_CATEGORIES else 0)
    table[list(WHITE_SPACE)] |= _SPACE
    table[list(_OTHER_WORDS)] |= _WORD
    unique, index = np.unique(table.reshape(-1, 256), axis=0, return_inverse=True)
    return Classes(index.reshape(-1).astype("<u2").tobytes(), unique.tobytes())


def category_mask(*names: str) -> int:
    return sum(1 << CATEGORIES.index(name) for name in names)


def _decompositions(form: str) -> dict[int, list[int]]:
    table = {}
    for c in range(CODE_POINTS):
        if c in _HANGUL or not unicodedata.decomposition(chr(c)):
            continue
        found = [ord(part) for part in unicodedata.normalize(form, chr(c))]
        if found != [c]:
            table[c] = found
    return table


def _lower() -> dict[int, list[int]]:
    return {c: [ord(part) for part in chr(c).lower()] for c in range(CODE_POINTS)
            if chr(c).lower() != chr(c)}


MAPPINGS = {
    "canonical": cache(lambda: _decompositions("NFD")),
    "compatible": cache(lambda: _decompositions("NFKD")),
    "lower": cache(_lower),
}


def combining() -> list[int]:
    """code point * 256 + combining class, for each class other than 0."""
    return [c << 8 | unicodedata.combining(chr(c)) for c in range(CODE_POINTS)
            if unicodedata.combining(chr(c))]


def compositions() -> list[tuple[int, int, int]]:
    """Pairs and what they compose to, without Hangul, which is computed."""
    rows = []
    for c in range(CODE_POINTS):
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (int(part, 16) for part in parts)
            if unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(c):
                rows.append((first, second, c))
    return sorted(rows)
