"""Operators that an app computes itself, with NumPy.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from mace._errors import InvalidArgumentError
from mace._library import check, encoded, ffi, lib, owned, text
from mace._tensors import code_of, dtype_of

_MAX_RANK, _MESSAGE_BYTES = 8, 512
_INT, _FLOAT, _STRING, _INTS = 1, 2, 3, 4
_objects: dict[int, Any] = {}  # classes and their objects, until the library releases them
_numbers = itertools.count(1)


@dataclass(frozen=True)
class OpNode:
    """A node of the app's operator, as the model has it."""

    op: str
    name: str
    num_inputs: int
    num_outputs: int
    attributes: dict[str, Union[int, float, bytes, list[int], list[float]]]


@dataclass(frozen=True)
class OpTensor:
    """What is known of an input before the run."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    value: Optional[np.ndarray]  # of a constant


class CustomOp:
    """An operator of the app. Engine(..., custom_ops={"com.acme.Sum": Sum}) makes an object of the
    class Sum for each node of that name: it gets the OpNode.

    The calls for one engine come one after the other, those for two engines may come at the same
    time, from any thread. What a method raises becomes the error of the call of the engine, which
    stays usable."""

    def __init__(self, node: OpNode) -> None:
        self.node = node

    def prepare(self, inputs: list[Optional[OpTensor]]) -> Sequence[tuple[Any, Sequence[int]]]:
        """The type and the shape of each output. An optional input that the node does not have is
        None."""
        raise NotImplementedError(f"{type(self).__name__}.prepare")

    def invoke(self, inputs: list[Optional[np.ndarray]], outputs: list[np.ndarray]) -> None:
        """Writes the outputs: `outputs[0][...] = ...`. The arrays are the engine's memory, which is
        valid until this returns; do not write to inputs."""
        raise NotImplementedError(f"{type(self).__name__}.invoke")


def set_resolver(pointer: Any, name: str, value: Any) -> None:
    """Gives a mace_config_t the ops of the app: `value` has a class for each name."""
    if not isinstance(value, Mapping):
        raise InvalidArgumentError(f"{name}: a dict with the class of each operator by its name")
    with owned("op_resolver", lib.mace_op_resolver_create) as resolver:
        for op, make in value.items():
            if not callable(make):
                raise InvalidArgumentError(f"{name}[{op!r}]: a class, not {type(make).__name__}")
            _add(resolver, op, make)
        check(lib.mace_config_set_op_resolver(pointer, resolver))


def _add(resolver: Any, op: str, make: Callable[[OpNode], CustomOp]) -> None:
    written = ffi.new("char[]", encoded(op))
    number = next(_numbers)
    _objects[number] = make
    registration = ffi.new("mace_op_registration_t *", {
        "struct_size": ffi.sizeof("mace_op_registration_t"), "name": written,
        "user": ffi.cast("void *", number), "init": _init, "prepare": _prepare,
        "invoke": _invoke, "free": _free, "release": _release})
    try:
        check(lib.mace_op_resolver_add_custom(resolver, registration))
    except Exception:
        _objects.pop(number, None)  # `release` is not called for it
        raise


def _number(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _failed(error: Any, what: BaseException) -> int:
    """Writes the reason where the library reads it."""
    reason = f"{type(what).__name__}: {what}".encode()[:_MESSAGE_BYTES - 1]
    reason = reason.decode("utf-8", "ignore").replace("\0", " ").encode()
    ffi.memmove(error.message, reason + b"\0", len(reason) + 1)
    return 1


@ffi.callback("int32_t(void *, const mace_op_init_args_t *, void **, mace_op_error_t *)", error=1)
def _init(user: Any, args: Any, state: Any, error: Any) -> int:
    try:
        node = OpNode(text(args.op), text(args.node), args.num_inputs, args.num_outputs,
                      {text(args.attributes[i].name): _value(args.attributes[i])
                       for i in range(args.num_attributes)})
        made = _objects[_number(user)](node)
        number = next(_numbers)
        _objects[number] = made
        state[0] = ffi.cast("void *", number)
        return 0
    except Exception as e:  # noqa: BLE001
        return _failed(error, e)


@ffi.callback("int32_t(void *, void *, mace_op_prepare_args_t *, mace_op_error_t *)", error=1)
def _prepare(user: Any, state: Any, args: Any, error: Any) -> int:
    try:
        found = [_known(args.inputs[i]) for i in range(args.num_inputs)]
        outputs = list(_objects[_number(state)].prepare(found))
        if len(outputs) != args.num_outputs:
            raise ValueError(f"prepare returned {len(outputs)} outputs; the node has "
                             f"{args.num_outputs}")
        for i, (dtype, shape) in enumerate(outputs):
            out, dims = args.outputs[i], [int(n) for n in shape]
            if len(dims) > _MAX_RANK:
                raise ValueError(f"output {i} has {len(dims)} dimensions; at most {_MAX_RANK} are "
                                 "possible")
            out.data_type, out.rank = code_of(f"output {i}", np.dtype(dtype)), len(dims)
            for k, n in enumerate(dims):
                out.shape[k] = n
        return 0
    except Exception as e:  # noqa: BLE001
        return _failed(error, e)


@ffi.callback("int32_t(void *, void *, const mace_op_invoke_args_t *, mace_op_error_t *)", error=1)
def _invoke(user: Any, state: Any, args: Any, error: Any) -> int:
    try:
        inputs = [_array(args.inputs[i], False) for i in range(args.num_inputs)]
        outputs = [_array(args.outputs[i], True) for i in range(args.num_outputs)]
        _objects[_number(state)].invoke(inputs, outputs)
        return 0
    except Exception as e:  # noqa: BLE001
        return _failed(error, e)


@ffi.callback("void(void *, void *)")
def _free(user: Any, state: Any) -> None:
    _objects.pop(_number(state), None)


@ffi.callback("void(void *)")
def _release(user: Any) -> None:
    _objects.pop(_number(user), None)


def _value(attribute: Any) -> Any:
    if attribute.type == _INT:
        return int(attribute.ints[0])
    if attribute.type == _FLOAT:
        return float(attribute.floats[0])
    if attribute.type == _STRING:
        return bytes(ffi.buffer(attribute.bytes, attribute.count)) if attribute.count else b""
    values = attribute.ints if attribute.type == _INTS else attribute.floats
    return [values[i] for i in range(attribute.count)]


def _known(tensor: Any) -> Optional[OpTensor]:
    if tensor.data_type == 0:
        return None
    constant = tensor.data != ffi.NULL
    return OpTensor(dtype_of("an input", tensor.data_type), _shape(tensor),
                    np.array(_array(tensor, False)) if constant else None)


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.shape[i] for i in range(tensor.rank))


def _array(tensor: Any, writable: bool) -> Any:
    """The tensor's memory as an array; None for an absent input."""
    if tensor.data_type == 0:
        return None
    dtype, shape = dtype_of("a tensor", tensor.data_type), _shape(tensor)
    if tensor.bytes == 0 or tensor.data == ffi.NULL:
        return np.empty(shape, dtype)
    array = np.frombuffer(ffi.buffer(tensor.data, tensor.bytes), dtype).reshape(shape)
    array.flags.writeable = writable
    return array
