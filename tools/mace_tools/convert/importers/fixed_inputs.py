"""Inputs to which a deployment file gives values: they become constants before anything is
folded, so that branches and shapes that depend on them are decided.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mace_tools.convert.importers.request import RequestError, listed, some, stated
from mace_tools.convert.importers.source import SourceModel, ValueInfo
from mace_tools.graph.ir import NUMPY

KEY = "input_values"


def with_values(model: SourceModel, values: Mapping[str, Any]) -> SourceModel:
    """The model with constants in place of these inputs, and of defaults. Errors: as `arrays`."""
    if not values:
        return model
    constants = arrays(model, values)
    inputs = {name: info for name, info in model.inputs.items() if name not in constants}
    nodes = [node for node in model.nodes if not constants.keys() & set(node.outputs)]
    return replace(model, inputs=inputs, nodes=nodes,
                   constants={**model.constants, **constants})


def arrays(model: SourceModel, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The values by the model's names of the inputs, with their types and shapes.

    Errors: RequestError for an input that the model does not have, and for a value of another type
    or shape."""
    result = {}
    known = {**model.inputs, **model.optional}
    for given, value in values.items():
        own = model.named(given)
        name = own if own in known else own.removesuffix(":0")
        if name not in known:
            raise RequestError(f"the model has no input '{given}'; its inputs: "
                               f"{some(list(known))}", KEY, given)
        result[name] = _array(name, known[name], value)
    return result


def _array(name: str, info: ValueInfo, value: Any) -> np.ndarray:
    found, wanted = np.asarray(value), NUMPY[info.dtype]
    if not _holds(wanted, found):
        raise RequestError(f"{value} does not fit the input '{name}', whose elements are "
                           f"{wanted.name}", KEY, name)
    array = found.astype(wanted)
    own = info.shape
    if own is not None and found.shape == () and all(d in (1, None) for d in own):
        return array.reshape((1,) * len(own))  # one number for one element
    fits = own is None or len(own) == found.ndim and all(
        d in (None, e) for d, e in zip(own, found.shape))
    if not fits:
        raise RequestError(f"a value of the shape {listed(found.shape)} does not fit the input "
                           f"'{name}', of which the file states {stated(own or ())}", KEY, name)
    return array


def _holds(wanted: np.dtype, found: np.ndarray) -> bool:
    """Whether a type can hold these values: only bool holds true and false, and integers no
    fractions."""
    if wanted.kind == "b" or found.dtype.kind == "b":
        return wanted.kind == found.dtype.kind
    if wanted.kind == "f":
        return found.dtype.kind in "iuf"
    limits = np.iinfo(wanted)
    return found.dtype.kind in "iu" and bool(
        np.all((found >= limits.min) & (found <= limits.max)))
