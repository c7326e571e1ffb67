"""The Python package: its wheel, installed by pip, classifies a digit; and what it refuses.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import small_models
from consumers import gpu_environment

from mace_tools.graph import settings

pytestmark = pytest.mark.full


@pytest.fixture
def digits(mace, models):
    with mace.Engine(models["digits"]) as engine:
        yield engine


def test_arrays_are_used_in_place(mace, digits):
    x = small_models.pixels(3)
    y = digits(x)
    assert y.shape == (1, 10) and y.dtype == np.float32 and y.argmax() == 3
    out = np.full((1, 10), -1, np.float32)
    assert digits.run({"input": x}, outputs={"probabilities": out})["probabilities"] is out
    np.testing.assert_array_equal(out, y)
    seen = out.ctypes.data
    digits(x, outputs={"probabilities": out})
    assert out.ctypes.data == seen
    second = digits(small_models.pixels(7))
    np.testing.assert_array_equal(out, y)  # results of runs do not share memory
    digits.close()
    assert second.argmax() == 7  # and outlive the engine
    second[0, 0] = 5


class Foreign:
    """A tensor of another library, which knows DLPack and nothing of NumPy."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_tensors_of_other_libraries_come_by_dlpack(mace, digits):
    x = small_models.pixels(3)
    y = digits(Foreign(x))
    np.testing.assert_array_equal(y, digits(x))
    np.testing.assert_array_equal(np.from_dlpack(y), y)  # a result is one, too
    with pytest.raises(mace.InvalidArgumentError, match="'input': Foreign gives no tensor of the "):
        digits(Foreign(x, (2, 0)))


def test_other_layouts_and_byte_orders_are_copied(digits):
    x = small_models.pixels(3)
    wanted = digits(x)
    other = np.asfortranarray(x.transpose(0, 1, 3, 2)).transpose(0, 1, 3, 2)
    strided = np.repeat(x, 2, axis=3)[..., ::2]
    assert not strided.flags.c_contiguous
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1).reshape(x.shape)
    assert not shifted.flags.aligned
    for same in (other, strided, x.astype(">f4"), x.tolist(), x[:, :, ::-1][:, :, ::-1], shifted):
        np.testing.assert_array_equal(digits(same), wanted)


def test_quantized_values_go_in_and_out_with_their_scale(mace, models):
    with mace.Engine(models["quantized"]) as engine:
        info = engine.inputs["x"]
        assert info.dtype == "int8" and info.zero_point == small_models.ZERO and info.quantized
        assert info.scale == np.float32(small_models.SCALE)
        q_values = np.int8([[-128, 3, 13, 127]])
        wanted = np.int8([[3, 3, 13, 127]])
        np.testing.assert_array_equal(engine(q_values), wanted)
        floats = info.dequantize(q_values)
        np.testing.assert_array_equal(engine(floats), wanted)
        np.testing.assert_array_equal(info.quantize(floats), q_values)
        np.testing.assert_array_equal(engine(q_values, float32=True),
                                      engine.outputs["y"].dequantize(wanted))
        np.testing.assert_array_equal(info.quantize([-100.0, 100.0]), np.int8([-128, 127]))
    with mace.Engine(models["two"]) as engine, pytest.raises(mace.MaceError, match="float32"):
        engine.inputs["a"].quantize([1.0])


def test_several_inputs_outputs_and_shapes(mace, models):
    with mace.Engine(models["two"]) as engine:
        a, b = np.float32([[1, 2, 3], [4, 5, 6]]), np.ones((2, 3), np.float32)
        total, difference = engine(a, b)
        np.testing.assert_array_equal(total, a + b)
        np.testing.assert_array_equal(difference, a - b)
        assert list(engine.inputs) == ["a", "b"] and list(engine.outputs) == ["sum", "difference"]
        larger = np.zeros((5, 3), np.float32)
        assert engine(larger, larger)[0].shape == (5, 3)
        assert engine.inputs["a"].shape == (5, 3)
    with mace.Engine(models["two"], outputs=["difference"]) as engine:
        np.testing.assert_array_equal(engine(a, b), a - b)


def test_what_is_refused_says_why(mace, models, digits):
    x, path = small_models.pixels(3), models["digits"]
    for call, words in (
        (lambda: digits(x.astype(np.float64)), "no type float64; convert the array with .astype"),
        (lambda: digits(x[0]), r"expected a shape like \[1,1,8,8\], found \[1,8,8\]"),
        (lambda: digits(x, x), "2 inputs were given; the model has input"),
        (lambda: digits(["a"]), "'input': list is no tensor"),
        (lambda: digits(None), "'input': NoneType is no tensor"),
        (lambda: digits.run(x), "inputs: a dict of arrays by name"),
        (lambda: digits.run({"inptu": x}), "no input named 'inptu'; the inputs are 'input'"),
        (lambda: digits.run({}), "'input'"),
        (lambda: digits(x, outputs={"probabilities": np.zeros((2, 10), np.float32)}), r"\[1,10\]"),
        (lambda: digits(x, outputs={"probabilities": np.zeros((1, 20), "f4")[:, ::2]}), "dense"),
        (lambda: digits(x, outputs={"probabilities": [0] * 10}), "NumPy array, not list"),
        (lambda: digits(x, outputs={"probabilities": np.frombuffer(bytes(40), "f4")}), "writable"),
        (lambda: digits(x, outputs={"probabilities": np.frombuffer(bytearray(41), "f4", 10, 1)}),
         "aligned"),
        (lambda: mace.Engine.query_arena_bytes(path, input_shapes={"input": [1, 1, 2**40, 2**40]}),
         "no tensor has the shape"),
        (lambda: mace.Engine.query_arena_bytes(path, input_shapes={"input": [2**70]}),
         "'input': a shape is a list of integers of 64 bits"),
        (lambda: mace.Engine.query_arena_bytes(path, input_shapes={"input": 5}), "shape is a list"),
        (lambda: mace.Engine(path, offline_memory_plan=[2**40]), "integers of 32 bits"),
        (lambda: mace.ImageConverter(2**40, 8), "width=1099511627776: it is an integer"),
        (lambda: mace.ImageConverter(8, 8, num_threads=2.5), "num_threads=2.5: it is an integer"),
        (lambda: mace.ImageConverter(8, 8)(np.zeros((8, 8, 3), np.uint8), crop=(0, 0, 2**33, 1)),
         "crop=8589934592: it is"),
        (lambda: digits.profile({"input": x}, outptus={}), "no option outptus"),
        (lambda: digits.dump("plans"), "there is no stage 'plans'; choose graph, plan"),
        (lambda: mace.Engine(path, device="npu"), "the devices are cpu, gpu, dsp"),
        (lambda: mace.Engine(path, treads=2), "there is no setting 'treads'; the settings are"),
        (lambda: mace.Engine(path, num_threads=2.5), "num_threads=2.5: a setting is a number"),
        (lambda: mace.Engine(path, memory_strategy="BEST"), "'BEST' is not one of NAIVE"),
        (lambda: mace.Engine(path, outputs="probabilities"), r"write \['probabilities'\]"),
        (lambda: mace.Engine(path, outputs=["p"]), "'p'"),
        (lambda: mace.Engine(path, arena=np.zeros(64, np.float32)[::2]), "arena: it is a dense"),
        (lambda: mace.Engine("/no/net.pb"), "cannot open '/no/net.pb': No such file"),
        (lambda: mace.Model.from_bytes(7), "graph and data are bytes or arrays"),
        (lambda: mace.capability("npu"), "the devices are cpu, gpu, dsp"),
    ):
        with pytest.raises(mace.InvalidArgumentError, match=words) as error:
            call()
        assert error.value.status == mace.Status.INVALID_ARGS and isinstance(
            error.value, ValueError)
    with pytest.raises(mace.InvalidModelError, match="not a MACE model") as error:
        mace.Model.from_bytes(b"no model")
    assert error.value.status == 5 and "not a MACE model" in error.value.message
    with pytest.raises(mace.OutOfResourcesError):
        mace.Engine(path, memory_limit=100)(x)
    with pytest.raises(mace.UnsupportedError, match="the DSP runs 0 of the multiply-adds"):
        mace.Engine(path, device="dsp", dsp_library="no_such.so", require={"dsp": 0.9})
    with pytest.raises(mace.InvalidArgumentError, match="a share from 0 to 1"):
        mace.Engine(path, require={"gpu": 2})
    assert digits(x).argmax() == 3  # still usable


def test_every_setting_of_the_engine_is_a_keyword(mace, models):
    names = {row["name"] for row in json.loads(settings.LIST.read_text())}
    own = {"gpu_context", "share_memory_with", "offline_memory_plan", "arena", "custom_ops"}
    assert set(mace.Settings.__annotations__) == names | own
    every = {"num_threads": 2, "cpu_affinity_policy": mace.Affinity.NONE, "winograd": 0,
             "memory_strategy": "PRESERVE_ALL", "memory_savings": ["views"], "guard": True,
             "memory_limit": 1 << 30, "check_numerics": True, "gpu_data_type": "fp32_fp32",
             "gpu_perf_hint": mace.GpuPerf.HIGH, "gpu_priority_hint": 1, "gpu_queue_window": 4,
             "gpu_kernel_micros": 1000, "tuning_ms": 0, "float32_nodes": []}  # fmt: skip
    with mace.Engine(models["digits"], **every) as engine:
        assert engine(small_models.pixels(5)).argmax() == 5
        assert engine.memory_usage().head_bytes > mace.Engine(
            models["digits"], winograd=0).memory_usage().head_bytes


def test_tracing_keeps_spans_of_runs_and_ops(mace, models):
    with mace.Engine(models["digits"], tracing=True) as engine:
        engine(small_models.pixels(5))
        events = json.loads(engine.dump("trace"))["traceEvents"]
    names = [event["name"] for event in events]
    assert names.count("run") == 1 and any(name.startswith("Conv2d ") for name in names)
    with mace.Engine(models["digits"]) as engine:
        with pytest.raises(mace.InvalidArgumentError, match="setting tracing"):
            engine.dump("trace")


def test_an_engine_says_where_its_nodes_run(mace, models):
    with mace.Engine(models["digits"], require={"cpu": 1}) as engine:
        placement = engine.placement()
        assert {(node.device, node.reason) for node in placement} == {("CPU", "")}
        assert sum(node.macs for node in placement) > 0 and all(n.kernel for n in placement)
        usage = engine.memory_usage()
        assert usage.mapped_bytes > 0 and usage.anonymous_bytes >= usage.head_bytes
        assert usage.limit_bytes == usage.available_bytes // 4 * 3
    tests = mace.kernel_tests()
    assert tests and not any(test.reason for test in tests)


def test_memory_is_shared_given_and_released(mace, models):
    x = small_models.pixels(4)
    first = mace.Engine(models["digits"])
    second = mace.Engine(models["digits"], share_memory_with=first)
    assert first(x).argmax() == second(x).argmax() == 4
    usage = second.memory_usage()
    assert usage.allocated_arena_bytes == first.memory_usage().allocated_arena_bytes > 0
    assert usage.peak_node
    second.release_memory()
    assert second.memory_usage().allocated_arena_bytes == 0 and first(x).argmax() == 4
    bytes_of = np.zeros(usage.head_bytes + 65536 + 64, np.uint8)
    begin = -bytes_of.ctypes.data % 64
    arena = bytes_of[begin:begin + usage.head_bytes + 65536]
    assert mace.Engine(models["digits"], arena=arena)(x).argmax() == 4 and arena.any()


def test_models_in_memory(mace, models):
    path = models["digits"]
    graph, data = path.read_bytes(), path.with_suffix(".data").read_bytes()
    x = small_models.pixels(8)
    wanted = mace.Engine(path)(x)
    with mace.Model.from_bytes(graph, data) as model:
        assert list(model.inputs) == ["input"] and model.name
        assert model.dimensions["input"][2] == mace.Dimension("", 8, 8)
        engine = mace.Engine(model)
    memory = np.zeros(len(data) + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    aligned = memory[begin:begin + len(data)]
    aligned[:] = np.frombuffer(data, np.uint8)
    used = mace.Engine(mace.Model.from_bytes(graph, aligned))
    del aligned, memory, data
    np.testing.assert_array_equal(engine(x), wanted)
    np.testing.assert_array_equal(used(x), wanted)
    engine.close(), used.close()
    assert sys.modules["mace._model"]._held == {}
    with pytest.raises(mace.ClosedError, match="the model is closed"):
        mace.Engine(model)


def test_a_file_is_cut_short_while_a_model_in_memory_lives(mace, models, tmp_path):
    for suffix in (".pb", ".data"):
        (tmp_path / f"m{suffix}").write_bytes(models["digits"].with_suffix(suffix).read_bytes())
    model = mace.Model(tmp_path / "m.pb", into_memory=True)
    for suffix in (".pb", ".data"):
        os.truncate(tmp_path / f"m{suffix}", 1)
    assert mace.Engine(model)(small_models.pixels(3)).argmax() == 3


def test_a_run_is_cancelled_and_python_goes_on_meanwhile(mace, models):
    engine = mace.Engine(models["slow"], num_threads=1)
    x, cancellation, ends = np.zeros((1, 512, 112, 112), np.float32), mace.Cancellation(), []

    def call():
        with pytest.raises(mace.CancelledError, match="cancelled"):
            engine.run({"x": x}, cancellation=cancellation)
        ends.append(time.monotonic())

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()  # this thread runs while that one is in the engine
    engine.close()  # returns at once
    assert thread.is_alive() and not cancellation.cancelled
    cancelled = time.monotonic()
    cancellation.cancel()
    thread.join(60)
    assert ends and ends[0] - cancelled < 30 and cancellation.cancelled
    with pytest.raises(mace.ClosedError, match="the engine is closed") as error:
        engine(x)
    assert error.value.status == mace.Status.INVALID_ARGS


def test_a_run_ends_at_its_deadline(mace, models, digits):
    x = small_models.pixels(3)
    assert digits.run({"input": x}, cancellation=mace.Cancellation(3600))
    with mace.Engine(models["slow"], num_threads=1) as slow:
        zeros = {name: np.zeros(info.shape, np.float32) for name, info in slow.inputs.items()}
        for deadline, micros in ((0.03, 30000), (0, 0)):
            ends = mace.Cancellation(deadline=deadline)
            with pytest.raises(mace.CancelledError, match=f"deadline, which was {micros} us after"):
                slow.run(zeros, cancellation=ends)
            assert ends.cancelled
    ends = mace.Cancellation()
    ends.set_deadline(1e300)
    assert digits.run({"input": x}, cancellation=ends)
    for wrong in ("1 s", float("nan"), None):
        with pytest.raises(mace.InvalidArgumentError, match="a number of seconds"):
            ends.set_deadline(wrong)


def test_threads_share_an_engine(digits):
    wrong = []

    def call(digit):
        x = small_models.pixels(digit)
        wrong.extend(digit for _ in range(50) if digits(x).argmax() != digit)

    threads = [threading.Thread(target=call, args=(digit,)) for digit in (1, 3, 7)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong


def test_quantized_models_run_on_a_dsp(mace, models, stand_in):
    q_values = np.array([[-128, -5, 3, 127]], np.int8)
    expected = mace.Engine(models["quantized"])(q_values)
    with mace.Engine(models["quantized"], device="dsp", dsp_library=str(stand_in),
                     dsp_takes_all=True) as engine:
        assert "on DSP: hexagon_nn" in engine.dump("plan")
        np.testing.assert_array_equal(engine(q_values), expected)
    with mace.Engine(models["quantized"], device="dsp", dsp_library="/missing.so") as engine:
        assert "the CPU takes over" in engine.dump("plan") and "/missing.so" in engine.dump("plan")
        np.testing.assert_array_equal(engine(q_values), expected)


def test_what_a_run_did(mace, digits):
    results, ops = digits.profile({"input": small_models.pixels(2)})
    assert results["probabilities"].argmax() == 2
    assert {"Conv2d", "Softmax"} <= {op.type for op in ops}
    conv = next(op for op in ops if op.type == "Conv2d")
    assert conv.macs > 0 and conv.end_micros >= conv.start_micros and conv.device == "CPU"
    assert json.loads(digits.dump("plan_json"))
    messages = []
    mace.set_log(lambda level, message: messages.append((level, message)), mace.LogLevel.VERBOSE_1)
    digits(small_models.pixels(2))
    mace.set_log(None)
    digits(small_models.pixels(2))
    assert messages and messages[0][0] == mace.LogLevel.VERBOSE_1 and len(messages) < 3
    cpu = mace.capability("cpu")
    assert cpu.supported and 0 < cpu.float32_time < 1e5


GPU = """
import sys, numpy as np, mace
done = []
context = mace.GpuContext(storage_path=sys.argv[2], progress=lambda n, of: done.append((n, of)))
x = np.random.default_rng(1).uniform(-1, 1, (1, 16, 64, 64)).astype(np.float32)
engine = mace.Engine(sys.argv[1], device="gpu", gpu_context=context, gpu_data_type="fp32_fp32")
difference = abs(engine(x) - mace.Engine(sys.argv[1])(x)).max()
print(difference < 1e-5, engine.device_counts()["kernels"] > 0, done[-1][0] == done[-1][1])
"""


def test_the_gpu(site, models, tmp_path):
    done = subprocess.run([sys.executable, "-c", GPU, models["wide"], tmp_path],
                          capture_output=True, env=gpu_environment(site))
    assert done.stdout.decode().split() == ["True"] * 3, done.stderr.decode()
