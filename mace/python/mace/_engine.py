"""Engine: a model that is prepared to run on a device.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional, TypedDict, Union

import numpy as np

from mace import _ops, _settings, _stats
from mace._errors import InvalidArgumentError
from mace._gpu import GpuContext
from mace._gpu_memory import GpuHandles, GpuTensor
from mace._library import check, encoded, ffi, lib, names_of, owned, words
from mace._model import Model, PathLike
from mace._setting_types import SettingTypes
from mace._tensors import TensorInfo, Tensors, as_input, code_of, imported_dma_buf, infos

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Cancellation:
    """Ends runs from another thread, or when its deadline has passed. One object ends all runs that
    it is given to, also later ones; take a new one for the next run."""

    def __init__(self, deadline: Optional[float] = None) -> None:
        """`deadline`: as for set_deadline; None: there is none yet."""
        self.handle = owned("cancellation", lib.mace_cancellation_create)
        if deadline is not None:
            self.set_deadline(deadline)

    def set_deadline(self, seconds: float) -> None:
        """Runs end `seconds` from now on, with a CancelledError that names the deadline. They look
        at the time between two ops, between two parts of a long op of the CPU, while they wait
        for another run, and while they make a plan. A later call replaces it, unless it has
        passed."""
        try:
            micros = int(min(max(seconds * 1e6, -1.0), 2.0**62))
        except (TypeError, ValueError) as e:
            raise InvalidArgumentError(f"deadline={seconds!r}: a number of seconds") from e
        with self.handle as pointer:
            check(lib.mace_cancellation_set_deadline(pointer, micros))

    def cancel(self) -> None:
        with self.handle as pointer:
            check(lib.mace_cancellation_cancel(pointer))

    @property
    def cancelled(self) -> bool:
        with self.handle as pointer:
            return bool(lib.mace_cancellation_is_cancelled(pointer))


class Settings(SettingTypes, TypedDict, total=False):
    """The keywords of Engine; docs/converter.md says what each does and its default."""

    # These have no words in a deployment file.
    gpu_context: GpuContext  # cached and precompiled programs of the GPU
    share_memory_with: Engine  # whose memory for runs the new engine uses in turn
    offline_memory_plan: Sequence[int]  # in the words of TensorFlow Lite Micro
    custom_ops: Mapping[str, Callable[[_ops.OpNode], _ops.CustomOp]]  # the app's own, by name
    arena: np.ndarray  # bytes at a 64-byte boundary, for all memory of the engine


class Engine:
    """Runs a model. Any thread may call it at any time; runs of one engine take turns."""

    def __init__(self, model: Union[Model, PathLike], data: Optional[PathLike] = None, *,
                 device: str = "cpu", outputs: Sequence[str] = (),
                 **settings: Unpack[Settings]) -> None:
        """`model` and `data` are a Model, or the files of one. `device`: "cpu", "gpu" or "dsp".
        `outputs`: names of any tensors of the model, instead of its outputs. `settings` are those
        of Settings; where none is given, the model's deployment file decides."""
        loaded = model if isinstance(model, Model) else Model(model, data)
        if loaded is model and data is not None:
            raise InvalidArgumentError("data: the model is loaded already")
        if isinstance(outputs, str):
            raise InvalidArgumentError(f"outputs: a list of names; write [{outputs!r}]")
        names, count, kept = names_of(outputs)
        with loaded.handle as pointer, _settings.config(device, settings) as config:
            self.handle = owned("engine", lib.mace_engine_create, pointer, config, ffi.NULL, 0,
                                names, count,
                                kept=(settings.get("arena"), settings.get("gpu_context")))
        del kept
        # Names and types do not change; only shapes do.
        self._inputs, self._outputs = self.inputs, self.outputs

    @classmethod
    def query_arena_bytes(cls, model: Union[Model, PathLike], data: Optional[PathLike] = None, *,
                          device: str = "cpu", outputs: Sequence[str] = (),
                          input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
                          **settings: Unpack[Settings]) -> int:
        """The bytes of the array that `arena=` needs for an engine of these arguments, which then
        also runs on inputs of `input_shapes`. Raises MaceError."""
        loaded = model if isinstance(model, Model) else Model(model, data)
        if isinstance(outputs, str):
            raise InvalidArgumentError(f"outputs: a list of names; write [{outputs!r}]")
        names, count, kept = names_of(outputs)
        shapes, found = Tensors(), ffi.new("size_t *")
        for name, shape in (input_shapes or {}).items():
            info = loaded.inputs.get(name)
            dtype = np.float32 if info is None or info.dtype == "bfloat16" else info.dtype
            shapes.set_shape(name, dtype, shape)
        with loaded.handle as pointer, _settings.config(device, settings) as config, \
                shapes.handle as given:
            check(lib.mace_engine_query_arena_bytes(
                pointer, config, names, count, given if input_shapes else ffi.NULL, found))
        del kept
        return int(found[0])

    @property
    def inputs(self) -> dict[str, TensorInfo]:
        """By name, in the model's order; the shapes are those of the latest run."""
        with self.handle as engine:
            return infos(lib.mace_engine_inputs, engine)

    @property
    def outputs(self) -> dict[str, TensorInfo]:
        with self.handle as engine:
            return infos(lib.mace_engine_outputs, engine)

    @property
    def states(self) -> dict[str, TensorInfo]:
        """The tensors that the model keeps from one run to the next."""
        with self.handle as engine:
            return infos(lib.mace_engine_states, engine)

    def reset_state(self) -> None:
        """Gives all states their first values again, for a new stream."""
        with self.handle as engine:
            check(lib.mace_engine_reset_state(engine))

    def get_state(self) -> dict[str, np.ndarray]:
        """Copies of all states, by name."""
        found = Tensors()
        with self.handle as engine, found.handle as states:
            check(lib.mace_engine_get_state(engine, states))
        return {name: found.array(name) for name in self.states}

    def set_state(self, states: Mapping[str, Any]) -> None:
        """Replaces the values of states by name; the others stay. Types and shapes are those of
        `states`. Raises InvalidArgumentError, and then none has changed."""
        if not isinstance(states, Mapping):
            raise InvalidArgumentError("states: a dict of arrays by name, as get_state returns")
        given, known = Tensors(), self.states
        for name, value in states.items():
            given.set(name, as_input(name, value, known.get(name)))
        with self.handle as engine, given.handle as tensors:
            check(lib.mace_engine_set_state(engine, tensors))

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Runs on the inputs in the model's order. Returns the output, or a tuple of several.
        `options` are those of run."""
        if len(inputs) != len(self._inputs):
            raise InvalidArgumentError(f"{len(inputs)} inputs were given; the model has "
                                       f"{', '.join(self._inputs)}")
        results = tuple(self.run(dict(zip(self._inputs, inputs)), **options).values())
        return results[0] if len(results) == 1 else results

    def run(self, inputs: Mapping[str, Any], *, outputs: Optional[Mapping[str, Any]] = None,
            float32: bool = False,
            cancellation: Optional[Cancellation] = None) -> dict[str, np.ndarray]:
        """Runs once, without Python's lock, and returns the outputs by name.

        Dense arrays are used in place, also those of other libraries (DLPack), and so is memory of
        the GPU (GpuTensor). `outputs` are arrays or GpuTensors to write to; the engine makes the
        others. A quantized input takes quantized values or float32, and a quantized output is
        quantized values, or float32 where `float32` is true. Raises MaceError."""
        return self._run(inputs, outputs or {}, float32, cancellation, None)

    def profile(self, inputs: Mapping[str, Any], **options: Any) -> tuple[
            dict[str, np.ndarray], list[_stats.OpStats]]:
        """The same, and what each op took, in the order in which they ran."""
        with _stats.metadata() as metadata:
            results = self._run(inputs, options.pop("outputs", None) or {},
                                options.pop("float32", False), options.pop("cancellation", None),
                                metadata)
            if options:
                raise InvalidArgumentError(f"run has no option {', '.join(options)}")
            return results, _stats.ops(metadata)

    def _run(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any], float32: bool,
             cancellation: Optional[Cancellation], metadata: Any) -> dict[str, np.ndarray]:
        if not isinstance(inputs, Mapping):
            raise InvalidArgumentError("inputs: a dict of arrays by name; engine(x) takes arrays")
        given, results = Tensors(), Tensors()
        for name, value in inputs.items():
            if isinstance(value, GpuTensor):
                given.set_gpu(name, value)
            else:
                given.set(name, as_input(name, value, self._inputs.get(name)))
        for name, array in outputs.items():
            if isinstance(array, GpuTensor):
                results.set_gpu(name, array)
            else:
                results.set(name, _writable(name, array))
        with self.handle as engine, given.handle as x, results.handle as y:
            if cancellation is None:
                check(lib.mace_engine_run(engine, x, y, metadata or ffi.NULL))
            else:
                with cancellation.handle as ends:
                    check(lib.mace_engine_run_until(engine, x, y, ends, metadata or ffi.NULL))
        arrays = {name: results.array(name) for name in self._outputs}
        if float32:
            arrays.update((name, info.dequantize(arrays[name]))
                          for name, info in self._outputs.items()
                          if info.quantized and name not in outputs)
        return arrays

    def release_memory(self) -> None:
        """Frees what only runs need; the next run allocates it again."""
        with self.handle as engine:
            check(lib.mace_engine_release_intermediate_buffer(engine))

    def expect_run(self) -> None:
        """Says that a run begins within 3 ms: until then worker threads, which sleep while there is
        nothing to do, are awake. Returns at once, also during a run."""
        with self.handle as engine:
            check(lib.mace_engine_expect_run(engine))

    def memory_usage(self) -> _stats.MemoryUsage:
        """What the engine holds now."""
        with self.handle as engine:
            return _stats.memory_usage(engine)

    def placement(self) -> list[_stats.NodePlacement]:
        """Where each node of the latest plan runs, and why not elsewhere."""
        with self.handle as engine:
            return _stats.placement(engine)

    def gpu_handles(self) -> GpuHandles:
        """With what tensors in memory of the GPU are made. Raises UnsupportedError if no part of
        the model runs there."""
        context, device = ffi.new("void **"), ffi.new("void **")
        with self.handle as engine:
            check(lib.mace_engine_gpu_handles(engine, context, device))
        return GpuHandles(int(ffi.cast("uintptr_t", context[0])),
                          int(ffi.cast("uintptr_t", device[0])))

    def import_dma_buf(self, file: int, shape: Sequence[int]) -> Union[GpuTensor, np.ndarray]:
        """A tensor of float32 in a dma-buf, such as a frame of a camera, for any number of runs.
        `file` is its descriptor, open for both. A GPU that can import it uses it without a copy;
        otherwise it is an array in the mapped memory, and the log says what the GPU lacks. The
        dma-buf must outlive it. Raises InvalidArgumentError."""
        with self.handle as engine:
            return imported_dma_buf(engine, file, shape)

    def device_counts(self) -> dict[str, int]:
        """What the engine's devices did so far."""
        with self.handle as engine:
            return _stats.device_counts(engine)

    def dump(self, stage: str) -> str:
        """A stage of preparing the model: "graph", "plan", "memory", "tuning", "plan_json" or
        "memory_json"; or "trace", the latest spans as a Chrome trace, with tracing=True."""
        with self.handle as engine:
            return words(lib.mace_engine_dump, engine, encoded(stage))

    def close(self) -> None:
        """Returns at once. A run that goes on in another thread ends as it would, and then the
        memory is freed. Later calls raise ClosedError."""
        self.handle.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.handle.closed else "open"
        return f"<mace.Engine {', '.join(self._inputs)} -> {', '.join(self._outputs)}, {state}>"


def _writable(name: str, array: Any) -> np.ndarray:
    if not isinstance(array, np.ndarray):
        raise InvalidArgumentError(f"outputs['{name}']: a NumPy array, not "
                                   f"{type(array).__name__}")
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable and array.dtype.isnative):
        raise InvalidArgumentError(f"outputs['{name}']: the array must be dense (C-contiguous), "
                                   "aligned, in the machine's byte order, and writable")
    code_of(name, array.dtype)
    return array
