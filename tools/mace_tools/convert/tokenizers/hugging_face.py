"""Tokenizers of Hugging Face: tokenizer.json, and the files beside it.

SPDX-License-Identifier: Apache-2.0
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mace_tools.convert.tokenizers import byte_alphabet, hugging_face_steps
from mace_tools.convert.tokenizers.tokenizer_file import Flag, Model, Token, Tokenizer
from mace_tools.support.errors import ModelError, Unsupported
from mace_tools.support.limits import read_text

# Of generation_config.json, as properties of the tokenizer file; what else they are than numbers
# from 0 on.
SAMPLING = {"do_sample": bool, "temperature": float, "top_k": int, "top_p": float, "min_p": float,
            "repetition_penalty": float}
_CONFIG, _GENERATION = "tokenizer_config.json", "generation_config.json"


def read(path: Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json. Errors: ModelError, and Unsupported with the name of the
    component that the engine does not have."""
    t = of_json(_json(path))
    _beside(t, path.parent)
    t.properties["source"] = path.name
    return t


def of_json(document: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer that the contents of a tokenizer.json describe."""
    model = document.get("model")
    if not isinstance(model, dict):
        raise ModelError("this is no tokenizer.json: it has no 'model'")
    kind = model.get("type") or _guess(model)
    readers = {"BPE": _bpe, "Unigram": _unigram, "WordPiece": _word_piece}
    if kind not in readers:
        raise Unsupported(f"model '{kind}': the engine has {', '.join(readers)}")
    vocab = _vocabulary(model, document.get("added_tokens") or [])
    t = readers[kind](model, vocab)
    _add_tokens(t, document.get("added_tokens") or [])
    hugging_face_steps.add_normalizer(t, document.get("normalizer"))
    byte_level = hugging_face_steps.add_pre_tokenizer(t, document.get("pre_tokenizer"))
    if byte_level:
        t.flags |= Flag.BYTE_LEVEL
        byte_alphabet.decode_tokens(t, vocab)
    elif Flag.BYTE_FALLBACK in t.flags:
        ids = {text: i for i, text in enumerate(vocab)}
        t.bytes_of = [ids.get(f"<0x{byte:02X}>") for byte in range(256)]
        mark_bytes(t)
    hugging_face_steps.set_decoder(t, document.get("decoder"), byte_level)
    hugging_face_steps.set_post_processor(t, document.get("post_processor"))
    return t


def _json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as e:
        raise ModelError(f"'{path}' is no JSON: {e}") from e


def _object(path: Path) -> dict[str, Any]:
    """Of a file that may be absent."""
    found = _json(path) if path.is_file() else {}
    if not isinstance(found, dict):
        raise ModelError(f"'{path}' is no JSON object")
    return found


def _guess(model: Mapping[str, Any]) -> str:
    """Old files do not say which model they have."""
    if "merges" in model:
        return "BPE"
    return "Unigram" if isinstance(model.get("vocab"), list) else "WordPiece"


def _vocabulary(model: Mapping[str, Any], added: Iterable[Mapping[str, Any]]) -> list[str]:
    """The text of each token; "" for numbers without a token."""
    vocab = model.get("vocab")
    if isinstance(vocab, dict):
        pairs = list(vocab.items())
    elif isinstance(vocab, list):
        pairs = [(row[0], i) for i, row in enumerate(vocab)]
    else:
        raise ModelError("the model has no 'vocab'")
    pairs += [(token["content"], token["id"]) for token in added]
    for text, i in pairs:
        if not isinstance(i, int) or not 0 <= i < 1 << 24:
            raise ModelError(f"token {text!r} has the number {i!r}, which is no number of a token")
    texts = [""] * (1 + max((i for _, i in pairs), default=-1))
    for text, i in pairs:
        texts[i] = text
    return texts


def _start(kind: Model, model: Mapping[str, Any], vocab: list[str]) -> Tokenizer:
    known = model["vocab"]
    own = set(known.values()) if isinstance(known, dict) else set(range(len(known)))
    return Tokenizer(kind, texts=[text.encode("utf-8", "surrogatepass") for text in vocab],
                     kinds=[Token.IN_MODEL if i in own else Token(0) for i in range(len(vocab))])


def _bpe(model: Mapping[str, Any], vocab: list[str]) -> Tokenizer:
    if model.get("dropout"):
        raise Unsupported(f"model BPE: dropout {model['dropout']} makes random tokens")
    t = _start(Model.BPE, model, vocab)
    for key, flag in (("fuse_unk", Flag.FUSE_UNKNOWN), ("byte_fallback", Flag.BYTE_FALLBACK),
                      ("ignore_merges", Flag.IGNORE_MERGES)):
        t.flags |= flag if hugging_face_steps.flag(model, key) else Flag(0)
    t.continuing = model.get("continuing_subword_prefix") or None
    t.word_end = model.get("end_of_word_suffix") or None
    ids: dict[str, int] = model["vocab"]
    if model.get("unk_token") is not None:
        t.unknown = ids.get(model["unk_token"])
    cut = len(t.continuing or "")
    for rank, pair in enumerate(model.get("merges") or []):
        parts = pair.split(" ", 1) if isinstance(pair, str) else pair
        if not isinstance(parts, list) or len(parts) != 2:
            raise ModelError(f"merge {rank} is {json.dumps(pair)[:60]}, which is no pair of tokens")
        left, right = parts
        found = [ids.get(text) for text in (left, right, left + right[cut:])]
        if None in found:
            raise ModelError(f"merge {rank} of {left!r} and {right!r} is not in the vocabulary")
        t.merges.append((found[0], found[1], rank, found[2]))  # type: ignore[arg-type]
    return t


def _unigram(model: Mapping[str, Any], vocab: list[str]) -> Tokenizer:
    t = _start(Model.UNIGRAM, model, vocab)
    t.flags |= Flag.FUSE_UNKNOWN | (
        Flag.BYTE_FALLBACK if hugging_face_steps.flag(model, "byte_fallback") else Flag(0))
    t.unknown = model.get("unk_id")
    t.scores = [float(score) for _, score in model["vocab"]]
    t.scores += [0.0] * (len(vocab) - len(t.scores))
    return t


def _word_piece(model: Mapping[str, Any], vocab: list[str]) -> Tokenizer:
    t = _start(Model.WORD_PIECE, model, vocab)
    t.unknown = model["vocab"].get(model.get("unk_token", "[UNK]"))
    t.continuing = model.get("continuing_subword_prefix", "##")
    t.max_characters = model.get("max_input_chars_per_word", 100)
    return t


def _add_tokens(t: Tokenizer, added: Iterable[Mapping[str, Any]]) -> None:
    for token in added:
        kind = t.kinds[token["id"]] | Token.ADDED
        for key, flag in (("special", Token.SPECIAL), ("lstrip", Token.STRIP_LEFT),
                          ("rstrip", Token.STRIP_RIGHT), ("single_word", Token.SINGLE_WORD),
                          ("normalized", Token.NORMALIZED)):
            kind |= flag if hugging_face_steps.flag(token, key) else Token(0)
        # A special token never comes from the letters of its name.
        t.kinds[token["id"]] = kind & ~Token.IN_MODEL if kind & Token.SPECIAL else kind


def mark_bytes(t: Tokenizer) -> None:
    """Makes the tokens of bytes their bytes, which no text becomes otherwise."""
    for byte, i in enumerate(t.bytes_of):
        if i is not None:
            t.texts[i] = bytes([byte])
            t.kinds[i] = Token.BYTE


def _sampling(key: str, value: Any, kind: type) -> Any:
    if kind is bool:
        hugging_face_steps.flag({key: value}, key)
    elif (isinstance(value, bool) or not isinstance(value, int if kind is int else int | float)
          or not 0 <= value < float("inf")):
        what = "a whole number" if kind is int else "a number"
        raise ModelError(f"{_GENERATION}: {key} is {json.dumps(value)[:60]}; it is {what} from 0 "
                         "on")
    return value


def _beside(t: Tokenizer, folder: Path) -> None:
    """What tokenizer_config.json, generation_config.json and chat_template.jinja say."""
    config, generation = _object(folder / _CONFIG), _object(folder / _GENERATION)
    ids = {text: i for i, text in enumerate(t.texts) if text}
    for use in ("bos", "eos", "pad"):
        text = config.get(f"{use}_token")
        text = text.get("content") if isinstance(text, dict) else text
        if text in (None, ""):
            continue
        token = ids.get(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else None
        if token is None and use != "pad":  # which no text needs
            raise ModelError(f"{_CONFIG}: {use}_token is {json.dumps(text)[:60]}, which is no "
                             f"token of tokenizer.json")
        setattr(t, use, token)
        if token is not None:
            t.properties[f"{use}_token"] = text
    stops = generation.get("eos_token_id")
    stops = stops if isinstance(stops, list) else [] if stops is None else [stops]
    if wrong := [stop for stop in stops if type(stop) is not int]:
        raise ModelError(f"{_GENERATION}: eos_token_id is {json.dumps(wrong[0])[:60]}, which is no "
                         "number of a token")
    t.stop_at(stops)
    t.stop_at([t.eos])
    for key, kind in SAMPLING.items():
        if (value := generation.get(key)) is not None:
            t.properties[key] = json.dumps(_sampling(key, value, kind))
    file, templates = folder / "chat_template.jinja", config.get("chat_template")
    if file.is_file():
        t.properties["chat_template"] = read_text(file)
    elif isinstance(templates, str):
        t.properties["chat_template"] = templates
    elif isinstance(templates, list):
        for row in templates:
            suffix = "" if row["name"] == "default" else "." + row["name"]
            t.properties[f"chat_template{suffix}"] = row["template"]
    elif templates is not None:
        raise ModelError(f"{_CONFIG}: chat_template is {json.dumps(templates)[:60]}; it is a text "
                         "or a list of them with names")
