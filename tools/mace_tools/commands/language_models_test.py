"""init, check and convert of language models: a Hugging Face folder and a GGUF file.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert.importers.huggingface.logits_test import stated, tensors
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.protos import mace
from mace_tools.testing import decoder_cases as cases
from mace_tools.testing import gguf_file


@pytest.fixture(params=["model", "model.gguf"])
def source(request, tmp_path, monkeypatch):
    """The path of a checkpoint in the working folder."""
    monkeypatch.chdir(tmp_path)
    case, path = stated("llama3"), tmp_path / request.param
    if path.suffix:
        gguf_file.write_decoder(path, case["config"], tensors(case))
    else:
        cases.write_folder(path, case["config"], tensors(case), 2)
    return request.param


def drafted(source, capsys):
    assert cli.main(["init", source]) == ExitCode.OK
    return capsys.readouterr().out


def test_a_draft_converts(source, capsys, tmp_path):
    text = drafted(source, capsys)
    assert f"platform: {'gguf' if '.' in source else 'huggingface'}" in text and "?" not in text
    (tmp_path / "d.yml").write_text(text.replace(
        "runtime: cpu", "kv_cache: {tokens: 32, type: int8}\n    runtime: cpu"))
    assert cli.main(["convert", "--config=d.yml"]) == ExitCode.OK
    net = mace().NetDef.FromString((tmp_path / "build/model/model/model.pb").read_bytes())
    assert [i.name for i in net.input_info] == ["input_ids", "logits_at"]
    assert [[*i.dims] for i in net.input_info] == [[1, -1], [-1]]
    caches = {v.tensor.name: [*v.tensor.dims] for v in net.variables}
    assert caches == {"position": [1], **{f"past_{kind}.{k}": [1, 2, 32, 20]
                                          for kind in ("key", "value") for k in range(2)}}


def test_check_lists_all_operators(source, capsys):
    assert cli.main(["check", source]) == ExitCode.OK
    assert "Attention" in capsys.readouterr().out


def test_the_checksum_of_a_folder(source, capsys, tmp_path):
    if "." in source:
        expected = hashlib.sha256((tmp_path / source).read_bytes()).hexdigest()
    else:
        names = ["config.json", *sorted(p.name for p in (tmp_path / source).glob("*.safetensors"))]
        lines = "".join(f"{hashlib.sha256((tmp_path / source / n).read_bytes()).hexdigest()}  {n}\n"
                        for n in names)
        expected = hashlib.sha256(lines.encode()).hexdigest()
    assert f"model_sha256_checksum: {expected}" in drafted(source, capsys)


def test_there_is_no_framework_to_compare_with(source, capsys, tmp_path):
    (tmp_path / "d.yml").write_text(drafted(source, capsys))
    for command in (["run", "--validate"], ["compare"]):
        assert cli.main([*command, "--config=d.yml"]) == ExitCode.ERROR
        assert "hold no graph that one could run" in capsys.readouterr().err


def test_weights_alone_are_no_model(tmp_path, capsys):
    file = tmp_path / "w.safetensors"
    cases.write_safetensors(file, {"a": ("F32", [1], np.zeros(1, "f").tobytes())})
    assert cli.main(["init", str(file)]) == ExitCode.ERROR
    assert "give the folder that has them and their config.json" in capsys.readouterr().err


def test_other_models_have_no_cache(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["init", str(cli.__path__[0] + "/../../../models/digits/digits.onnx")]) == 0
    text = capsys.readouterr().out.replace("runtime: cpu", "kv_cache: {}\n    runtime: cpu")
    (tmp_path / "d.yml").write_text(text)
    assert cli.main(["convert", "--config=d.yml"]) == ExitCode.BAD_MODEL
    assert "the model has no KV cache" in capsys.readouterr().err
