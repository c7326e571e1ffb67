"""The alphabet in which byte-level BPE writes bytes as printable characters.

SPDX-License-Identifier: Apache-2.0

Bytes that are printable in Latin-1 are themselves; the other 68 follow from U+0100 on.
"""

from mace_tools.convert.tokenizers.tokenizer_file import Token, Tokenizer

_PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
_OTHERS = [byte for byte in range(256) if byte not in _PLAIN]
CHARACTERS = {byte: chr(byte) for byte in _PLAIN} | {
    byte: chr(0x100 + i) for i, byte in enumerate(_OTHERS)}
BYTES = {character: byte for byte, character in CHARACTERS.items()}


def to_bytes(text: str) -> bytes | None:
    """The bytes that a token stands for; None if it has characters outside of the alphabet."""
    found = [BYTES.get(character) for character in text]
    return None if None in found else bytes(byte for byte in found if byte is not None)


def decode_tokens(t: Tokenizer, texts: list[str]) -> None:
    """Replaces the texts of the tokens of a model by their bytes, and finds the token of each
    byte."""
    for i, text in enumerate(texts):
        if not t.kinds[i] & Token.IN_MODEL:
            continue
        found = to_bytes(text)
        if found is None:  # no text can become it, except by merges
            t.kinds[i] &= ~Token.IN_MODEL
        else:
            t.texts[i] = found
    ids = {text: i for i, text in enumerate(texts) if t.kinds[i] & Token.IN_MODEL}
    t.bytes_of = [ids.get(CHARACTERS[byte]) for byte in range(256)]
