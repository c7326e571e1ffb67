"""Compares tokens and texts with those of tokenizers and sentencepiece.

SPDX-License-Identifier: Apache-2.0

Small vocabularies with the components of public ones are trained by these libraries, converted, and
given random strings of many scripts, every fourth broken UTF-8 where the library takes it.

  test/tokenizers/run.sh 100000            that many strings, for each of 26 tokenizers
  test/tokenizers/run.sh 2000 llama3 t5    for these
  test/tokenizers/run.sh --write           writes cases/, which the tests of the quick ring compare
  test/tokenizers/run.sh --unicode         code points that tokenizers classifies otherwise
"""

import base64
import json
import random
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pipelines
import sentencepiece
import strings
from tokenizers import Regex, normalizers

from mace_tools.convert.tokenizers import convert, unicode_tables

HERE = Path(__file__).parent
MACE_RUN = HERE.parents[1] / "bazel-bin/tools/mace_run/mace_run"
MAX_CASE = 100_000  # bytes of a vocabulary
PER_RUN = 20000  # strings in memory at once


class Judge:
    """A tokenizer of a library: its file, and what it makes of texts."""

    def __init__(self, name: str, folder: Path) -> None:
        self.is_sentencepiece = name in pipelines.SENTENCEPIECE
        if self.is_sentencepiece:
            self.file = folder / f"{name}.model"
            self.file.write_bytes(pipelines.sentencepiece_model(name, folder))
            self.processor = sentencepiece.SentencePieceProcessor(model_file=str(self.file))
        else:
            self.file = folder / f"{name}.json"
            self.tokenizer = pipelines.TOKENIZERS[name]()
            self.tokenizer.save(str(self.file))

    def encode(self, text: bytes) -> list[int]:
        if self.is_sentencepiece:
            return list(self.processor.encode(text))
        return list(self.tokenizer.encode(text.decode()).ids)

    def decode(self, ids: list[int]) -> str:
        if self.is_sentencepiece:
            return str(self.processor.decode(ids))
        return str(self.tokenizer.decode(ids))

    def text(self, r: random.Random, number: int) -> bytes:
        found = strings.text(r)
        if self.is_sentencepiece and number % 4 == 3:
            return strings.broken(r, found).replace(b"\0", b"")
        return found.replace("\0", "").encode()


def of_mace(tokenizer: Path, texts: list[bytes], plain: bool) -> list[dict]:
    """What mace_run prints of texts: a line of JSON each."""
    done = subprocess.run(
        [MACE_RUN, f"--tokenizer={tokenizer}", "--tokenize=-", *["--plain_text"] * plain],
        input=b"\0".join(texts), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(name: str, count: int, folder: Path) -> int:
    """The number of strings that differ; prints the first ones."""
    judge = Judge(name, folder)
    file = folder / f"{name}.tokenizer"
    file.write_bytes(convert.tokenizer_file(judge.file))
    r, wrong = random.Random(99), 0
    for first in range(0, count, PER_RUN):
        texts = [judge.text(r, i) for i in range(first, min(first + PER_RUN, count))]
        for text, found in zip(texts, of_mace(file, texts, judge.is_sentencepiece), strict=True):
            ids = judge.encode(text)
            expected = {"tokens": ids, "text": judge.decode(ids)}
            if found != expected:
                wrong += 1
                if wrong <= 3:
                    print(f"  {text!r}\n    {expected}\n    {found}")
    print(f"{name}: {count} strings, {wrong} differ", flush=True)
    return wrong


def write_case(name: str, folder: Path) -> None:
    """A vocabulary, texts, and what the library makes of them."""
    judge = Judge(name, folder)
    r = random.Random(5)
    texts = [judge.text(r, i) for i in range(40)]
    ids = [judge.encode(text) for text in texts]
    source = judge.file.read_bytes()
    if len(source) > MAX_CASE:  # Unicode's normalization as a table of SentencePiece
        return
    case = {
        "source": base64.b64encode(source).decode() if judge.is_sentencepiece
        else json.loads(source),
        "texts": [text.decode("utf-8", "surrogateescape") for text in texts],
        "tokens": ids, "decoded": [judge.decode(row) for row in ids],
    }  # fmt: skip
    path = HERE / "cases" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(case, ensure_ascii=True, separators=(",", ":")) + "\n")


def print_unicode_differences() -> None:
    """Ranges of code points, with what tokenizers and Python find."""
    every = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    questions: dict[str, tuple[Callable[[str], bool], Callable[[str], bool]]] = {}
    for kind in "LNMPZ":
        replace = normalizers.Replace(Regex(rf"\p{{{kind}}}"), "")
        questions[rf"\p{{{kind}}}"] = (
            lambda c, replace=replace: replace.normalize_str(c) == "",
            lambda c, kind=kind: unicodedata.category(c).startswith(kind))
    for form, own in (("NFC", normalizers.NFC()), ("NFKC", normalizers.NFKC()),
                      ("NFD", normalizers.NFD()), ("lower", normalizers.Lowercase())):
        questions[form] = (
            lambda c, own=own: own.normalize_str(c) != c,
            lambda c, form=form: (c.lower() if form == "lower" else
                                  unicodedata.normalize(form, c)) != c)
    for name, (theirs, ours) in questions.items():
        differ = [ord(c) for c in every if theirs(c) != ours(c)]
        print(f"{name} (tokenizers, Unicode {unicode_tables.VERSION}): {len(differ)} differ")
        print("  " + " ".join(_ranges(differ)))


def _ranges(points: list[int]) -> list[str]:
    found: list[list[int]] = []
    for c in points:
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return [f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in found]


def main(arguments: list[str]) -> int:
    if arguments == ["--unicode"]:
        print_unicode_differences()
        return 0
    write = arguments[:1] == ["--write"]
    names = arguments[1:] or [*pipelines.TOKENIZERS, *pipelines.SENTENCEPIECE]
    with tempfile.TemporaryDirectory() as folder:
        if write:
            for name in names:
                write_case(name, Path(folder))
            return 0
        wrong = [compare(name, int(arguments[0]), Path(folder)) for name in names]
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
