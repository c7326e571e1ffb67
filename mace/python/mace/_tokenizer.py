"""Tokenizers: text to the tokens of a language model, and back.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Callable, Union

from mace._errors import InvalidArgumentError
from mace._library import check, encoded, encoded_path, ffi, lib, owned, words


def numbers(ids: Any, what: str) -> Any:
    """Tokens for C. Raises InvalidArgumentError."""
    try:
        return ffi.new("int32_t[]", [int(i) for i in ids])
    except (TypeError, ValueError, OverflowError) as e:
        raise InvalidArgumentError(f"{what}: a list of numbers of tokens: {e}") from e


def elements(kind: str, function: Callable[..., int], *arguments: Any) -> list[Any]:
    """What a function stores in an array of its own, whose length is its last argument."""
    found, count = ffi.new(f"{kind} **"), ffi.new("size_t *")
    check(function(*arguments, found, count))
    try:
        return [] if found[0] == ffi.NULL else ffi.unpack(found[0], count[0])
    finally:
        lib.mace_free(ffi.cast("char *", found[0]))


class TokenStream:
    """The text of tokens that arrive one by one: whole characters only, which together are what
    Tokenizer.decode returns. Each thread needs one of its own."""

    def __init__(self, tokenizer: Tokenizer, skip_special_tokens: bool = True) -> None:
        with tokenizer.handle as pointer:
            self.handle = owned("token_stream", lib.mace_token_stream_create, pointer,
                                bool(skip_special_tokens), what="stream")

    def add(self, token: int) -> str:
        """What is known of the text now, which may be ''."""
        (number,) = numbers([token], "token")
        with self.handle as stream:
            return words(lib.mace_token_stream_add, stream, number)

    def finish(self) -> str:
        """U+FFFD for a character that was not completed, else ''. A new text begins."""
        with self.handle as stream:
            return words(lib.mace_token_stream_finish, stream)


class Tokenizer:
    """A vocabulary and its rules, from the file that `converter.py tokenizer` makes. It does not
    change, so that threads may share it."""

    def __init__(self, file: Union[str, os.PathLike[str]]) -> None:
        """Maps the file. Raises MaceError."""
        self.handle = owned("tokenizer", lib.mace_tokenizer_load, encoded_path(file))

    @classmethod
    def from_bytes(cls, data: Any) -> Tokenizer:
        """The same from memory, which is copied."""
        tokenizer = cls.__new__(cls)
        try:
            held = ffi.from_buffer(data)
        except (TypeError, BufferError) as e:
            raise InvalidArgumentError(f"data is bytes or an array: {e}") from e
        tokenizer.handle = owned("tokenizer", lib.mace_tokenizer_load_memory, held, len(held))
        return tokenizer

    def encode(self, text: str, *, add_special_tokens: bool = True,
               parse_special_tokens: bool = True) -> list[int]:
        """The tokens of a text. `add_special_tokens`: those that the model expects around it.
        `parse_special_tokens`: whether special tokens that are written in the text become these;
        False for what users write who must not end their turn so."""
        if not isinstance(text, str):
            raise InvalidArgumentError(f"text: a str, not {type(text).__name__}")
        data = text.encode("utf-8", "surrogatepass")  # what is no character becomes U+FFFD
        with self.handle as pointer:
            return elements("int32_t", lib.mace_tokenizer_encode, pointer, data, len(data),
                            bool(add_special_tokens), bool(parse_special_tokens))

    def decode(self, tokens: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        ids = numbers(tokens, "tokens")
        with self.handle as pointer:
            return words(lib.mace_tokenizer_decode, pointer, ids, len(ids),
                         bool(skip_special_tokens))

    def find_token(self, text: str) -> int:
        """The token with this text, or -1."""
        with self.handle as pointer:
            return int(lib.mace_tokenizer_find_token(pointer, encoded(text)))

    @property
    def vocab_size(self) -> int:
        """Tokens are the numbers below it."""
        with self.handle as pointer:
            return int(lib.mace_tokenizer_vocab_size(pointer))

    @property
    def bos(self) -> int:
        """The token that begins a text, or -1."""
        with self.handle as pointer:
            return int(lib.mace_tokenizer_bos(pointer))

    @property
    def eos(self) -> int:
        """The token that ends a text, or -1."""
        with self.handle as pointer:
            return int(lib.mace_tokenizer_eos(pointer))

    def close(self) -> None:
        """Frees the tokenizer, once its streams and generators are closed."""
        self.handle.close()

    def __enter__(self) -> Tokenizer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # The last, as it hides the decorator.
    def property(self, name: str) -> str:
        """What the converter noted by this name, such as 'chat_template', or ''."""
        with self.handle as pointer:
            return words(lib.mace_tokenizer_property, pointer, encoded(name))
