"""Generators: text from a language model, token by token.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Optional, TypedDict, Union

import numpy as np

from mace import _settings
from mace._engine import Cancellation, Settings
from mace._errors import InvalidArgumentError
from mace._library import (
    check,
    created,
    encoded,
    encoded_path,
    ffi,
    lib,
    names_of,
    owned,
    text,
    words,
)
from mace._model import Model, PathLike
from mace._tokenizer import Tokenizer, elements, numbers

if TYPE_CHECKING:
    from typing_extensions import Unpack

Messages = Sequence[Mapping[str, str]]


class FinishReason(enum.IntEnum):
    """Why a generation ended."""

    STOP_TOKEN = 0
    STOP_STRING = 1
    LENGTH = 2  # max_new_tokens
    CONTEXT = 3  # the model's context is full
    CALLBACK = 4  # on_text returned False
    CANCELLED = 5
    DEADLINE = 6


@dataclass(frozen=True)
class GenerationStats:
    """How fast a generation was."""

    prompt_tokens: int
    reused_tokens: int  # of them: computed by earlier calls
    new_tokens: int
    first_token_ms: float
    total_ms: float
    prompt_tokens_per_second: float
    new_tokens_per_second: float  # after the first
    memory_bytes: int  # of the engine; 0: unknown


@dataclass(frozen=True)
class Generation:
    """What a generator made of a prompt."""

    text: str
    tokens: list[int]
    finish_reason: FinishReason
    stats: GenerationStats


class GenerationOptions(TypedDict, total=False):
    """The keywords of Generator.generate and Generator.chat."""

    max_new_tokens: int  # 256
    recommended: bool  # sample as the makers of the model recommend, instead of what follows
    temperature: float  # 0: greedy
    top_k: int  # 0: all
    top_p: float  # 1: all
    min_p: float  # 0: all
    repetition_penalty: float  # 1: none
    penalty_tokens: int  # the last ones that count; 0: all
    seed: int  # the same gives the same text
    logit_bias: Mapping[int, float]  # is added to logits, by token
    stop: Sequence[str]  # texts that end a generation and are not part of it
    stop_tokens: Sequence[int]  # besides those of the tokenizer
    ignore_stop_tokens: bool  # those of the tokenizer
    cancellation: Optional[Cancellation]  # ends it from another thread, or in time
    # Gets parts; False ends it. Must not call the generator, which waits for its end.
    on_text: Optional[Callable[[str], Optional[bool]]]


_SAMPLING = {"temperature": 0.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
_PENALTY = {"repetition_penalty": 1.0, "penalty_tokens": 0}


class _Options:
    """A mace_generation_options_t, and what the callback raised."""

    def __init__(self, given: GenerationOptions, generator: Any) -> None:
        unknown = set(given) - set(GenerationOptions.__annotations__)
        if unknown:
            raise InvalidArgumentError(f"no option is called {', '.join(sorted(unknown))}; they "
                                       f"are {', '.join(GenerationOptions.__annotations__)}")
        self.raised: Optional[BaseException] = None
        self._on_text = given.get("on_text")
        self._called = ffi.callback("bool(void *, const char *, size_t)", self._part, error=False)
        self.handle = owned("generation_options", lib.mace_generation_options_create,
                            what="options")
        with self.handle as pointer:
            try:
                self._set(pointer, given, generator)
            except (TypeError, OverflowError) as e:
                raise InvalidArgumentError(f"an option is of a wrong type: {e}") from e

    def _set(self, o: Any, given: Mapping[str, Any], generator: Any) -> None:
        sampling = {**_SAMPLING, **{k: v for k, v in given.items() if k in _SAMPLING}}
        penalty = {**_PENALTY, **{k: v for k, v in given.items() if k in _PENALTY}}
        check(lib.mace_generation_options_set_sampling(o, *sampling.values(),
                                                       given.get("seed", 0)))
        check(lib.mace_generation_options_set_repetition_penalty(o, *penalty.values()))
        if given.get("recommended"):
            own = sorted(set(given) & {*_SAMPLING, "repetition_penalty"})
            if own:
                raise InvalidArgumentError(f"recommended=True leaves no choice of {own[0]}")
            check(lib.mace_generation_options_set_recommended(o, generator))
        check(lib.mace_generation_options_set_max_new_tokens(o, given.get("max_new_tokens", 256)))
        for token, bias in dict(given.get("logit_bias") or {}).items():
            check(lib.mace_generation_options_set_logit_bias(o, token, bias))
        if isinstance(given.get("stop"), str):
            raise InvalidArgumentError(f"stop: a list of texts; write [{given['stop']!r}]")
        for word in given.get("stop") or ():
            check(lib.mace_generation_options_add_stop(o, encoded(word)))
        for token in given.get("stop_tokens") or ():
            check(lib.mace_generation_options_add_stop_token(o, token))
        check(lib.mace_generation_options_set_ignore_stop_tokens(
            o, bool(given.get("ignore_stop_tokens"))))
        if self._on_text is not None:
            check(lib.mace_generation_options_set_on_text(o, self._called, ffi.NULL))

    def _part(self, _: Any, part: Any, size: int) -> bool:
        try:
            assert self._on_text is not None
            return self._on_text(ffi.unpack(part, size).decode("utf-8", "replace")) is not False
        except BaseException as e:
            self.raised = e
            return False


class Generator:
    """One sequence of tokens in a language model. A prompt that begins as the sequence does is
    computed from where it differs. Any thread may call it; calls run one after the other.

        generator = mace.Generator("net.pb", "net.tokenizer")
        generator.generate("Once upon", on_text=lambda part: print(part, end="", flush=True))
    """

    def __init__(self, model: Union[Model, PathLike], tokenizer: Union[Tokenizer, PathLike], *,
                 device: str = "cpu", **settings: Unpack[Settings]) -> None:
        """`model` and `tokenizer` may be shared with other generators. Raises MaceError."""
        loaded = model if isinstance(model, Model) else Model(model)
        known = tokenizer if isinstance(tokenizer, Tokenizer) else Tokenizer(tokenizer)
        with loaded.handle as m, known.handle as t, _settings.config(device, settings) as config:
            self.handle = owned("generator", lib.mace_generator_create, m, t, config,
                                kept=(settings.get("arena"), settings.get("gpu_context")))

    def generate(self, prompt: Union[str, Sequence[int]],
                 **options: Unpack[GenerationOptions]) -> Generation:
        """Continues a text, or tokens. Greedy unless options choose otherwise. One that is
        cancelled, or meets its deadline, returns the text so far. Raises MaceError, and what
        `on_text` raises."""
        if isinstance(prompt, str):
            return self._generate(options, lib.mace_generator_generate, encoded(prompt))
        ids = numbers(prompt, "prompt")
        return self._generate(options, lib.mace_generator_generate_from_tokens, ids, len(ids))

    def chat(self, messages: Messages, **options: Unpack[GenerationOptions]) -> Generation:
        """Answers the last of messages such as {"role": "user", "content": "Hello!"}, by the chat
        template of the tokenizer."""
        roles, contents, kept = _columns(messages)
        made = self._generate(options, lib.mace_generator_chat, roles, contents, len(messages))
        del kept
        return made

    def render_chat(self, messages: Messages) -> str:
        """The prompt that chat makes of messages."""
        roles, contents, kept = _columns(messages)
        with self.handle as pointer:
            prompt = words(lib.mace_generator_render_chat, pointer, roles, contents, len(messages))
        del kept
        return prompt

    def _generate(self, given: GenerationOptions, function: Callable[..., int],
                  *prompt: Any) -> Generation:
        cancellation = given.get("cancellation")
        if cancellation is not None and not isinstance(cancellation, Cancellation):
            raise InvalidArgumentError(f"cancellation: a Cancellation, not {cancellation!r}")
        with self.handle as generator:
            options = _Options(given, generator)
            with options.handle as o:
                if cancellation is None:
                    made = created("mace_generation_t", function, generator, *prompt, o)
                else:
                    with cancellation.handle as ends:
                        check(lib.mace_generation_options_set_cancellation(o, ends))
                        made = created("mace_generation_t", function, generator, *prompt, o)
        try:
            if options.raised is not None:
                raise options.raised
            return _generation(made)
        finally:
            lib.mace_generation_destroy(made)

    def perplexity(self, text: str) -> float:
        """exp(mean negative log likelihood) of the tokens of a text. The sequence becomes it."""
        found = ffi.new("double *")
        with self.handle as pointer:
            check(lib.mace_generator_perplexity(pointer, encoded(text), found))
        return float(found[0])

    def embed(self, text: str, tensor: str) -> np.ndarray:
        """The mean over the tokens of a text of a tensor [1, tokens, size] of the model, with a
        length of 1. Not for a generator with `arena`, whose memory one engine uses."""
        with self.handle as pointer:
            return np.array(elements("float", lib.mace_generator_embed, pointer, encoded(text),
                                     encoded(tensor)), np.float32)

    def reset(self) -> None:
        """Forgets the sequence."""
        with self.handle as pointer:
            check(lib.mace_generator_reset(pointer))

    def save(self, file: Union[str, os.PathLike[str]]) -> None:
        """Writes the sequence and the states of the model."""
        with self.handle as pointer:
            check(lib.mace_generator_save(pointer, encoded_path(file)))

    def restore(self, file: Union[str, os.PathLike[str]]) -> None:
        """Reads what `save` wrote with the same model and tokenizer. Raises InvalidModelError for
        another file, and then the sequence is as before."""
        with self.handle as pointer:
            check(lib.mace_generator_restore(pointer, encoded_path(file)))

    @property
    def tokens(self) -> list[int]:
        """Those whose keys and values the model holds."""
        with self.handle as pointer:
            return elements("int32_t", lib.mace_generator_tokens, pointer)

    @property
    def context_length(self) -> int:
        """The most tokens of a sequence, or -1."""
        with self.handle as pointer:
            return int(lib.mace_generator_context_length(pointer))

    def close(self) -> None:
        """Frees the generator. Later calls raise ClosedError."""
        self.handle.close()

    def __enter__(self) -> Generator:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _columns(messages: Messages) -> tuple[Any, Any, Any]:
    """The roles and the contents for C, and what must be kept while they are used."""
    try:
        roles, contents = ([message[key] for message in messages] for key in ("role", "content"))
    except (TypeError, KeyError) as e:
        raise InvalidArgumentError("messages: a list of {'role': 'user', 'content': 'Hello!'}, "
                                   f"not {messages!r}") from e
    first, second = names_of(roles), names_of(contents)
    return first[0], second[0], (first[2], second[2])


def _generation(made: Any) -> Generation:
    count = ffi.new("size_t *")
    tokens = lib.mace_generation_tokens(made, count)
    stats = [lib.mace_generation_stat(made, k) for k in range(8)]
    return Generation(
        text(lib.mace_generation_text(made)), ffi.unpack(tokens, count[0]) if count[0] else [],
        FinishReason(lib.mace_generation_finish_reason(made)),
        GenerationStats(int(stats[0]), int(stats[1]), int(stats[2]), *stats[3:7], int(stats[7])))
