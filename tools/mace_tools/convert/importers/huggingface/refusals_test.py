"""Checkpoints that are refused: unknown architectures and options, tensors that do not fit.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest

from mace_tools.convert import importers
from mace_tools.convert.importers.huggingface.logits_test import stated, tensors
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing import decoder_cases as cases
from mace_tools.testing import gguf_file


def folder(path, change=lambda config, tensors: None, name="llama"):
    case = stated(name)
    config, weights = case["config"], tensors(case)
    change(config, weights)
    cases.write_folder(path, config, weights)
    return importers.read("huggingface", path)


def gguf(path, change=lambda keys, tensors: None, name="llama", config=None):
    case = stated(name)
    keys, weights = gguf_file.decoder(case["config"], tensors(case))
    keys = dict(keys)
    change(keys, weights)
    written = [(n, gguf_file.floats(a)) for n, a in weights.items()]
    (path / "m.gguf").write_bytes(gguf_file.content([*keys.items()], written))
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    return importers.read("gguf", path / "m.gguf")


def test_an_unknown_architecture(tmp_path):
    with pytest.raises(UnsupportedOps) as raised:
        folder(tmp_path, lambda c, t: c.update(model_type="qwen9"))
    text = str(raised.value)
    assert "model_type qwen9" in text and "known are " in text and "nearest: qwen" in text
    assert "which has attention_bias false, head_dim 16, " in text


def test_an_unknown_architecture_of_gguf(tmp_path):
    with pytest.raises(UnsupportedOps) as raised:
        gguf(tmp_path, lambda k, t: k.update({
            "general.architecture": "mamba", "mamba.ssm.conv_kernel": 4}))
    assert "general.architecture mamba" in str(raised.value)
    assert "which has mamba.ssm.conv_kernel 4; known are" in str(raised.value)
    with pytest.raises(ModelError, match="no general.architecture"):
        gguf(tmp_path, lambda k, t: k.pop("general.architecture"))


@pytest.mark.parametrize(("options", "words"), [
    ({"sliding_window": 7}, "sliding_window is 7, an option that Llama 2 and 3"),
    ({"quantization_config": {"bits": 4}}, "quantization_config is"),
    ({"hidden_size": 0}, "hidden_size is"), ({"hidden_size": 2**40}, "hidden_size is"),
    ({"num_hidden_layers": -1}, "num_hidden_layers is -1"),
    ({"num_hidden_layers": 2.5}, "num_hidden_layers is 2.5"),
    ({"num_key_value_heads": 3}, "no multiple of num_key_value_heads"),
    ({"hidden_act": "relu6"}, "hidden_act is 'relu6'"),
    ({"rms_norm_eps": "x"}, "norm_eps is 'x'"), ({"rms_norm_eps": float("nan")}, "norm_eps is"),
    ({"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4}}, "rope_type is 'dynamic'"),
    ({"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4}}, "factor of the rotary"),
    ({"rope_parameters": {"rope_theta": 0}}, "rope_theta is 0"),
    ({"rope_parameters": 3}, "JSON objects"),
    ({"rope_parameters": {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0]}},
     "short_factor"),
    ({"layer_types": ["full_attention"]}, "a list of 2"),
    ({"layer_types": ["linear_attention"] * 2}, "'linear_attention'"),
    ({"attention_bias": "yes"}, "attention_bias is 'yes'"),
    ({"head_dim": 15}, "15 of 15 elements"),
])
def test_options_that_cannot_be_converted(tmp_path, options, words):
    with pytest.raises(ModelError) as raised:
        folder(tmp_path, lambda c, t: c.update(options))
    assert words in str(raised.value) and str(tmp_path / "config.json") in str(raised.value)


def test_a_config_that_is_no_json(tmp_path):
    for text in ("", "[1]", "{", "[" * 10_000):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(ModelError, match="config.json"):
            importers.read("huggingface", tmp_path)


Q = "model.layers.1.self_attn.q_proj.weight"


@pytest.mark.parametrize(("change", "words"), [
    (lambda c, t: t.pop(Q), f"there is no tensor '{Q}'"),
    (lambda c, t: t.update({Q: t[Q][:-1]}), f"tensor '{Q}' is [63, 64]"),
    (lambda c, t: t.update({Q: t[Q].reshape(-1)}), f"tensor '{Q}' is [4096]"),
    (lambda c, t: t.update(extra=np.zeros(2, np.float32)), "tensor 'extra' is not one"),
    (lambda c, t: t.update({Q.replace("weight", "bias"): np.zeros(64, np.float32)}),
     "q_proj.bias' is not one"),
    (lambda c, t: c.update(attention_bias=True), "there is no tensor 'model.layers.0"),
    (lambda c, t: c.update(num_hidden_layers=1), "tensor 'model.layers.1."),
    (lambda c, t: c.update(vocab_size=102), "[101, 64], and the options"),
])
def test_tensors_that_do_not_fit(tmp_path, change, words):
    with pytest.raises(ModelError) as raised:
        folder(tmp_path, change)
    assert words in str(raised.value)


def test_old_files_have_buffers_and_lack_the_prefix(tmp_path):
    def old(config, weights):
        for name in [*weights]:
            weights[name.removeprefix("transformer.")] = weights.pop(name)
        weights["h.0.attn.bias"] = np.zeros((1, 1, 8, 8), np.float32)
        weights["h.1.attn.masked_bias"] = np.zeros((), np.float32)

    assert folder(tmp_path, old, "gpt2").outputs == ["logits"]


def test_a_tied_output_matrix_may_be_in_the_file_too(tmp_path):
    read = folder(tmp_path, lambda c, t: t.update({
        "lm_head.weight": t["model.embed_tokens.weight"]}), "llama3")
    assert not any(name.startswith("head") for name in read.constants)


def test_what_gguf_does_not_carry(tmp_path):
    with pytest.raises(ModelError, match="does not carry the window of its attention"):
        gguf(tmp_path, lambda k, t: k.update({"general.name": "Mistral 7B v0.1"}), "mistral")
    with pytest.raises(ModelError, match="query_pre_attn_scalar, which is known for 26, 42, 46"):
        gguf(tmp_path, name="gemma2")
    config = stated("mistral")["config"]
    read = gguf(tmp_path, name="mistral", config=config)
    assert {n.attrs["left_window"] for n in read.nodes if n.op == "Attention"} == {6}


def test_gguf_keys_that_cannot_be_converted(tmp_path):
    def refused(name="llama", config=None, **keys):
        with pytest.raises(ModelError) as raised:
            gguf(tmp_path, lambda k, t: k.update({f"llama.{n.replace('__', '.')}": v
                                                  for n, v in keys.items()}), name, config)
        return str(raised.value)

    assert "'llama.expert_count' is not one that" in refused(expert_count=8)
    assert "rope.dimension_count is 8" in refused(rope__dimension_count=8)
    assert "differs from layer to layer" in refused(attention__head_count=[4, 2])
    assert "rope_type is 'cubic'" in refused(rope__scaling__type="cubic")
    assert "hidden_size is '64'" in refused(embedding_length="64")
    assert "llama.attention.causal is false" in refused(attention__causal=False)
    config = {**stated("llama")["config"], "num_hidden_layers": 3}
    assert "and 3 in the config.json beside it" in refused(config=config)
    assert "is qwen2, and the config.json" in _other_architecture(tmp_path)


@pytest.mark.parametrize(("key", "usual", "other"), [
    ("attn_factor", 1.0, 1.5), ("yarn_attn_factor", 1.0, 0.5), ("yarn_ext_factor", 1.0, 0.0),
    ("yarn_log_multiplier", 0.0, 0.1)])
def test_gguf_keys_of_rotary_embeddings_that_must_be_usual(tmp_path, key, usual, other):
    name = f"llama.rope.scaling.{key}"
    assert gguf(tmp_path, lambda k, t: k.update({name: usual}), "llama_yarn").nodes
    with pytest.raises(ModelError, match=f"{name} is {other}"):
        gguf(tmp_path, lambda k, t: k.update({name: other}), "llama_yarn")


def _other_architecture(tmp_path):
    with pytest.raises(ModelError) as raised:
        gguf(tmp_path, name="qwen2", config=stated("llama")["config"])
    return str(raised.value)
