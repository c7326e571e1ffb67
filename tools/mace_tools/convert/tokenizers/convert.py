"""Makes a tokenizer file of whatever file has the vocabulary.

SPDX-License-Identifier: Apache-2.0
"""

import struct
from pathlib import Path

from mace_tools.convert.decoders import gguf_keys
from mace_tools.convert.tokenizers import gguf_vocabulary, hugging_face, sentencepiece_model
from mace_tools.convert.tokenizers.tokenizer_file import Tokenizer
from mace_tools.support.errors import MaceError, ModelError
from mace_tools.support.limits import open_file


def read(path: Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json, a GGUF file or a model of SentencePiece.

    Errors: ModelError and Unsupported; what Python raises where a damaged file has something else
    than what is read."""
    with open_file(path) as file:
        start = file.read(64)
    if start.startswith(gguf_keys.MAGIC):
        return gguf_vocabulary.of_metadata(gguf_keys.read(path, "tokenizer."))
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return hugging_face.read(path)
    return sentencepiece_model.read(path)


def tokenizer_file(path: Path) -> bytes:
    """The bytes of the engine's tokenizer file.

    Errors: ModelError and Unsupported, which name the file."""
    try:
        return read(path).serialize()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, struct.error) as e:
        raise ModelError(f"'{path}' is damaged: {type(e).__name__}: {e}") from e
    except MaceError as e:
        if str(path) not in str(e):
            e.args = (f"'{path}': {e.args[0]}", *e.args[1:])
        raise
