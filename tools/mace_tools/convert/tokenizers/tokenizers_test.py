"""Tokenizers of three formats against what their own libraries make of texts.

SPDX-License-Identifier: Apache-2.0

test/tokenizers/run.sh --write made the cases, with tokenizers 0.23.3 and sentencepiece 0.2.3, and
compares any number of further strings.
"""

import base64
import copy
import json
import random
import re
import shutil
import struct
import subprocess

import pytest

from mace_tools import cli
from mace_tools.convert.tokenizers import convert, hugging_face, patterns
from mace_tools.convert.tokenizers.gguf_vocabulary import of_metadata
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.errors import ModelError, Unsupported
from mace_tools.support.protos import REPO

CASES = sorted((REPO / "test" / "tokenizers" / "cases").glob("*.json"))
needs_bazel = pytest.mark.skipif(shutil.which("bazel") is None, reason="bazel is not installed")


@pytest.fixture(scope="module")
def mace_run():
    return runner.find(Console(), None)


def tokens_of(mace_run, file, texts, *flags):
    done = subprocess.run([mace_run, f"--tokenizer={file}", "--tokenize=-", *flags],
                          input=b"\0".join(texts), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


@needs_bazel
@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_tokens_and_texts_are_those_of_the_library(tmp_path, mace_run, path):
    case = json.loads(path.read_text())
    is_sentencepiece = isinstance(case["source"], str)
    source = tmp_path / ("tokenizer.model" if is_sentencepiece else "tokenizer.json")
    source.write_bytes(base64.b64decode(case["source"]) if is_sentencepiece
                       else json.dumps(case["source"]).encode())
    assert cli.main(["tokenizer", str(source)]) == 0
    texts = [text.encode("utf-8", "surrogateescape") for text in case["texts"]]
    found = tokens_of(mace_run, tmp_path / "tokenizer.tokenizer", texts,
                      *["--plain_text"] * is_sentencepiece)
    assert [row["tokens"] for row in found] == case["tokens"]
    assert [row["text"] for row in found] == case["decoded"]


@pytest.fixture(scope="module")
def document():
    """A tokenizer.json."""
    return json.loads((REPO / "test/tokenizers/cases/llama3.json").read_text())["source"]


@pytest.mark.parametrize("change, message", [
    ({"pre_tokenizer": {"type": "UnicodeScripts"}}, "pre_tokenizer 'UnicodeScripts'"),
    ({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a+"}, "behavior": "Isolated"}},
     "the expression 'a\\+'"),
    ({"normalizer": {"type": "Nmt"}}, "normalizer 'Nmt'"),
    ({"normalizer": {"type": "Replace", "pattern": {"Regex": "x"}, "content": ""}},
     "normalizer Replace: the expression 'x'"),
    ({"decoder": {"type": "CTC"}}, "decoder 'CTC'"),
    ({"decoder": None, "pre_tokenizer": None}, "decoder null"),
    ({"post_processor": {"type": "Other"}}, "post_processor 'Other'"),
    ({"model": {"type": "WordLevel", "vocab": {}}}, "model 'WordLevel'"),
])
def test_unknown_components_are_refused_by_name(document, change, message):
    with pytest.raises(Unsupported, match=message):
        hugging_face.of_json({**document, **change})


@pytest.mark.parametrize("change, message", [
    (lambda d: d["model"]["vocab"].update(a=-1), "has the number -1"),
    (lambda d: d["model"]["vocab"].update(a=1 << 30), "which is no number of a token"),
    (lambda d: d["model"]["merges"].append(["no", "such"]), "is not in the vocabulary"),
    (lambda d: d.pop("model"), "it has no 'model'"),
    (lambda d: d["post_processor"]["special_tokens"].clear(), "has no tokens"),
])
def test_vocabularies_that_contradict_themselves_are_refused(document, change, message):
    changed = copy.deepcopy(document)
    change(changed)
    with pytest.raises(ModelError, match=message):
        hugging_face.of_json(changed)


def test_what_the_reader_would_refuse_is_refused(tmp_path, document, capsys):
    document = copy.deepcopy(document)
    document["model"]["vocab"]["a" * 3000] = max(document["model"]["vocab"].values()) + 1
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    assert cli.main(["tokenizer", str(tmp_path / "tokenizer.json")]) == 3
    assert "has 3000 bytes, at most 2048 are read: b'aaa" in capsys.readouterr().err


@pytest.mark.parametrize("contents", [
    b"", b"{", b"[]", b'{"model": 1}', b"\xff\xff", b"GGUF", b"GGUF\x03\0\0\0" + b"\xff" * 16,
    b'{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [1]}}',
    b'{"model": {"type": "Unigram", "vocab": [1]}}',
])
def test_damaged_files_give_a_message(tmp_path, capsys, contents):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(contents)
    assert cli.main(["tokenizer", str(path)]) in (1, 3, 4)
    assert str(path) in capsys.readouterr().err
    assert not (tmp_path / "tokenizer.tokenizer").exists()


def test_what_lies_beside_tokenizer_json_is_read(tmp_path, document):
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(
        {"bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": "old"}))
    (tmp_path / "generation_config.json").write_text(json.dumps(
        {"eos_token_id": [2, 1], "temperature": 0.6, "top_k": 20}))
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    t = convert.read(tmp_path / "tokenizer.json")
    assert (t.bos, t.eos, t.stops) == (0, 1, [2, 1])
    assert t.properties["chat_template"] == "{{ messages }}"
    assert (t.properties["temperature"], t.properties["top_k"]) == ("0.6", "20")


VALUES = (None, -1, 0, 1 << 70, 0.5, float("inf"), "", "x", True, [], [[]], {}, "\0", "n" * 5000,
          "\ud800", ["x"], {"a": 1})


def mutated(data, rng):
    """A copy with another value or another key somewhere, and at which place."""
    whole = copy.deepcopy(data)
    part, key = whole, rng.choice(list(whole))
    while isinstance(part[key], (dict, list)) and part[key] and rng.random() < 0.7:
        part = part[key]
        key = rng.choice(list(part) if isinstance(part, dict) else range(len(part)))
    part[key] = rng.choice(VALUES)
    return whole


@pytest.mark.parametrize("name", ["tokenizer", "tokenizer_config", "generation_config"])
def test_wrong_types_are_refused_with_a_message(tmp_path, name):
    """The checkpoint that the repository has, with other values in its files."""
    folder, rng = tmp_path / "m", random.Random(3)
    shutil.copytree(REPO / "models" / "verses", folder,
                    ignore=shutil.ignore_patterns("*.safetensors"))
    path = folder / f"{name}.json"
    data, refused = json.loads(path.read_text()), 0
    for _ in range(60):
        path.write_text(json.dumps(mutated(data, rng)))
        try:
            convert.tokenizer_file(folder / "tokenizer.json")
        except (ModelError, Unsupported) as e:
            assert str(folder / "tokenizer.json") in str(e)
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("name, change, message", [
    ("generation_config", {"temperature": "warm"},
     'generation_config.json: temperature is "warm"; it is a number from 0 on'),
    ("generation_config", {"top_k": 1.5}, "top_k is 1.5; it is a whole number from 0 on"),
    ("generation_config", {"do_sample": "no"}, "'do_sample' is \"no\"; it is true or false"),
    ("generation_config", {"eos_token_id": "x"}, 'eos_token_id is "x", which is no number'),
    ("tokenizer_config", {"eos_token": "<none>"},
     'tokenizer_config.json: eos_token is "<none>", which is no token of tokenizer.json'),
    ("tokenizer_config", {"chat_template": 5}, "chat_template is 5; it is a text or a list"),
    ("tokenizer_config", [], "tokenizer_config.json' is no JSON object"),
])
def test_wrong_values_beside_tokenizer_json_are_refused(tmp_path, document, name, change, message):
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    (tmp_path / f"{name}.json").write_text(json.dumps(change))
    with pytest.raises(ModelError, match=re.escape(message)):
        convert.tokenizer_file(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("change, message", [
    (lambda d: d["model"].update(ignore_merges="no"), "'ignore_merges' is \"no\""),
    (lambda d: d["added_tokens"][0].update(special=1), "'special' is 1; it is true or false"),
    (lambda d: d["model"]["merges"].append("ab"), 'is "ab", which is no pair of tokens'),
])
def test_wrong_types_in_tokenizer_json_are_refused(document, change, message):
    changed = copy.deepcopy(document)
    change(changed)
    with pytest.raises(ModelError, match=message):
        hugging_face.of_json(changed)


def gguf_file(path, keys):
    """Writes string and array keys as GGUF."""
    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    def value(v):
        if isinstance(v, str):
            return struct.pack("<I", 8) + string(v)
        if isinstance(v, bool):
            return struct.pack("<IB", 7, v)
        if isinstance(v, int):
            return struct.pack("<II", 4, v)
        kind = {str: 8, int: 5, float: 6}[type(v[0])]
        items = b"".join(string(x) if kind == 8 else struct.pack("<i" if kind == 5 else "<f", x)
                         for x in v)
        return struct.pack("<IIQ", 9, kind, len(v)) + items

    body = b"".join(string(k) + value(v) for k, v in keys.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys)) + body)


SPM = {"tokenizer.ggml.model": "llama",
       "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)),
                                 "\u2581", "a", "b", "ab", "\u2581ab"],
       "tokenizer.ggml.scores": [0.0] * 261 + [0.0, 0.0, -1.0, -2.0],
       "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256, 1, 1, 1, 1, 1],
       "tokenizer.chat_template": "{{ bos_token }}"}  # fmt: skip
SPM["tokenizer.ggml.scores"] = [0.0] * 259 + [-3.0, -4.0, -5.0, -1.0, -2.0]


@needs_bazel
@pytest.mark.parametrize("unused", [0, 3000])
def test_gguf_vocabularies_of_sentencepiece(tmp_path, mace_run, unused):
    padding = {"tokens": [""] * unused, "scores": [0.0] * unused, "token_type": [5] * unused}
    gguf_file(tmp_path / "m.gguf", SPM | {f"tokenizer.ggml.{key}":
                                          SPM[f"tokenizer.ggml.{key}"] + more
                                          for key, more in padding.items()})
    assert cli.main(["tokenizer", str(tmp_path / "m.gguf")]) == 0
    texts = ["ab ab", "abé", "</s>ab"]
    found = tokens_of(mace_run, tmp_path / "m.tokenizer", [text.encode() for text in texts])
    assert [row["tokens"] for row in found] == [
        [1, 263, 263], [1, 263, 3 + 0xC3, 3 + 0xA9], [1, 2, 263]]
    assert [row["text"] for row in found] == ["ab ab", "abé", "ab"]


@pytest.mark.parametrize("change, message", [
    ({"tokenizer.ggml.model": "rwkv"}, "model 'rwkv'"),
    ({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "other"}, "pre 'other'"),
    ({"tokenizer.ggml.scores": [0.0]}, "need as many numbers"),
    ({"tokenizer.ggml.token_type": [1.5] * 264}, "need as many numbers"),
    ({"tokenizer.ggml.tokens": []}, "tokens is absent"),
])
def test_gguf_vocabularies_that_are_refused(change, message):
    with pytest.raises((ModelError, Unsupported), match=message):
        of_metadata({**SPM, **change})


def test_patterns_are_those_of_the_public_tokenizers():
    """As tokenizer.json of these models writes them."""
    for pattern in (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+"
        r"[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",  # Llama 3
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+",  # Qwen 2 and 3
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",  # GPT-2
    ):
        assert pattern in patterns.PATTERNS
