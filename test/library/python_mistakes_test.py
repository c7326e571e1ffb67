"""The Python package: callbacks that fail, names that C would cut, engines that are copied, closed
or forked while they run.

SPDX-License-Identifier: Apache-2.0
"""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import small_models

from mace_tools.package import encryption

pytestmark = pytest.mark.full
SECRET = bytes(range(100, 132))


@pytest.fixture
def digits(mace, models):
    with mace.Engine(models["digits"]) as engine:
        yield engine


@pytest.fixture(scope="module")
def sealed(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("sealed") / "digits.sealed"
    encryption.seal(models["digits"], models["digits"].with_suffix(".data"),
                 encryption.Key(SECRET, "k7"), path)
    return path


def pixels():
    return small_models.pixels(3).reshape(1, 1, 8, 8)


@pytest.mark.parametrize("call", [
    lambda mace, engine, model: mace.Engine(f"{model}\0x"),
    lambda mace, engine, model: mace.Model(model, "weights\0x"),
    lambda mace, engine, model: mace.Engine(model, outputs=["probabilities\0x"]),
    lambda mace, engine, model: mace.Engine(model, memory_strategy="NAIVE\0x"),
    lambda mace, engine, model: engine.run({"input\0x": pixels()}),
    lambda mace, engine, model: engine.dump("plan\0x"),
])
def test_a_zero_character_does_not_end_a_name(mace, models, digits, call):
    with pytest.raises(mace.InvalidArgumentError, match="holds a zero character"):
        call(mace, digits, models["digits"])


def test_names_are_texts(mace, digits):
    with pytest.raises(mace.InvalidArgumentError, match="5 is no name"):
        digits.run({5: pixels()})


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
def test_engines_are_not_copied(digits, duplicate, recwarn):
    with pytest.raises(TypeError, match="the engine cannot be copied or pickled"):
        duplicate(digits)
    assert digits(pixels()).argmax() == 3
    assert not recwarn.list  # nor did a half-made copy fail when it was freed


@pytest.mark.parametrize("key, text", [
    (b"x" * 31, "a key has 32 bytes, not 31"), (lambda name: b"", "a key has 32 bytes, not 0"),
    (None, "a key is 32 bytes, not NoneType"), (lambda name: "x" * 32, "32 bytes, not str"),
    (lambda name: 1 / 0, "division by zero"), (lambda: SECRET, "positional argument"),
])
def test_keys_that_cannot_be_are_refused(mace, sealed, key, text):
    with pytest.raises(mace.InvalidArgumentError, match=rf"the key 'k7' .*{text}"):
        mace.Model.from_sealed(sealed, key)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_an_interruption_goes_through_a_key_function(mace, sealed, raised):
    def key(name):
        raise raised()

    with pytest.raises(raised):
        mace.Model.from_sealed(sealed, key)


def test_a_key_function_may_load_models_itself(mace, sealed):
    def key(name):
        mace.Model.from_sealed(sealed, SECRET)
        return SECRET

    assert mace.Engine(mace.Model.from_sealed(sealed, key))(pixels()).argmax() == 3


def test_a_log_that_raises_stops_nothing(mace, models, monkeypatch):
    def log(level, message):
        raise RuntimeError("no log today")

    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: seen.append(str(found.exc_value)))
    mace.set_log(log, mace.LogLevel.VERBOSE_1)
    try:
        assert mace.Engine(models["digits"])(pixels()).argmax() == 3
    finally:
        mace.set_log(None)
    assert seen and set(seen) == {"no log today"}
    with pytest.raises(TypeError, match="log is a function or None, not int"):
        mace.set_log(5)


def test_threads_that_change_the_log_at_once_free_nothing_in_use(mace, models):
    counts, failed = [0] * 4, []

    def change(k):
        def count(level, message):
            counts[k] += 1

        for _ in range(200):
            mace.set_log(count, mace.LogLevel.VERBOSE_1)

    def write():
        try:
            for _ in range(100):
                engine(pixels())
        except mace.MaceError as e:
            failed.append(e)

    with mace.Engine(models["digits"], num_threads=1) as engine:
        threads = [threading.Thread(target=change, args=(k,)) for k in range(4)]
        threads.append(threading.Thread(target=write))
        [t.start() for t in threads], [t.join() for t in threads]
        for k in range(4):
            change(k)
            before = counts[k]
            engine(pixels())
            assert counts[k] > before
        mace.set_log(None)
    assert not failed


@pytest.mark.parametrize("is_closed", [True, False])
def test_an_engine_is_closed_or_forgotten_while_it_runs(mace, models, is_closed):
    engine = mace.Engine(models["slow"], num_threads=1)
    x = np.zeros(next(iter(engine.inputs.values())).shape, np.float32)
    results = []
    thread = threading.Thread(target=lambda e: results.append(e(x)), args=(engine,))
    thread.start()
    time.sleep(0.1)
    if is_closed:
        engine.close()
        with pytest.raises(mace.ClosedError):
            engine(x)
    del engine
    thread.join()
    assert len(results) == 1


class Gives:
    """By DLPack, with this as the capsule."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule


@pytest.mark.parametrize("capsule", [5, None, ValueError("no tensor today")])
def test_what_is_no_capsule_is_refused(mace, digits, capsule):
    with pytest.raises(mace.InvalidArgumentError, match="Gives gives no tensor of the CPU"):
        digits(Gives(capsule))


FORK = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import numpy as np, mace
engine = mace.Engine(sys.argv[2], num_threads=2)
x = np.ones(next(iter(engine.inputs.values())).shape, np.float32)
y = engine(x)
child = os.fork()
if child == 0:
    signal.alarm(60)  # threads that the fork lost must not be waited for
    os._exit(0 if np.array_equal(engine(x), y) else 1)
sys.exit(os.waitpid(child, 0)[1])
"""


def test_an_engine_runs_in_a_forked_process(site, models):
    done = subprocess.run([sys.executable, "-c", FORK, site, models["wide"]], check=False,
                          env={**os.environ})
    assert done.returncode == 0


FORK_BUSY = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np, mace
engine = mace.Engine(sys.argv[2], num_threads=2)
name, info = next(iter(engine.inputs.items()))
x = np.ones(info.shape, np.float32)
y = engine(x)
if sys.argv[3] == "log":
    mace.set_log(lambda level, message: time.sleep(.001), mace.LogLevel.VERBOSE_1)
stop = []
def busy():
    while not stop:
        engine(x)
        mace.Engine(sys.argv[2], num_threads=2).close()
threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads: thread.start()
bad = 0
for i in range(20):
    time.sleep(.003)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = np.array_equal(engine(x), y) and np.array_equal(
            mace.Engine(sys.argv[2], num_threads=2)(x), y)
        engine.close()
        mace.set_log(None)
        os._exit(0 if same else 1)
    bad += os.waitpid(child, 0)[1] != 0
stop.append(1)
for thread in threads: thread.join()
sys.exit(bad)
"""


@pytest.mark.parametrize("log", ["log", "quiet"])
def test_a_process_is_forked_while_its_engines_run(site, models, log):
    done = subprocess.run([sys.executable, "-c", FORK_BUSY, site, models["wide"], log], check=False,
                          env={**os.environ}, timeout=300)
    assert done.returncode == 0
