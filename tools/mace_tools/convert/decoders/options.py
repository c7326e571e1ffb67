"""The options of a checkpoint, from config.json or from the keys of a GGUF file.

SPDX-License-Identifier: Apache-2.0

They have the names of Llama's config.json, whatever the file calls them (tables.py).
"""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert.decoders.gguf import Gguf
from mace_tools.convert.decoders.tables import Table, by_gguf_name, by_model_type, tables
from mace_tools.support.errors import ModelError, UnsupportedOp, UnsupportedOps
from mace_tools.support.limits import read_bytes

Options = dict[str, Any]

# Those that every decoder has, with the meaning of an absent one; None: it must be there.
COMMON: Options = {
    "hidden_size": None, "num_hidden_layers": None, "num_attention_heads": None,
    "num_key_value_heads": 0, "head_dim": 0, "intermediate_size": 0, "vocab_size": None,
    "max_position_embeddings": None, "layer_types": [], "rope_scaling": {}, "rope_parameters": {},
}
# Of config.json: what training, generation or other programs read.
_NO_MEANING = frozenset("""
    _attn_implementation _attn_implementation_autoset _name_or_path architectures
    attention_dropout attn_pdrop auto_map bos_token_id cache_implementation
    chunk_size_feed_forward classifier_dropout dtype embd_pdrop eos_token_id
    eos_token_ids hidden_dropout id2label initializer_range is_decoder label2id model_type
    n_ctx pad_token_id pretraining_tp resid_pdrop return_dict task_specific_params torch_dtype
    transformers_version unsloth_fixed unsloth_version use_cache
    quantization max_sequence_length bos_token eos_token unk_token_id mask_token_id sep_token_id
""".split())
# By option: its key in GGUF behind the name of the architecture.
_KEYS = {
    "hidden_size": "embedding_length", "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv", "head_dim": "attention.key_length",
    "intermediate_size": "feed_forward_length", "max_position_embeddings": "context_length",
    "rope_theta": "rope.freq_base", "rope_local_base_freq": "rope.freq_base_swa",
    "sliding_window": "attention.sliding_window",
    "sliding_window_pattern": "attention.sliding_window_pattern",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
    "use_parallel_residual": "use_parallel_residual",
}
# Keys that are read otherwise, or not needed: what other keys or the tensors say, too.
_OTHER_KEYS = frozenset("""
    attention.layer_norm_rms_epsilon attention.layer_norm_epsilon attention.value_length
    rope.dimension_count rope.scaling.type rope.scaling.factor rope.scale_linear
    rope.scaling.original_context_length rope.scaling.attn_factor rope.scaling.finetuned
    rope.scaling.yarn_ext_factor rope.scaling.yarn_attn_factor rope.scaling.yarn_beta_fast
    rope.scaling.yarn_beta_slow rope.scaling.yarn_log_multiplier vocab_size tensor_data_layout
    attention.causal
""".split())
# What a file may say of its rotary embedding only if it is this.
_USUAL = {"rope.scaling.attn_factor": 1, "rope.scaling.yarn_attn_factor": 1,
          "rope.scaling.yarn_ext_factor": 1, "rope.scaling.yarn_log_multiplier": 0}


def config_of(folder: Path) -> Options:
    """config.json of a folder. Errors: ModelError."""
    path = folder / "config.json"
    try:
        config = json.loads(read_bytes(path))
    except (OSError, ValueError, RecursionError) as e:
        raise ModelError(f"{path}: cannot read it: {e}; give the config.json of the checkpoint"
                         ) from e
    if not isinstance(config, dict):
        raise ModelError(f"{path}: it is no JSON object; give the config.json of the checkpoint")
    return config


def known() -> str:
    return ", ".join(sorted(m for t in tables().values() for m in t.model_types))


def refused(what: str, name: str, where: Path, has: Mapping[str, Any]) -> UnsupportedOps:
    """For an architecture without a table. `has`: its options."""
    near = get_close_matches(name, known().split(", "), 1)
    options = ", ".join(f"{key} {json.dumps(value)}" for key, value in has.items()
                        if isinstance(value, (bool, int, float, str)) and key not in _NO_MEANING)
    return UnsupportedOps("language model", [UnsupportedOp(
        f"{what} {name}", [str(where)], f"no table describes this architecture, which has "
        f"{options}; known are {known()}" + (f" (nearest: {near[0]})" if near else ""),
        "convert the model as ONNX (torch.onnx.export, or the model builder of onnxruntime-genai), "
        "or add its table (tools/mace_tools/convert/decoders/architectures)")])


def of_config(config: Mapping[str, Any], where: Path) -> tuple[Table, Options]:
    """The architecture and the options of a config.json.

    Errors: UnsupportedOps for an unknown architecture; ModelError for an option that it does not
    have and whose value is not empty."""
    if isinstance(config.get("text_config"), dict):  # of models that also see or hear
        config = {"model_type": config.get("model_type"), **config["text_config"]}
    model_type = config.get("model_type")
    table = by_model_type(model_type) if isinstance(model_type, str) else None
    if table is None:
        raise refused("model_type", str(model_type), where, config)
    options, left = dict(COMMON | table.defaults), dict(config)
    for name in options:
        for spelling in (name, table.names.get(name, name)):
            value = left.pop(spelling, None)
            if value is not None:
                options[name] = value
    unknown = [key for key, value in left.items() if value not in (None, False, 0, "", [], {})
               and key not in _NO_MEANING and key not in table.ignored]
    if unknown:
        key = unknown[0]
        raise ModelError(
            f"{where}: {key} is {json.dumps(left[key])[:60]}, an option that {table.title} does "
            "not have here, so the model may compute something else; if it does not matter, set it "
            "to null")
    return table, options


def of_gguf(file: Gguf, config: Mapping[str, Any] | None) -> tuple[Table, Options]:
    """The same for a GGUF file, with the config.json beside it, if there is one.

    Errors: as `of_config`; ModelError also for a key that is missing."""
    name = file.keys.get("general.architecture")
    if not isinstance(name, str):
        raise ModelError(f"{file.path}: it has no general.architecture, which names what it holds; "
                         "make it again with convert_hf_to_gguf.py")
    table, options = by_gguf_name(name), None
    if config is not None:
        given, options = of_config(config, file.path.with_name("config.json"))
        if name not in given.gguf.names:
            raise ModelError(f"{file.path}: its architecture is {name}, and the config.json beside "
                             f"it is of {given.title}; give the one of the same model, or none")
        table = given
    if table is None:
        own = {k: v for k, v in file.keys.items() if k.startswith(f"{name}.")}
        raise refused("general.architecture", name, file.path, own)
    keys = _Keys(file, name, table)
    return table, keys.read() if options is None else options | keys.checked(options)


class _Keys:
    """The options that the keys of a file tell."""

    def __init__(self, file: Gguf, name: str, table: Table) -> None:
        self.file, self.name, self.table = file, name, table
        self.own = {k[len(name) + 1 :]: v for k, v in file.keys.items()
                    if k.startswith(f"{name}.")}
        unknown = sorted({*self.own} - _OTHER_KEYS - {*_KEYS.values()})
        if unknown:
            raise ModelError(
                f"{file.path}: key '{name}.{unknown[0]}' is not one that {table.title} has, so "
                "the model may compute something else; give the checkpoint of which the file was "
                "made, as a Hugging Face folder")
        if not np.all(self.own.get("attention.causal", True)):
            raise ModelError(
                f"{file.path}: {name}.attention.causal is false, so it is an encoder, and decoders "
                "can be converted; export the model of which it was made as ONNX")

    def found(self) -> Options:
        """What the file has, of the options of the architecture."""
        options = COMMON | self.table.defaults
        found: Options = {o: self.own[k] for o, k in _KEYS.items()
                          if k in self.own and o in options}
        if "norm_eps" in options:
            kind = "rms_epsilon" if self.table.norm == "rms" else "epsilon"
            found["norm_eps"] = self.own.get(f"attention.layer_norm_{kind}")
        for name, value in found.items():
            found[name] = self._scalar(name, value)
        found |= self._rotation(found)
        embedding = self.file.tensors.get("token_embd.weight")
        found["vocab_size"] = embedding.shape[0] if embedding is not None else None
        found["tie_word_embeddings"] = "output.weight" not in self.file.tensors
        return {name: value for name, value in found.items() if value is not None}

    def _scalar(self, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if len(value) and (value == value[0]).all():
                return value[0].item()
            raise ModelError(f"{self.file.path}: {_KEYS[name]} differs from layer to layer, which "
                             f"{self.table.title} does not have; give another model")
        return value

    def _check_usual(self) -> None:
        """Errors: ModelError for keys of the rotary embedding with values that are not read."""
        is_long = {"rope_factors_long.weight", "rope_factors_short.weight"} <= {*self.file.tensors}
        for key, usual in _USUAL.items():
            if key not in self.own or is_long and key == "rope.scaling.attn_factor":
                continue
            if key == "rope.scaling.yarn_ext_factor":
                usual = int(self.own.get("rope.scaling.type") == "yarn")
            if not np.array_equal(self.own[key], usual):
                raise ModelError(
                    f"{self.file.path}: {self.name}.{key} is {self.own[key]}, and can be converted "
                    f"where it is {usual}; put the model's config.json beside the file")

    def _rotation(self, found: Options) -> Options:
        """partial_rotary_factor and rope_scaling, as config.json has them."""
        result: Options = {}
        heads = found.get("num_attention_heads") or 1
        size = found.get("head_dim") or found.get("hidden_size", 0) // heads
        turned = self.own.get("rope.dimension_count", size)
        if "partial_rotary_factor" in self.table.defaults and size:
            result["partial_rotary_factor"] = turned / size
        elif self.table.rotates and turned != size:
            raise ModelError(f"{self.file.path}: rope.dimension_count is {turned}, and heads have "
                             f"{size}, all of which {self.table.title} rotates; give another model")
        kind = self.own.get("rope.scaling.type", "linear")
        factor = self.own.get("rope.scaling.factor", self.own.get("rope.scale_linear", 0.0))
        original = self.own.get("rope.scaling.original_context_length",
                                found.get("max_position_embeddings", 0))
        long, short = (self.file.tensors.get(f"rope_factors_{k}.weight") for k in ("long", "short"))
        if long is not None and short is not None:
            result["rope_scaling"] = {
                "rope_type": "longrope", "long_factor": long.floats().tolist(),
                "short_factor": short.floats().tolist(),
                "original_max_position_embeddings": original,
                "attention_factor": self.own.get("rope.scaling.attn_factor")}
        elif kind == "yarn":
            result["rope_scaling"] = {
                "rope_type": "yarn", "factor": factor,
                "original_max_position_embeddings": original,
                "beta_fast": self.own.get("rope.scaling.yarn_beta_fast"),
                "beta_slow": self.own.get("rope.scaling.yarn_beta_slow")}
        elif kind == "linear" and factor not in (0.0, 1.0):
            result["rope_scaling"] = {"rope_type": "linear", "factor": factor}
        elif kind not in ("none", "linear", "longrope"):
            result["rope_scaling"] = {"rope_type": kind}  # refused where it is read
        return result

    def read(self) -> Options:
        """Errors: ModelError for what only a config.json tells."""
        for word, what in self.table.gguf.needs_config.items():
            names = [str(self.file.keys.get(f"general.{k}", ""))
                     for k in ("name", "basename", "base_model.0.name")]
            if any(word in n.lower() for n in names):
                raise self._needs(what)
        self._check_usual()
        options = COMMON | self.table.defaults | self.table.gguf.defaults | self._biases()
        options |= self.found()
        for option, values in self.table.gguf.by_layers.items():
            value = values.get(str(options["num_hidden_layers"]))
            if value is None:
                raise self._needs(f"{option}, which is known for {', '.join(values)} layers")
            options[option] = value
        return options

    def _needs(self, what: str) -> ModelError:
        return ModelError(f"{self.file.path}: the format does not carry {what}: put the model's "
                          "config.json beside the file")

    def _biases(self) -> Options:
        """Options that tell whether there are biases, of the first layer."""
        first = {"q": "attn_q", "qkv": "attn_qkv", "o": "attn_output", "gate": "ffn_gate",
                 "gate_up": "ffn_up"}
        return {option: f"blk.0.{first[role]}.bias" in self.file.tensors
                for role, option in reversed(self.table.biases.items())
                if isinstance(option, str) and role in first}

    def checked(self, options: Options) -> Options:
        """What the file states beside a config.json. Errors: ModelError if they contradict."""
        found = self.found()
        for name in ("hidden_size", "num_hidden_layers", "num_attention_heads",
                     "intermediate_size"):
            if name in found and options[name] and found[name] != options[name]:
                raise ModelError(f"{self.file.path}: {name} is {found[name]}, and {options[name]} "
                                 "in the config.json beside it; give the one of the same model, or "
                                 "none")
        return {"vocab_size": found.get("vocab_size")} | self._biases() | {
            "tie_word_embeddings": found["tie_word_embeddings"]}
