"""Vocabularies of GGUF: the keys `tokenizer.*` of its metadata.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from typing import Any

from mace_tools.convert.tokenizers import (
    byte_alphabet,
    hugging_face_steps,
    patterns,
    sentencepiece_model,
)
from mace_tools.convert.tokenizers.sentencepiece_model import BYTE, CONTROL, NORMAL, SPACE, USER
from mace_tools.convert.tokenizers.tokenizer_file import Flag, Model, Step, Token, Tokenizer
from mace_tools.support.errors import ModelError, Unsupported

_KEY = "tokenizer.ggml."
# Tokens that end a turn, which files do not always name.
_STOPS = ("<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "</s>",
          "<|eom_id|>", "<EOT>", "<|end_of_text|>", "<eos>")  # fmt: skip


def of_metadata(metadata: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer of a GGUF file by its keys. Errors: ModelError, Unsupported."""
    given = {key[len(_KEY):]: value for key, value in metadata.items() if key.startswith(_KEY)}
    kind = given.get("model")
    readers = {"gpt2": _byte_level, "llama": _sentencepiece, "t5": _sentencepiece, "bert": _bert}
    if kind not in readers:
        raise Unsupported(f"{_KEY}model '{kind}': the engine has {', '.join(readers)}")
    tokens = given.get("tokens")
    if not tokens:
        raise ModelError(f"{_KEY}tokens is absent")
    for name, what in (("scores", float), ("token_type", int)):
        values = given.get(name, [])
        if len(values) not in (0, len(tokens)) or not all(isinstance(v, what) for v in values):
            raise ModelError(f"{_KEY}{name}: {len(tokens)} tokens need as many numbers")
    t = readers[kind](given, [str(token) for token in tokens])
    _set_special(t, given, str(kind))
    template = metadata.get("tokenizer.chat_template")
    if isinstance(template, str):
        t.properties["chat_template"] = template
    for key, value in metadata.items():
        if key.startswith("tokenizer.chat_template."):
            t.properties[key.removeprefix("tokenizer.")] = str(value)
    t.properties["source"] = "GGUF"
    return t


def _types(given: Mapping[str, Any], count: int) -> list[int]:
    return list(given.get("token_type") or [NORMAL] * count)


def _add_special(t: Tokenizer, types: list[int]) -> None:
    """Tokens of the types 3 and 4 are found in text first."""
    for i, kind in enumerate(types):
        if kind in (CONTROL, USER):
            t.kinds[i] = Token.ADDED | (Token.SPECIAL if kind == CONTROL else Token(0))


def _byte_level(given: Mapping[str, Any], tokens: list[str]) -> Tokenizer:
    types = _types(given, len(tokens))
    t = Tokenizer(Model.BPE, Flag.BYTE_LEVEL, texts=[token.encode() for token in tokens],
                  kinds=[Token.IN_MODEL] * len(tokens))
    _add_special(t, types)
    pre = given.get("pre", "default")
    if pre not in patterns.GGUF:
        raise Unsupported(f"{_KEY}pre '{pre}': the engine has {', '.join(patterns.GGUF)}")
    for step in patterns.GGUF[pre]:
        t.add(*step)
    if pre in ("llama-bpe", "llama3", "llama-v3", "tekken"):
        t.flags |= Flag.IGNORE_MERGES
    ids = {token: i for i, token in enumerate(tokens)}
    for rank, merge in enumerate(given.get("merges") or []):
        cut = merge.find(" ", 1)
        found = [ids.get(text) for text in (merge[:cut], merge[cut + 1:],
                                            merge[:cut] + merge[cut + 1:])]
        if None in found or cut < 0:
            raise ModelError(f"{_KEY}merges: {merge!r} is not in the vocabulary")
        t.merges.append((found[0], found[1], rank, found[2]))  # type: ignore[arg-type]
    byte_alphabet.decode_tokens(t, tokens)
    return t


def _sentencepiece(given: Mapping[str, Any], tokens: list[str]) -> Tokenizer:
    types = _types(given, len(tokens))
    unigram = given["model"] == "t5"
    vocabulary = sentencepiece_model.Vocabulary(
        tokens, [float(s) for s in given.get("scores") or [0.0] * len(tokens)], types,
        model=1 if unigram else 2, byte_fallback=BYTE in types,
        charsmap=bytes(v & 255 for v in given.get("precompiled_charsmap", [])),
        dummy_prefix=bool(given.get("add_space_prefix", True)),
        single_spaces=bool(given.get("remove_extra_whitespaces", unigram)))
    t = sentencepiece_model.of_vocabulary(vocabulary)
    _add_special(t, types)
    for i, kind in enumerate(types):  # found in text that is not escaped yet
        if kind == USER:
            t.texts[i] = tokens[i].replace(SPACE, " ").encode()
    return t


def _bert(given: Mapping[str, Any], tokens: list[str]) -> Tokenizer:
    """Starts of words carry U+2581 there, and others no ##."""
    types = _types(given, len(tokens))
    texts = [token if types[i] == CONTROL else token[1:] if token.startswith(SPACE)
             else f"##{token}" for i, token in enumerate(tokens)]
    t = Tokenizer(Model.WORD_PIECE, Flag.WORD_PIECES | Flag.CLEAN_UP,
                  texts=[text.encode() for text in texts], kinds=[Token.IN_MODEL] * len(tokens))
    t.continuing = "##"
    t.max_characters = 1 << 20
    _add_special(t, types)
    hugging_face_steps.add_normalizer(t, {"type": "BertNormalizer"})
    t.add(Step.BERT)
    return t


def _set_special(t: Tokenizer, given: Mapping[str, Any], kind: str) -> None:
    defaults = {"llama": {"bos": 1, "eos": 2, "unknown": 0},
                "t5": {"eos": 1, "unknown": 2},
                "bert": {"cls": 101, "sep": 102, "unknown": 100}}.get(kind, {})

    def number(name: str, spelled: str = "") -> int | None:
        found = given.get(f"{spelled or name}_token_id", defaults.get(name))
        return int(found) if found is not None and 0 <= int(found) < len(t.texts) else None

    t.bos, t.eos, t.pad = number("bos"), number("eos"), number("padding")
    t.unknown = number("unknown") if kind != "gpt2" else None
    first, last = t.bos, t.eos
    if kind == "bert":
        first = number("cls") if number("cls") is not None else t.bos
        last = number("sep", "seperator")
    llama3 = given.get("pre") in ("llama-bpe", "llama3", "llama-v3", "tekken")
    if given.get("add_bos_token", kind in ("llama", "bert") or llama3) and first is not None:
        t.prefix = [first]
    if given.get("add_eos_token", kind in ("t5", "bert")) and last is not None:
        t.suffix = [last]
    for name, token in (("bos_token", t.bos), ("eos_token", t.eos), ("pad_token", t.pad)):
        if token is not None:
            t.properties[name] = t.texts[token].decode("utf-8", "replace")
    t.stop_at([t.eos, number("eot"), number("eom")])
    names = {name.encode() for name in _STOPS}
    t.stop_at(i for i, text in enumerate(t.texts) if text in names and t.kinds[i] & Token.ADDED)
