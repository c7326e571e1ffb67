"""The components of a tokenizer.json around its model, as steps of the engine.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, Optional

from mace_tools.convert.tokenizers import patterns, unicode_tables
from mace_tools.convert.tokenizers.tokenizer_file import BEHAVIORS, Flag, Step, Tokenizer
from mace_tools.support.errors import ModelError, Unsupported

Component = Optional[Mapping[str, Any]]
METASPACE = "\u2581"


def flag(part: Mapping[str, Any], key: str, default: bool = False) -> bool:
    value = part.get(key)
    if not isinstance(value, bool | None):
        raise ModelError(f"'{key}' is {json.dumps(value)[:60]}; it is true or false")
    return default if value is None else value


def add_normalizer(t: Tokenizer, given: Component) -> None:
    for part in _flattened(given, "normalizers"):
        _one_of("normalizer", part, _NORMALIZERS)(t, part)


def add_pre_tokenizer(t: Tokenizer, given: Component) -> bool:
    """Returns whether the model sees bytes."""
    byte_level = False
    for part in _flattened(given, "pretokenizers"):
        _one_of("pre_tokenizer", part, _PRE_TOKENIZERS)(t, part)
        byte_level |= part["type"] == "ByteLevel"
    return byte_level


def _flattened(given: Component, key: str) -> list[Mapping[str, Any]]:
    if given is None:
        return []
    if given.get("type") != "Sequence":
        return [given]
    return [part for inner in given[key] for part in _flattened(inner, key)]


def _one_of(what: str, part: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    name = part.get("type")
    if name not in known:
        raise Unsupported(f"{what} '{name}': the engine has {', '.join(known)}")
    return known[name]


def _form(mapping: str, composed: bool) -> Callable[[Tokenizer, Mapping[str, Any]], None]:
    def add(t: Tokenizer, _: Mapping[str, Any]) -> None:
        t.add(Step.DECOMPOSE, t.mapping(mapping))
        if composed:
            t.add(Step.COMPOSE)

    return add


def _lower(t: Tokenizer, _: Mapping[str, Any]) -> None:
    t.add(Step.MAP, t.mapping("lower"))


def _strip(t: Tokenizer, part: Mapping[str, Any]) -> None:
    t.add(Step.STRIP, flag(part, "strip_left", True) + 2 * flag(part, "strip_right", True))


def _strip_accents(t: Tokenizer, _: Mapping[str, Any]) -> None:
    t.add(Step.REMOVE_CATEGORIES, unicode_tables.category_mask("Mn", "Mc", "Me"))


def _replace(t: Tokenizer, part: Mapping[str, Any]) -> None:
    pattern, content = part["pattern"], part["content"]
    if "String" in pattern:
        t.add(Step.REPLACE, t.string(pattern["String"]), t.string(content))
    elif pattern.get("Regex") == " {2,}":
        t.add(Step.COLLAPSE, t.string(content))
    else:
        raise Unsupported(f"normalizer Replace: the expression {pattern.get('Regex')!r}")


def _prepend(t: Tokenizer, part: Mapping[str, Any]) -> None:
    t.add(Step.PREPEND, t.string(part["prepend"]))


def _precompiled(t: Tokenizer, part: Mapping[str, Any]) -> None:
    try:
        t.charsmap = base64.b64decode(part.get("precompiled_charsmap") or "", validate=True)
    except binascii.Error as e:
        raise ModelError(f"normalizer Precompiled: its map is no base64: {e}") from e
    if t.charsmap:
        t.add(Step.CHARSMAP)


def _bert_normalizer(t: Tokenizer, part: Mapping[str, Any]) -> None:
    lower = flag(part, "lowercase", True)
    if flag(part, "clean_text", True):
        t.add(Step.CLEAN_TEXT)
    if flag(part, "handle_chinese_chars", True):
        t.add(Step.SPACE_IDEOGRAPHS)
    if flag(part, "strip_accents", lower):
        t.add(Step.DECOMPOSE, t.mapping("canonical"))
        t.add(Step.REMOVE_CATEGORIES, unicode_tables.category_mask("Mn"))
    if lower:
        t.add(Step.MAP, t.mapping("lower"))


_NORMALIZERS = {
    "NFC": _form("canonical", True), "NFD": _form("canonical", False),
    "NFKC": _form("compatible", True), "NFKD": _form("compatible", False),
    "Lowercase": _lower, "Strip": _strip, "StripAccents": _strip_accents, "Replace": _replace,
    "Prepend": _prepend, "Precompiled": _precompiled, "BertNormalizer": _bert_normalizer,
}  # fmt: skip


def _byte_level(t: Tokenizer, part: Mapping[str, Any]) -> None:
    if flag(part, "add_prefix_space", True):
        t.add(Step.PREFIX_SPACE)
    if flag(part, "use_regex", True):
        t.add(Step.GPT2)


def _behavior(part: Mapping[str, Any]) -> int:
    name = part.get("behavior", "Isolated")
    if name not in BEHAVIORS:
        raise Unsupported(f"behavior '{name}': the engine has {', '.join(BEHAVIORS)}")
    return BEHAVIORS.index(name)


def _split(t: Tokenizer, part: Mapping[str, Any]) -> None:
    behavior, invert = _behavior(part), flag(part, "invert")
    if "String" in part["pattern"]:
        if invert:
            raise Unsupported("pre_tokenizer Split: an inverted text")
        t.add(Step.SPLIT_TEXT, t.string(part["pattern"]["String"]), behavior)
        return
    pattern = part["pattern"]["Regex"]
    if pattern not in patterns.PATTERNS:
        raise Unsupported(f"pre_tokenizer Split: the expression {pattern!r}; the engine has those "
                          "of GPT-2, Llama 3, Qwen, GPT-4o and Tekken")
    # These expressions match all of a text, so matches alone, or isolated ones, are the same.
    if (BEHAVIORS[behavior], invert) not in (("Isolated", False), ("Removed", True),
                                             ("Isolated", True)):
        raise Unsupported(f"pre_tokenizer Split: behavior '{BEHAVIORS[behavior]}' of this "
                          "expression")
    t.add(*patterns.PATTERNS[pattern])


def _metaspace(t: Tokenizer, part: Mapping[str, Any]) -> None:
    scheme = part.get("prepend_scheme")
    if scheme is None:
        scheme = "always" if flag(part, "add_prefix_space", True) else "never"
    t.add(Step.METASPACE, t.string(part.get("replacement", METASPACE)),
          ("never", "first", "always").index(scheme), flag(part, "split", True))


def _digits(t: Tokenizer, part: Mapping[str, Any]) -> None:
    t.add(Step.DIGITS, flag(part, "individual_digits"))


def _punctuation(t: Tokenizer, part: Mapping[str, Any]) -> None:
    t.add(Step.PUNCTUATION, 0, _behavior(part))


def _delimiter(t: Tokenizer, part: Mapping[str, Any]) -> None:
    t.add(Step.SPLIT_TEXT, t.string(part["delimiter"]), BEHAVIORS.index("Removed"))


_PRE_TOKENIZERS: dict[str, Callable[[Tokenizer, Mapping[str, Any]], None]] = {
    "ByteLevel": _byte_level, "Split": _split, "Metaspace": _metaspace, "Digits": _digits,
    "Punctuation": _punctuation, "CharDelimiterSplit": _delimiter,
    "Whitespace": lambda t, _: t.add(Step.WORDS),
    "WhitespaceSplit": lambda t, _: t.add(Step.WHITESPACE),
    "BertPreTokenizer": lambda t, _: t.add(Step.BERT),
}  # fmt: skip


def set_decoder(t: Tokenizer, given: Component, byte_level: bool) -> None:
    parts = _flattened(given, "decoders")
    if not parts and not byte_level:
        raise Unsupported("decoder null: tokens that are joined by spaces")
    for part in parts:
        name = part.get("type")
        if name == "ByteLevel" and byte_level or name in ("ByteFallback", "Fuse"):
            continue
        if name == "Replace" and part["pattern"] == {"String": METASPACE}:
            t.flags |= Flag.METASPACES
        elif name == "Strip" and (part["content"], part["start"], part["stop"]) == (" ", 1, 0):
            t.flags |= Flag.DROP_FIRST_SPACE
        elif name == "Metaspace" and part.get("replacement", METASPACE) == METASPACE:
            t.flags |= Flag.METASPACES
            if part.get("prepend_scheme", "always") != "never":
                t.flags |= Flag.DROP_FIRST_METASPACES
        elif name == "WordPiece":
            t.flags |= Flag.WORD_PIECES
            t.flags |= Flag.CLEAN_UP if flag(part, "cleanup", True) else Flag(0)
            t.continuing = part.get("prefix", "##")
        elif name == "BPEDecoder" and part.get("suffix", "</w>") == t.word_end:
            continue
        else:
            raise Unsupported(f"decoder '{name}' with {dict(part)}")


def set_post_processor(t: Tokenizer, given: Component) -> None:
    for part in _flattened(given, "processors"):
        name = part.get("type")
        if name == "TemplateProcessing":
            _template(t, part)
        elif name in ("BertProcessing", "RobertaProcessing"):
            t.prefix.append(part["cls"][1])
            t.suffix.append(part["sep"][1])
        elif name != "ByteLevel":
            raise Unsupported(f"post_processor '{name}': the engine has ByteLevel, BertProcessing, "
                              "RobertaProcessing, TemplateProcessing")


def _template(t: Tokenizer, part: Mapping[str, Any]) -> None:
    into = t.prefix
    for item in part["single"]:
        if "Sequence" in item:
            into = t.suffix
            continue
        name = item["SpecialToken"]["id"]
        ids = part["special_tokens"].get(name, {}).get("ids")
        if not ids:
            raise ModelError(f"post_processor TemplateProcessing: {name!r} has no tokens")
        into += ids
