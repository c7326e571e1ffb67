"""generate: the bundled decoder continues prompts, as NumPy computes its tokens.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert import importers, reference
from mace_tools.convert.importers import kv_caches
from mace_tools.convert.importers.huggingface.logits_test import empty_states
from mace_tools.convert.passes.pipeline import convert
from mace_tools.run import runner
from mace_tools.support import ndk
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import REPO
from mace_tools.testing.fake_devices import FakeDevices

pytestmark = pytest.mark.full
VERSES = REPO / "models" / "verses"
PROMPT = "And it came to pass"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A deployment file of the bundled model."""
    folder = tmp_path_factory.mktemp("generate")
    text = (VERSES / "verses.yml").read_text().replace("models/verses", str(VERSES))
    (folder / "d.yml").write_text(text)
    return folder


@pytest.fixture
def generate(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)

    def call(*flags, code=ExitCode.OK):
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        assert cli.main(["generate", "--config=d.yml", f"--json={report}", *flags]) == code
        out, err = capfd.readouterr()
        found = json.loads(report.read_text())["models"]["verses"] if report.is_file() else {}
        return out, err, found.get("generations", [])

    return call


def test_greedy_text(generate, folder):
    out, err, (made,) = generate(f"--prompt={PROMPT}", "--temperature=0", "--max_new_tokens=16")
    assert made["tokens"] == greedy(tokens_of(folder, PROMPT), 16)
    assert made["finish_reason"] == "length"
    assert out == made["text"] + "\n" and "16 new tokens" in err and "MB" in err
    assert made["new_tokens_per_second"] > 0 < made["first_token_ms"] <= made["total_ms"]


def test_sampling_as_the_model_recommends(generate):
    flags = (f"--prompt={PROMPT}", "--max_new_tokens=16")
    texts = [generate(*flags, f"--seed={seed}")[0] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    explicit = generate(*flags, "--seed=1", "--temperature=0.8", "--top_k=40", "--top_p=0.95")
    assert explicit[0] == texts[0] != generate(*flags, "--seed=1", "--temperature=2")[0]
    *_, (made,) = generate(*flags, "--temperature=0", "--stop=the ")
    assert made["finish_reason"] == "stop_string" and "the " not in made["text"]


def test_sequences_go_on_in_another_process(generate, folder):
    flags = ("--temperature=0", "--max_new_tokens=8")
    *_, (first,) = generate(f"--prompt={PROMPT}", *flags, "--save_sequence=s")
    more = f"--prompt={PROMPT}{first['text']}"
    *_, (second,) = generate(more, *flags, "--restore_sequence=s")
    *_, (fresh,) = generate(more, *flags)
    assert second["tokens"] == fresh["tokens"] and fresh["reused_tokens"] == 0
    assert second["reused_tokens"] >= first["prompt_tokens"]
    *_, both = generate(f"--prompt={PROMPT}", more, *flags)
    assert [m["tokens"] for m in both] == [first["tokens"], fresh["tokens"]]
    (folder / "s").write_bytes((folder / "s").read_bytes()[:-1])
    _, err, _ = generate(more, "--restore_sequence=s", code=ExitCode.RUN_FAILED)
    assert "saved sequence 's': its checksum is wrong" in err


def test_text_on_a_phone_and_a_board(generate, folder, monkeypatch):
    fake = FakeDevices(folder / "devices")
    monkeypatch.setenv("PATH", f"{fake.bin}:{os.environ['PATH']}")
    monkeypatch.delenv(ndk.HOME, raising=False)
    fake.phone("A1", props={"ro.product.cpu.abilist": "x86_64"})
    here = runner.find(Console(), None)
    flags = (f"--prompt={PROMPT}", "--temperature=0", "--max_new_tokens=8")
    *_, (local,) = generate(*flags)
    on_phone = (*flags, "--target_abis=x86_64", f"--mace_run={here}")
    out, err, _ = generate(*on_phone, "--save_sequence=phone")
    (place,) = json.loads((folder / "report.json").read_text())["models"]["verses"]["places"]
    assert place["name"] == "A1" and place["device"] == "cpu"
    assert place["generations"][0]["tokens"] == local["tokens"]
    assert out.startswith(local["text"] + "\n") and "A1" in out.splitlines()[-1]
    assert "8 new tokens" in err and "Text by verses on A1" in err
    assert {"prompt", "verses.pb", "verses.data", "verses.tokenizer"} < set(place["copied"])
    more = f"--prompt={PROMPT}{local['text']}"
    *_, (here_again,) = generate(more, "--restore_sequence=phone", "--max_new_tokens=1")
    assert here_again["reused_tokens"] >= local["prompt_tokens"]
    generate(more, *on_phone[1:], "--restore_sequence=phone")
    (place,) = json.loads((folder / "report.json").read_text())["models"]["verses"]["places"]
    assert place["generations"][0]["reused_tokens"] == here_again["reused_tokens"]
    _, err, _ = generate(*flags, "--target_abis=host,x86_64", "--save_sequence=s",
                         code=ExitCode.USAGE)
    assert "the model runs in 2 places, and a file holds one sequence" in err
    both = (*on_phone, "--target_abis=host,x86_64")
    out, _, (made,) = generate(*both)
    assert out.count(local["text"] + "\n") == 2 and made["tokens"] == local["tokens"]
    fake.rule("A1", "--generate", "fail no", times=1)
    _, err, _ = generate(*on_phone, code=ExitCode.RUN_FAILED)
    assert "A1" in err


def test_what_is_refused(generate, folder):
    _, err, _ = generate("--prompt=a", "--top_p=2", code=ExitCode.RUN_FAILED)
    assert "top_p is 2" in err
    _, err, _ = generate("--prompt=" + "word " * 600, code=ExitCode.RUN_FAILED)
    assert "the model's KV cache holds 512" in err
    _, err, _ = generate("--prompt=a", "--chat", code=ExitCode.RUN_FAILED)
    assert "no chat template" in err
    _, err, _ = generate("--prompt=a", "--tokenizer=none", code=ExitCode.ERROR)
    assert "there is no file 'none'" in err
    (folder / "bad.tokenizer").write_bytes(b"MACE")
    _, err, _ = generate("--prompt=a", "--tokenizer=bad.tokenizer", code=ExitCode.RUN_FAILED)
    assert "no tokenizer file" in err


def test_the_tokenizer_comes_along(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert cli.main(["convert", "--config=d.yml"]) == ExitCode.OK
    file = folder / "build" / "verses" / "model" / "verses.tokenizer"
    assert str(file.relative_to(folder)) in capsys.readouterr().out
    made = file.read_bytes()
    file.unlink()
    assert cli.main(["convert", "--config=d.yml"]) == ExitCode.OK
    assert file.read_bytes() == made


def tokens_of(folder, text):
    """By the engine's tokenizer, which has tests of its own."""
    (folder / "text").write_text(text)
    flags = ["--tokenizer=build/verses/model/verses.tokenizer", "--tokenize=text"]
    return json.loads(runner.output(runner.find(Console(), None), flags))["tokens"]


def greedy(ids, count):
    """The tokens that follow, by NumPy: each of all tokens before it at once, with empty caches."""
    graph = convert(importers.translate("huggingface", kv_caches.sized(
        importers.read("huggingface", VERSES), 512, "fp32")))
    states, found = empty_states(graph), [*ids]
    for _ in range(count):
        made = reference.run(graph, {"input_ids": np.array([found]), "logits_at": np.array([-1]),
                                     **states})
        found.append(int(made["logits"][0, 0].argmax()))
    return found[len(ids):]
