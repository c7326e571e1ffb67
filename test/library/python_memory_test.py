"""Memory of the caller in Python: an arena, and tensors on the GPU.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys

import numpy as np
import pytest
import small_models
from consumers import gpu_environment

pytestmark = pytest.mark.deep


def test_an_arena_is_as_large_as_the_engine_says(mace, models):
    size = mace.Engine.query_arena_bytes(models["digits"])
    memory = np.zeros(size + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    x = small_models.pixels(4)
    with mace.Engine(models["digits"], arena=memory[begin:begin + size]) as engine:
        assert engine(x).argmax() == 4
    with pytest.raises(mace.MaceError, match=str(size)):
        mace.Engine(models["digits"], arena=memory[begin:begin + size - 64])(x)
    with mace.Model(models["digits"]) as model:
        two = mace.Engine.query_arena_bytes(model, input_shapes={"input": (2, 1, 8, 8)})
        assert two > size
        with pytest.raises(mace.InvalidArgumentError, match="nothing"):
            mace.Engine.query_arena_bytes(model, input_shapes={"nothing": (1,)})
    with mace.Engine(models["digits"]) as engine:
        with pytest.raises(mace.UnsupportedError):
            engine.gpu_handles()


def test_a_dma_buf_is_an_input_and_an_output(mace, models):
    """A file in memory stands for it; it is mapped, as nothing runs on a GPU."""
    file, results = os.memfd_create("frame"), os.memfd_create("results")
    os.truncate(file, 4 * 64)
    os.truncate(results, 4 * 10)
    try:
        with mace.Engine(models["digits"]) as engine:
            (name,), ((_, info),) = engine.inputs, engine.outputs.items()
            x = engine.import_dma_buf(file, (1, 1, 8, 8))
            y = engine.import_dma_buf(results, info.shape)
            for digit in (4, 7):
                os.pwrite(file, small_models.pixels(digit).tobytes(), 0)
                engine.run({name: x}, outputs={info.name: y})
                written = np.frombuffer(os.pread(results, 4 * 10, 0), np.float32)
                np.testing.assert_array_equal(written, engine(small_models.pixels(digit))[0])
                assert y.argmax() == digit
            with pytest.raises(mace.InvalidArgumentError, match="has 256 bytes, the tensor 512"):
                engine.import_dma_buf(file, (2, 1, 8, 8))
            with pytest.raises(mace.InvalidArgumentError, match="set either dma_buf"):
                engine.import_dma_buf(-1, (1, 1, 8, 8))
        assert y.argmax() == 7  # it outlives the engine
    finally:
        os.close(file)
        os.close(results)


GPU_MEMORY = """
import ctypes, sys
import mace
import numpy as np

cl = ctypes.CDLL("libOpenCL.so.1")
pointer, size = ctypes.c_void_p, ctypes.c_size_t
cl.clCreateBuffer.restype = cl.clCreateCommandQueue.restype = pointer
cl.clCreateBuffer.argtypes = [pointer, ctypes.c_uint64, size, pointer, pointer]
cl.clCreateCommandQueue.argtypes = [pointer, pointer, ctypes.c_uint64, pointer]
copies = [pointer, pointer, ctypes.c_uint, size, size, pointer, ctypes.c_uint, pointer, pointer]
cl.clEnqueueReadBuffer.argtypes = cl.clEnqueueWriteBuffer.argtypes = copies
x = np.random.default_rng(0).random((1, 16, 64, 64), dtype=np.float32)
with mace.Engine(sys.argv[1], device="gpu", gpu_data_type="fp32_fp32") as engine:
    (name,), wanted = engine.outputs, engine(x)
    handles = engine.gpu_handles()
    queue = cl.clCreateCommandQueue(handles.context, handles.device, 0, None)
    given = cl.clCreateBuffer(handles.context, 1, x.nbytes, None, None)
    made = cl.clCreateBuffer(handles.context, 1, wanted.nbytes, None, None)
    assert queue and given and made
    assert cl.clEnqueueWriteBuffer(queue, given, 1, 0, x.nbytes, x.ctypes.data, 0, None, None) == 0
    out = mace.GpuTensor(made, wanted.shape)
    results = engine.run({"x": mace.GpuTensor(given, x.shape)}, outputs={name: out})
    assert results[name] is out
    found = np.zeros_like(wanted)
    assert cl.clEnqueueReadBuffer(queue, made, 1, 0, found.nbytes, found.ctypes.data, 0, None,
                                  None) == 0
    np.testing.assert_array_equal(found, wanted)
    try:
        engine.run({"x": mace.GpuTensor(0, x.shape)})
    except mace.InvalidArgumentError as e:
        print(e)
cl.clCreateContext.restype = pointer
cl.clCreateContext.argtypes = [pointer, ctypes.c_uint, pointer, pointer, pointer, pointer]
device = pointer(handles.device)
own = cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None)
assert own
shared = mace.GpuContext(opencl_context=mace.GpuHandles(own, handles.device))
options = {"device": "gpu", "gpu_data_type": "fp32_fp32"}
with mace.Engine(sys.argv[1], gpu_context=shared, **options) as engine:
    assert engine.gpu_handles() == mace.GpuHandles(own, handles.device)
    np.testing.assert_array_equal(engine(x), wanted)
try:
    mace.GpuContext(opencl_context=mace.GpuHandles(own, 0))
except mace.InvalidArgumentError as e:
    assert "cl_device_id is null" in str(e)
"""


def test_tensors_in_memory_of_the_gpu(site, models):
    done = subprocess.run([sys.executable, "-c", GPU_MEMORY, str(models["wide"])],
                          capture_output=True, text=True, env=gpu_environment(site))
    assert done.returncode == 0, done.stderr
    assert "cl_mem is null" in done.stdout
