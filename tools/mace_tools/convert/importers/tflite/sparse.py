"""Sparse constants of a TFLite model, written out.

SPDX-License-Identifier: Apache-2.0

The format is that of the schema's SparsityParameters: a tree with a level for each dimension, in
some order. A level has all positions of its dimension, or lists those that are there. Dimensions
may be split into blocks, whose positions are levels of their own, numbered after the dimensions.
"""

import math
from typing import Any

import numpy as np
import tflite

from mace_tools.convert.importers.tflite.flat import File

_VECTORS = {1: "Int32Vector", 2: "Uint16Vector", 3: "Uint8Vector"}
MAX_ELEMENTS = 1 << 30


def dense(file: File, sparsity: Any, shape: tuple[int, ...], values: np.ndarray) -> np.ndarray:
    """The whole tensor; what is not stored is 0. Errors: ValueError for levels that do not fit."""
    order = [int(v) for v in file.numbers(sparsity, "TraversalOrder")]
    blocked = [int(v) for v in file.numbers(sparsity, "BlockMap")]
    levels = file.list(sparsity, "DimMetadata")
    if sorted(order) != list(range(len(shape) + len(blocked))) or len(levels) != len(order) or (
            any(not 0 <= d < len(shape) for d in blocked)):
        raise ValueError(f"a sparse tensor of shape {list(shape)} with levels {order}, of which "
                         f"{len(levels)} are there, and blocks of {blocked}")
    if math.prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"a sparse tensor of shape {list(shape)}")
    sizes = [1] * len(shape)
    for dimension, level in zip(order, levels):
        if dimension >= len(shape):
            sizes[blocked[dimension - len(shape)]] *= level.DenseSize()
    places = _places(file, levels, math.prod(shape))
    if len(places) != len(values):
        raise ValueError(f"a sparse tensor of {len(values)} values at {len(places)} places")
    at = np.zeros((len(shape), len(values)), np.int64)
    for dimension, position in zip(order, places.T):
        inner = dimension >= len(shape)
        axis = blocked[dimension - len(shape)] if inner else dimension
        at[axis] += position * (1 if inner else sizes[axis])
    if any(row.size and not (row.min() >= 0 and row.max() < d) for row, d in zip(at, shape)):
        raise ValueError(f"a sparse tensor with a value outside of its shape {list(shape)}")
    whole = np.zeros(shape, values.dtype)
    whole[tuple(at)] = values
    return whole


def _places(file: File, levels: list, most: int) -> np.ndarray:
    """The position along each level of all values, [values, levels]."""
    nodes, places = np.zeros(1, np.int64), np.zeros((1, 0), np.int64)
    for level in levels:
        if level.Format() == 0:  # dense
            size = level.DenseSize()
            if size < 0 or len(nodes) * size > most:
                raise ValueError(f"a level of {len(nodes)} times {size} positions")
            position = np.tile(np.arange(size), len(nodes))
            places = np.repeat(places, size, axis=0)
            nodes = np.repeat(nodes * size, size) + position
        else:
            begins = _vector(file, level.ArraySegmentsType(), level.ArraySegments())
            listed = _vector(file, level.ArrayIndicesType(), level.ArrayIndices())
            first, counts = begins[nodes], begins[nodes + 1] - begins[nodes]
            if (counts < 0).any() or counts.sum() > min(most, len(listed)):
                raise ValueError("a level whose segments do not fit its indices")
            places = np.repeat(places, counts, axis=0)
            ahead = np.cumsum(counts) - counts
            nodes = np.arange(counts.sum()) + np.repeat(first - ahead, counts)
            position = listed[nodes]
        places = np.column_stack([places, position])
    return places


def _vector(file: File, kind: int, table: Any) -> np.ndarray:
    reader = getattr(tflite, _VECTORS[kind])()
    reader.Init(table.Bytes, table.Pos)
    return file.numbers(reader, "Values").astype(np.int64)
