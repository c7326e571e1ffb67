"""The regular expressions by which tokenizers split, and the steps that stand for them.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.tokenizers.tokenizer_file import Step

_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LINES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_DIGITS = {1: r"\p{N}", 3: r"\p{N}{1,3}", 0: r"\p{N}+"}

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _llama3(digits: str, marks: bool = False) -> str:
    words, others = (r"[\p{L}\p{M}]+", r"[^\s\p{L}\p{M}\p{N}]+") if marks else (
        r"\p{L}+", r"[^\s\p{L}\p{N}]+")
    return rf"{_ENDINGS}|{_BEFORE}{words}|{digits}| ?{others}[\r\n]*{_LINES}"


def _gpt4o(digits: str, endings: str) -> str:
    return (rf"{_BEFORE}{_UPPER}*{_LOWER}+{endings}|{_BEFORE}{_UPPER}+{_LOWER}*{endings}|{digits}"
            rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*{_LINES}")


# Expression -> step and its values.
PATTERNS: dict[str, tuple[Step, int, int]] = {GPT2: (Step.GPT2, 0, 0)}
for _most, _digits in _DIGITS.items():
    PATTERNS[_llama3(_digits)] = (Step.LLAMA3, _most, 0)
    PATTERNS[_llama3(_digits, marks=True)] = (Step.LLAMA3, _most, 1)
    PATTERNS[_gpt4o(_digits, "")] = (Step.GPT4O, _most, 0)
    PATTERNS[_gpt4o(_digits, f"{_ENDINGS}?")] = (Step.GPT4O, _most, 1)

# By the name that GGUF has for the steps of a vocabulary (tokenizer.ggml.pre).
_LLAMA3 = [(Step.LLAMA3, 3, 0)]
_QWEN = [(Step.LLAMA3, 1, 0)]
_STARCODER = [(Step.DIGITS, 1, 0), (Step.GPT2, 0, 0)]
GGUF: dict[str, list[tuple[Step, int, int]]] = {
    "gpt-2": [(Step.GPT2, 0, 0)], "olmo": [(Step.GPT2, 0, 0)],
    "llama-bpe": _LLAMA3, "llama3": _LLAMA3, "llama-v3": _LLAMA3, "smaug-bpe": _LLAMA3,
    "qwen2": _QWEN, "stablelm2": _QWEN, "deepseek-r1-qwen": _QWEN,
    "qwen35": [(Step.LLAMA3, 1, 1)],
    "smollm": _STARCODER, "starcoder": _STARCODER, "refact": _STARCODER,
    "tekken": [(Step.GPT4O, 1, 0)], "gpt-4o": [(Step.GPT4O, 3, 1)],
}  # fmt: skip
