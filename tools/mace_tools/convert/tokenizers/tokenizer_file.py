"""The tokenizer file of the engine: its sections, and writing it.

SPDX-License-Identifier: Apache-2.0

docs/tokenizers.md describes the format; mace/text/tokenizer_data.h reads it.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

import numpy as np
import xxhash

from mace_tools.convert.tokenizers import unicode_tables
from mace_tools.support.errors import ModelError

VERSION = 1
NONE = 0xFFFFFFFF
# Limits of the reader (mace/text/tokenizer_data.cc).
MAX_TOKENS = 1 << 24
MAX_STEPS = 64
MAX_BYTES = 2048  # of a token or a string


class Model(IntEnum):
    BPE = 0
    UNIGRAM = 1
    WORD_PIECE = 2


class Flag(IntFlag):
    BYTE_LEVEL = 1
    BYTE_FALLBACK = 2
    FUSE_UNKNOWN = 4
    IGNORE_MERGES = 8
    METASPACES = 16
    DROP_FIRST_SPACE = 32
    WORD_PIECES = 64
    CLEAN_UP = 128
    FLOAT32_SUMS = 256
    DROP_FIRST_METASPACES = 512


class Token(IntFlag):
    IN_MODEL = 1
    ADDED = 2
    SPECIAL = 4
    STRIP_LEFT = 8
    STRIP_RIGHT = 16
    SINGLE_WORD = 32
    NORMALIZED = 64
    BYTE = 128
    UNUSED = 256
    HIDDEN = 512
    SYMBOL = 1024


class Step(IntEnum):
    MAP = 1
    DECOMPOSE = 2
    COMPOSE = 3
    REMOVE_CATEGORIES = 4
    REPLACE = 5
    PREPEND = 6
    STRIP = 7
    COLLAPSE = 8
    SINGLE_SPACES = 9
    CLEAN_TEXT = 10
    SPACE_IDEOGRAPHS = 11
    CHARSMAP = 12
    GPT2 = 20
    LLAMA3 = 21
    GPT4O = 22
    DIGITS = 24
    WORDS = 25
    WHITESPACE = 26
    PUNCTUATION = 27
    BERT = 28
    METASPACE = 29
    SPLIT_TEXT = 30
    PREFIX_SPACE = 31


BEHAVIORS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")

(_SETTINGS, _STEPS, _STRINGS, _TOKENS, _FLAGS, _INDEX, _SCORES, _MERGES, _MERGE_INDEX, _BYTES,
 _CLASS_BLOCKS, _CLASSES, _COMBINING, _COMPOSITIONS, _CHARSMAP, _PREFIX, _SUFFIX, _STOPS,
 _PROPERTIES) = range(1, 20)  # fmt: skip
_FIRST_MAPPING = 32


@dataclass
class Tokenizer:
    """What a tokenizer file holds, as readers of other formats fill it in."""

    model: Model
    flags: Flag = Flag(0)
    texts: list[bytes] = field(default_factory=list)
    kinds: list[Token] = field(default_factory=list)  # of each token
    unknown: int | None = None
    bos: int | None = None
    eos: int | None = None
    pad: int | None = None
    max_characters: int = 100
    continuing: str | None = None
    word_end: str | None = None
    steps: list[tuple[Step, int, int, int]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)  # left, right, rank, id
    bytes_of: list[int | None] = field(default_factory=list)
    charsmap: bytes = b""
    prefix: list[int] = field(default_factory=list)
    suffix: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    mappings: list[str] = field(default_factory=list)  # names of unicode_tables.MAPPINGS
    strings: list[bytes] = field(default_factory=list)
    hidden: list[bytes] = field(default_factory=list)  # parts of merges that are no tokens

    def string(self, text: str) -> int:
        """The number of a string that a step names."""
        found = text.encode("utf-8", "surrogatepass")
        if found not in self.strings:
            self.strings.append(found)
        return self.strings.index(found)

    def mapping(self, name: str) -> int:
        """The number of a mapping of unicode_tables.MAPPINGS."""
        if name not in self.mappings:
            self.mappings.append(name)
        return self.mappings.index(name)

    def add(self, step: Step, a: int = 0, b: int = 0, c: int = 0) -> None:
        self.steps.append((step, a, b, c))

    def stop_at(self, ids: Iterable[int | None]) -> None:
        """Adds tokens after which a generation ends."""
        for token in ids:
            if token is not None and token not in self.stops:
                self.stops.append(token)

    def serialize(self) -> bytes:
        """The bytes of the file. Errors: ModelError for a vocabulary that contradicts itself."""
        _check(self)
        self.properties.setdefault("unicode_version", unicode_tables.VERSION)
        sections = _sections(self)
        return _file({kind: data for kind, data in sections.items() if data})


def _check(t: Tokenizer) -> None:
    count = len(t.texts)
    if not 0 < count <= MAX_TOKENS:
        raise ModelError(f"the vocabulary has {count} tokens; from 1 to {MAX_TOKENS} are read")
    if len(t.steps) > MAX_STEPS:
        raise ModelError(f"the tokenizer has {len(t.steps)} steps; at most {MAX_STEPS} are run")
    long = next((text for text in [*t.texts, *t.hidden, *t.strings] if len(text) > MAX_BYTES), None)
    if long is not None:
        raise ModelError(f"a token or a text of a step has {len(long)} bytes, at most {MAX_BYTES} "
                         f"are read: {long[:40]!r}...")
    named = {"unk": t.unknown, "bos": t.bos, "eos": t.eos, "pad": t.pad}
    lists = {"post_processor": t.prefix + t.suffix, "eos_token_id": t.stops}
    found = [(name, i) for name, i in named.items() if i is not None]
    found += [(name, i) for name, ids in lists.items() for i in ids]
    for name, i in found:
        if not 0 <= i < count:
            raise ModelError(f"{name} is token {i}, which is outside of the vocabulary of {count}")


def _sections(t: Tokenizer) -> dict[int, bytes]:
    texts = t.texts + t.hidden
    kinds = list(t.kinds) + [Token.HIDDEN] * len(t.hidden)
    ids = (t.unknown, t.bos, t.eos, t.pad)
    unknown, bos, eos, pad = (NONE if i is None else i for i in ids)
    continuing, word_end = (NONE if text is None else t.string(text)
                            for text in (t.continuing, t.word_end))
    settings = struct.pack("<11I", t.model, t.flags, len(t.texts), unknown, t.max_characters, bos,
                           eos, pad, continuing, word_end, max(len(text) for text in texts))
    sections = {
        _SETTINGS: settings,
        _STEPS: _words(value for step in t.steps for value in step),
        _STRINGS: _strings(t.strings) if t.strings else b"",
        _TOKENS: _strings(texts),
        _FLAGS: np.array([int(kind) for kind in kinds], "<u2").tobytes(),
        _INDEX: _index([hash_text(text) if text else None for text in texts]),
        _SCORES: np.array(t.scores, "<f8").tobytes(),
        _MERGES: np.array(t.merges, "<u4").tobytes(),
        _MERGE_INDEX: _index([hash_pair(left, right) for left, right, _, _ in t.merges]),
        _BYTES: _words(NONE if i is None else i for i in t.bytes_of),
        _CHARSMAP: t.charsmap,
        _PREFIX: _words(t.prefix), _SUFFIX: _words(t.suffix), _STOPS: _words(t.stops),
        _PROPERTIES: _strings([part.encode("utf-8", "surrogatepass")
                               for pair in t.properties.items() for part in pair]),
    }  # fmt: skip
    if _needs_classes(t):
        tables = unicode_tables.classes()
        sections |= {_CLASS_BLOCKS: tables.blocks, _CLASSES: tables.classes}
    if any(step == Step.DECOMPOSE for step, *_ in t.steps):
        sections[_COMBINING] = _words(unicode_tables.combining())
    if any(step == Step.COMPOSE for step, *_ in t.steps):
        sections[_COMPOSITIONS] = _words(v for row in unicode_tables.compositions() for v in row)
    for number, name in enumerate(t.mappings):
        sections[_FIRST_MAPPING + number] = _mapping(unicode_tables.MAPPINGS[name]())
    return sections


_WITHOUT_CLASSES = {Step.MAP, Step.DECOMPOSE, Step.COMPOSE, Step.REPLACE, Step.PREPEND,
                    Step.COLLAPSE, Step.SINGLE_SPACES, Step.SPACE_IDEOGRAPHS, Step.CHARSMAP,
                    Step.METASPACE, Step.SPLIT_TEXT, Step.PREFIX_SPACE}  # fmt: skip


def _needs_classes(t: Tokenizer) -> bool:
    around = Token.STRIP_LEFT | Token.STRIP_RIGHT | Token.SINGLE_WORD
    return (any(step not in _WITHOUT_CLASSES for step, *_ in t.steps)
            or any(kind & around for kind in t.kinds))


def hash_text(text: bytes) -> int:
    """FNV-1a of 32 bits."""
    found = 2166136261
    for byte in text:
        found = (found ^ byte) * 16777619 & 0xFFFFFFFF
    return found


def hash_pair(left: int, right: int) -> int:
    found = (left * 0x9E3779B1 + right) * 0x85EBCA6B & 0xFFFFFFFF
    return found ^ found >> 15


def _words(values: Iterable[int]) -> bytes:
    return np.array(list(values), "<u4").tobytes()


def _strings(texts: Sequence[bytes]) -> bytes:
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
    return (struct.pack("<I", len(texts)) + offsets.astype("<u4").tobytes() + b"".join(texts))


def _mapping(table: dict[int, list[int]]) -> bytes:
    keys = sorted(table)
    offsets = np.concatenate([[0], np.cumsum([len(table[key]) for key in keys], dtype=np.int64)])
    return (_words([len(keys)]) + _words(keys) + offsets.astype("<u4").tobytes()
            + _words(value for key in keys for value in table[key]))


def _index(hashes: Sequence[int | None]) -> bytes:
    """A table with linear probing, at most half full: number + 1 in each slot, or 0.

    None is left out: the empty text of unused ids, which would lie side by side.
    """
    if not hashes:
        return b""
    size = 4
    while size < 2 * len(hashes):
        size *= 2
    slots = [0] * size
    for number, found in enumerate(hashes):
        if found is None:
            continue
        at = found & size - 1
        while slots[at]:
            at = at + 1 & size - 1
        slots[at] = number + 1
    return _words(slots)


def _file(sections: dict[int, bytes]) -> bytes:
    offset = 32 + 24 * len(sections)
    table, body = [], []
    for kind, data in sections.items():
        padding = -offset % 8
        body += [b"\0" * padding, data]
        offset += padding
        table.append(struct.pack("<IIQQ", kind, 0, offset, len(data)))
        offset += len(data)
    rest = b"".join(table) + b"".join(body)
    return (b"MACETOKN" + struct.pack("<IIQQ", VERSION, len(sections), 32 + len(rest),
                                      xxhash.xxh3_64_intdigest(rest)) + rest)
