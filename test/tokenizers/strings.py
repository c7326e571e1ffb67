"""Random strings of many scripts, with what tokenizers stumble over.

SPDX-License-Identifier: Apache-2.0
"""

import random

_RANGES = [(32, 127)] * 6 + [
    (0x9, 0xE), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x400), (0x400, 0x500), (0x590, 0x600),
    (0x600, 0x700), (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200), (0x1E00, 0x2000),
    (0x2000, 0x2070), (0x2070, 0x2300), (0x3000, 0x3100), (0x4E00, 0x5000), (0xAC00, 0xAD00),
    (0xF900, 0xFA00), (0xFB00, 0xFB50), (0xFF00, 0xFFF0), (0x1D400, 0x1D500), (0x1F300, 0x1F650),
    (0x20000, 0x20050),
]  # fmt: skip
_WORDS = (
    "the don't we'll I'M it's can't 'S 're hello world HelloWorld naïve café 123 12345 3.14 $100 "
    "a/b http://x.y/z?q=1 <s> </s> [MASK] <|end|> ſ 'ſ ẛ̣ İstanbul Σίσυφος ΣΑΣ ﬁ ½ Ⅻ ① 你好 世界 "
    "こんにちは مرحبا שלום Привет мир ééé 👍🏽 👨\u200d👩\u200d👧 🇩🇪 한국어").split(" ") + [
    "\n", "\n\n", "\t", "\r\n", " \n \t"]


def text(r: random.Random) -> str:
    """Words, runs of spaces and random characters."""
    parts = []
    for _ in range(r.randint(0, 12)):
        kind = r.random()
        if kind < 0.45:
            parts.append(r.choice(_WORDS))
        elif kind < 0.6:
            parts.append(" " * r.randint(1, 4))
        else:
            low, high = r.choice(_RANGES)
            parts.append("".join(chr(r.randrange(low, high)) for _ in range(r.randint(1, 5))))
        if r.random() < 0.5:
            parts.append(" ")
    return "".join(parts)


def broken(r: random.Random, given: str) -> bytes:
    """UTF-8 with a few bytes changed or removed."""
    data = bytearray(given.encode())
    for _ in range(r.randint(1, 3)):
        if data:
            at = r.randrange(len(data))
            if r.random() < 0.5:
                data[at] = r.randrange(128, 256)
            else:
                del data[at]
    return bytes(data)


def corpus(count: int = 300) -> list[str]:
    """Text to train vocabularies on."""
    r = random.Random(7)
    return [text(r) for _ in range(count)] + ["the quick brown fox jumps over the lazy dog. "] * 30


def narrow(given: str) -> str:
    """Without most scripts, so that strings have characters that a vocabulary lacks."""
    return "".join(c for c in given if ord(c) < 0x250 or c in "你好世界ПриветмЯ")
