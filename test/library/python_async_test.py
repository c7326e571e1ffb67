"""Asynchronous runs of the Python package: futures, coroutines, capacity, cancelling, closing.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import gc
import os
import threading

import numpy as np
import pytest
import small_models

pytestmark = pytest.mark.full


@pytest.fixture
def engine(mace, models):
    with mace.Engine(models["digits"]) as engine:
        yield engine


@pytest.fixture
def runs(mace, engine):
    with mace.AsyncRuns(engine, capacity=3) as runs:
        yield runs


def digit(number):
    return {"input": small_models.pixels(number)}


def blocked(runs):
    """Keeps the thread of the queue in a callback until the event is set."""
    entered, release = threading.Event(), threading.Event()

    def wait(_):
        if threading.current_thread().name == "mace-async":
            entered.set()
            release.wait(20)

    while not entered.is_set():
        runs.submit(digit(1)).add_done_callback(wait)
        entered.wait(0.2)
    return release


def test_results_are_those_of_run_and_come_in_order(engine, runs):
    order = []
    futures = [runs.submit(digit(k)) for k in (3, 7, 4)]
    for k, future in enumerate(futures):
        future.add_done_callback(lambda _, k=k: order.append(k))
    for k, future in zip((3, 7, 4), futures):
        np.testing.assert_array_equal(future.result(20)["probabilities"],
                                      engine.run(digit(k))["probabilities"])
    assert sorted(order) == [0, 1, 2]


def test_errors_are_those_of_run(mace, runs):
    with pytest.raises(mace.InvalidArgumentError, match="wrong"):
        runs.submit({"wrong": np.zeros(3, np.float32)}).result(20)
    with pytest.raises(TypeError):
        runs.submit(digit(1), speed=3).result(20)
    assert runs.submit(digit(3)).result(20)["probabilities"].argmax() == 3


def test_too_many_are_refused_and_closing_cancels_what_waits(mace, engine):
    runs = mace.AsyncRuns(engine, capacity=2)
    release, calls = blocked(runs), []
    waiting = [runs.submit(digit(k)) for k in range(2 - runs.pending)]
    for future in waiting:
        future.add_done_callback(lambda f: calls.append(f.exception()))
    with pytest.raises(mace.OutOfResourcesError, match="2 runs wait already"):
        runs.submit(digit(1))
    closer = threading.Thread(target=runs.close)
    closer.start()
    closer.join(0.1)
    assert closer.is_alive() and not calls  # it waits for the callback
    release.set()
    closer.join(20)
    runs.close()
    assert len(calls) == len(waiting)
    assert all(isinstance(error, mace.CancelledError) for error in calls)
    with pytest.raises(mace.ClosedError):
        runs.submit(digit(1))


def test_waiting_runs_can_be_cancelled(mace, runs):
    release = blocked(runs)
    dropped, ended = runs.submit(digit(1)), mace.Cancellation()
    other = runs.submit(digit(2), cancellation=ended)
    ended.cancel()
    assert dropped.cancel()
    release.set()
    with pytest.raises(mace.CancelledError):
        other.result(20)


def test_coroutines(mace, engine, runs):
    async def several():
        found = await asyncio.gather(*(runs.run(digit(k)) for k in (3, 7)))
        assert [f["probabilities"].argmax() for f in found] == [3, 7]
        release, ends = blocked(runs), mace.Cancellation()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(runs.run(digit(1), cancellation=ends), 0.05)
        assert ends.cancelled  # the run does not go on for nobody
        release.set()
        return await runs.run(digit(4))

    assert asyncio.run(several())["probabilities"].argmax() == 4


def test_callbacks_may_submit_and_close(mace, engine):
    runs, done = mace.AsyncRuns(engine, capacity=4), threading.Event()

    def again(_):
        runs.submit(digit(7)).add_done_callback(lambda _: (runs.close(), done.set()))

    runs.submit(digit(3)).add_done_callback(again)
    assert done.wait(20)


def test_dropped_objects_end_their_thread(mace, engine):
    runs = mace.AsyncRuns(engine)
    runs.submit(digit(3))  # nobody waits for it
    thread = runs._thread
    del runs
    gc.collect()
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.parametrize("capacity", [0, -1, 1.5, True, "3"])
def test_bad_arguments(mace, engine, capacity):
    with pytest.raises(mace.InvalidArgumentError, match="capacity"):
        mace.AsyncRuns(engine, capacity)
    with pytest.raises(mace.InvalidArgumentError, match="an Engine, not str"):
        mace.AsyncRuns("net.pb")


def test_a_child_has_no_thread_for_them(mace, engine, runs):
    runs.submit(digit(1)).result(20)
    child = os.fork()
    if child == 0:
        try:
            runs.submit(digit(1))
        except mace.InvalidArgumentError as e:
            os._exit(0 if "after the fork" in str(e) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
