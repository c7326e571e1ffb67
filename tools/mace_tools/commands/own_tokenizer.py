"""The tokenizer of a language model, which is converted along with it.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools.config.files import sha256_of
from mace_tools.convert.tokenizers import convert
from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError

# In the folder of a model, the first that is there; and what the first of them is read with.
_VOCABULARIES = ("tokenizer.json", "tokenizer.model")
_BESIDE = ("tokenizer_config.json", "generation_config.json", "chat_template.jinja")


def source(platform: str, model: Path) -> Path | None:
    """The file with the vocabulary of a model, if it has one."""
    if platform == "gguf":
        return model
    files = (model / name for name in _VOCABULARIES) if model.is_dir() else ()
    return next((file for file in files if file.is_file()), None)


def fingerprint(platform: str, model: Path) -> list[str]:
    """Of what decides the tokenizer besides the model's own file."""
    vocabulary = source(platform, model)
    if vocabulary is None or vocabulary == model:
        return []
    files = (vocabulary, *(model / name for name in _BESIDE))
    return [f"{file.name} {sha256_of(file)}" for file in files if file.is_file()]


def write(platform: str, model: Path, out: Path) -> list[str]:
    """Writes the tokenizer of a model that has one. Returns notes for the user."""
    vocabulary = source(platform, model)
    out.unlink(missing_ok=True)
    if vocabulary is None:
        return []
    try:
        data = convert.tokenizer_file(vocabulary)
    except MaceError as e:
        return [f"the model is converted without its tokenizer: {e}"]
    with atomic_files(out) as (file,):
        file.write(data)
    return []
