"""Vocabularies of SentencePiece: its own model files, and what GGUF keeps of them.

SPDX-License-Identifier: Apache-2.0
"""

import struct
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from mace_tools.convert.tokenizers.hugging_face import mark_bytes
from mace_tools.convert.tokenizers.tokenizer_file import Flag, Model, Step, Token, Tokenizer
from mace_tools.support import protobuf_wire
from mace_tools.support.errors import ModelError, Unsupported
from mace_tools.support.limits import read_bytes

SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
_UNIGRAM, _BPE = 1, 2


@dataclass
class Vocabulary:
    """What a model file says."""

    pieces: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    model: int = _UNIGRAM
    byte_fallback: bool = False
    spaces_behind: bool = False
    unk: int = 0
    bos: int = 1
    eos: int = 2
    pad: int = -1
    unk_surface: str = " \u2047 "
    charsmap: bytes = b""
    dummy_prefix: bool = True
    single_spaces: bool = True
    escapes: bool = True


def read(path: Path) -> Tokenizer:
    """The tokenizer of a model file. Errors: ModelError, Unsupported."""
    try:
        vocabulary = _parsed(read_bytes(path))
    except (protobuf_wire.NotWire, UnicodeDecodeError, struct.error) as e:
        raise ModelError(f"'{path}' is no model of SentencePiece: {e}") from e
    if not vocabulary.pieces:
        raise ModelError(f"'{path}' is no model of SentencePiece: it has no pieces")
    t = of_vocabulary(vocabulary)
    t.properties["source"] = path.name
    if 0 <= vocabulary.unk < len(t.texts):  # as SentencePiece writes an unknown piece
        t.texts[vocabulary.unk] = vocabulary.unk_surface.encode()
    return t


def _parsed(data: bytes) -> Vocabulary:
    v = Vocabulary()
    for part in protobuf_wire.fields(data):
        begin, end = part.begin, part.end
        if part.number == 1:
            piece, score, kind = "", 0.0, NORMAL
            for f in protobuf_wire.fields(data, begin, end):
                if f.number == 1:
                    piece = data[f.begin:f.end].decode()
                elif f.number == 2:
                    (score,) = struct.unpack("<f", data[f.begin:f.end])
                elif f.number == 3:
                    kind = _varint(data, f)
            v.pieces.append(piece)
            v.scores.append(score)
            v.kinds.append(kind)
        elif part.number == 2:
            _read_trainer(v, data, begin, end)
        elif part.number == 3:
            _read_normalizer(v, data, begin, end)
    return v


def _varint(data: bytes, part: protobuf_wire.FieldAt) -> int:
    value = sum((byte & 127) << 7 * i for i, byte in enumerate(data[part.begin:part.end]))
    return value - (1 << 64) if value >= 1 << 63 else value


def _read_trainer(v: Vocabulary, data: bytes, begin: int, end: int) -> None:
    numbers = {3: "model", 24: "spaces_behind", 35: "byte_fallback", 40: "unk", 41: "bos",
               42: "eos", 43: "pad"}
    for f in protobuf_wire.fields(data, begin, end):
        if f.number in numbers:
            setattr(v, numbers[f.number], _varint(data, f))
        elif f.number == 44:
            v.unk_surface = data[f.begin:f.end].decode()


def _read_normalizer(v: Vocabulary, data: bytes, begin: int, end: int) -> None:
    numbers = {3: "dummy_prefix", 4: "single_spaces", 5: "escapes"}
    for f in protobuf_wire.fields(data, begin, end):
        if f.number == 2:
            v.charsmap = data[f.begin:f.end]
        elif f.number in numbers:
            setattr(v, numbers[f.number], bool(_varint(data, f)))


def of_vocabulary(v: Vocabulary) -> Tokenizer:
    """A tokenizer that splits text as SentencePiece does with this vocabulary."""
    if v.model not in (_UNIGRAM, _BPE):
        raise Unsupported("model of SentencePiece: words or characters as pieces; the engine has "
                          "unigram and BPE")
    if v.spaces_behind:
        raise Unsupported("model of SentencePiece: treat_whitespace_as_suffix")
    t = Tokenizer(Model.UNIGRAM if v.model == _UNIGRAM else Model.BPE,
                  Flag.FUSE_UNKNOWN | Flag.FLOAT32_SUMS | Flag.METASPACES)
    kinds = {NORMAL: Token.IN_MODEL, UNKNOWN: Token.SPECIAL, CONTROL: Token.SPECIAL,
             USER: Token.ADDED | Token.NORMALIZED | Token.SYMBOL, UNUSED: Token.UNUSED,
             BYTE: Token.BYTE}
    if unknown := set(v.kinds) - set(kinds):
        raise ModelError(f"a piece has the type {min(unknown)}, which SentencePiece does not have")
    t.texts = [piece.encode() for piece in v.pieces]
    t.kinds = [kinds[kind] for kind in v.kinds]
    t.kinds = [kind & ~Token.SPECIAL if k == UNKNOWN else kind
               for kind, k in zip(t.kinds, v.kinds)]
    if v.byte_fallback:
        t.flags |= Flag.BYTE_FALLBACK
        ids = {piece: i for i, piece in enumerate(v.pieces) if v.kinds[i] == BYTE}
        t.bytes_of = [ids.get(f"<0x{byte:02X}>") for byte in range(256)]
        mark_bytes(t)
    if t.model == Model.UNIGRAM:
        t.scores = list(v.scores)
    else:
        add_merges(t, v.pieces, v.scores, v.kinds)
    _add_steps(t, v)
    t.unknown, t.bos, t.eos, t.pad = (i if 0 <= i < len(v.pieces) else None
                                      for i in (v.unk, v.bos, v.eos, v.pad))
    t.stop_at([t.eos])
    return t


def _add_steps(t: Tokenizer, v: Vocabulary) -> None:
    t.charsmap = v.charsmap
    if v.charsmap:
        t.add(Step.CHARSMAP)
    if v.single_spaces:
        t.add(Step.SINGLE_SPACES)
    space = SPACE if v.escapes else " "
    if v.escapes:
        t.add(Step.REPLACE, t.string(" "), t.string(SPACE))
    if v.dummy_prefix:
        t.add(Step.PREPEND, t.string(space))
        t.flags |= Flag.DROP_FIRST_SPACE


def add_merges(t: Tokenizer, pieces: list[str], scores: list[float], kinds: list[int]) -> None:
    """The merges of BPE by scores: any two pieces whose texts together are a piece, those with the
    highest score first, and of equal scores the leftmost."""
    usable = {piece: i for i, piece in enumerate(pieces) if kinds[i] in (NORMAL, UNUSED)}
    hidden: dict[str, int] = {}
    by_score = defaultdict(list)
    for piece, i in usable.items():
        if len(piece) > 1:
            by_score[scores[i]].append((piece, i))
            for character in piece:  # from which merging begins
                if character not in usable and character not in hidden:
                    hidden[character] = len(pieces) + len(hidden)
    ids = usable | hidden
    for rank, score in enumerate(sorted(by_score, reverse=True)):
        for piece, i in by_score[score]:
            for cut in range(1, len(piece)):
                left, right = ids.get(piece[:cut]), ids.get(piece[cut:])
                if left is not None and right is not None:
                    t.merges.append((left, right, rank, i))
    t.hidden = [character.encode() for character in hidden]
