"""KV caches: states whose size and type a deployment file chooses.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.ops.common.kv_cache import SCALE_BYTES
from mace_tools.support.errors import ModelError

USUAL_CAPACITY = 2048  # unless the deployment file has another
# Operators that write rows to caches.
_WRITERS = ("UpdateKvCache", "com.microsoft.GroupQueryAttention")
# By the name in deployment files: the type, and what a row has besides its values.
TYPES = {"fp32": (np.float32, 0), "fp16": (np.float16, 0), "int8": (np.int8, SCALE_BYTES)}


def zeros(shape: tuple[int, ...], kind: str = "fp32") -> np.ndarray:
    """An empty cache of rows [.., depth], which takes no memory."""
    dtype, more = TYPES[kind]
    return np.broadcast_to(dtype(0), (*shape[:-1], shape[-1] + more))


def of(model: SourceModel) -> Iterator[tuple[str, np.ndarray]]:
    """The caches of a model, by state."""
    names = {name for node in model.nodes if node.op in _WRITERS for name in node.inputs}
    return ((name, array) for name, array in model.variables.items()
            if name in names and array.ndim == 4)


def sized(model: SourceModel, tokens: int, kind: str) -> SourceModel:
    """The model, which has just been read, with caches of such a capacity and type. Errors:
    ModelError."""
    found = dict(of(model))
    if not found:
        raise ModelError("the model has no KV cache of its own: kv_cache is for language models "
                         "(docs/language_models.md)")
    changed = {}
    for name, array in found.items():
        batch, heads, _, depth = array.shape
        changed[name] = zeros((batch, heads, tokens, depth), kind)
    return replace(model, variables={**model.variables, **changed})
