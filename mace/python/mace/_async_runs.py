"""AsyncRuns: runs of an engine that do not make the caller wait.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import asyncio
import collections
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple, Optional

from mace._engine import Cancellation, Engine
from mace._errors import CancelledError, ClosedError, InvalidArgumentError, OutOfResourcesError


class _Run(NamedTuple):
    inputs: Mapping[str, Any]
    options: dict[str, Any]
    future: Future[Any]


class _Queue:
    """What the thread shares with the AsyncRuns, which may go before it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.waiting: collections.deque[_Run] = collections.deque()
        self.changed = threading.Condition()
        self.closed = False

    def run_all(self) -> None:
        while True:
            with self.changed:
                while not self.waiting and not self.closed:
                    self.changed.wait()
                if not self.waiting:
                    return
                run = self.waiting.popleft()
                begins = not self.closed
            self._end(run, begins)

    def _end(self, run: _Run, begins: bool) -> None:
        if not run.future.set_running_or_notify_cancel():
            return  # its caller cancelled it
        if not begins:
            run.future.set_exception(CancelledError("the queue was closed before this run began"))
            return
        try:
            result = self.engine.run(run.inputs, **run.options)
        except BaseException as e:
            run.future.set_exception(e)
        else:
            run.future.set_result(result)

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()


class AsyncRuns:
    """A queue of runs of one engine, and the thread that runs them one after the other, in the
    order of the calls. Callbacks of futures are called by that thread, exactly once; the next run
    begins when they have returned. Nobody needs to wait for a future.

        with mace.AsyncRuns(engine, capacity=2) as runs:
            future = runs.submit({"input": x})         # a concurrent.futures.Future
            outputs = await runs.run({"input": x})     # in a coroutine
    """

    def __init__(self, engine: Engine, capacity: int = 4) -> None:
        """`capacity`: how many runs may wait."""
        if not isinstance(engine, Engine):
            raise InvalidArgumentError(f"engine: an Engine, not {type(engine).__name__}")
        if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
            raise InvalidArgumentError(f"capacity: a number of at least 1, not {capacity!r}")
        self._capacity, self._process = capacity, os.getpid()
        self._queue = _Queue(engine)
        self._thread = threading.Thread(target=self._queue.run_all, name="mace-async", daemon=True)
        self._thread.start()

    def submit(self, inputs: Mapping[str, Any], **options: Any) -> Future[dict[str, Any]]:
        """As Engine.run, and returns at once with a future of the outputs. The arrays belong to the
        run until the future is done. A future that waits can be cancelled; `cancellation` ends one
        that runs, too. Raises OutOfResourcesError if `capacity` runs wait, and ClosedError."""
        if self._is_forked():
            raise InvalidArgumentError("the thread of these asynchronous runs is the parent's; "
                                       "make a new AsyncRuns after the fork")
        future: Future[dict[str, Any]] = Future()
        with self._queue.changed:
            if self._queue.closed:
                raise ClosedError("the asynchronous runs are closed")
            if len(self._queue.waiting) >= self._capacity:
                raise OutOfResourcesError(f"{self._capacity} runs wait already, which is the "
                                          "capacity")
            self._queue.waiting.append(_Run(inputs, options, future))
            self._queue.changed.notify_all()
        return future

    async def run(self, inputs: Mapping[str, Any], *,
                  cancellation: Optional[Cancellation] = None, **options: Any) -> dict[str, Any]:
        """As Engine.run, without blocking the event loop. If the task is cancelled, for example by
        asyncio.wait_for, the run ends soon, or does not begin."""
        ends = Cancellation() if cancellation is None else cancellation
        future = self.submit(inputs, cancellation=ends, **options)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            ends.cancel()
            raise

    @property
    def pending(self) -> int:
        """How many runs wait; 0 in a process that fork made."""
        if self._is_forked():
            return 0
        with self._queue.changed:
            return len(self._queue.waiting)

    def close(self) -> None:
        """Cancels the runs that wait (CancelledError), and waits for the one that runs, unless a
        callback calls it. The engine stays open."""
        if self._is_forked():
            return
        self._queue.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _is_forked(self) -> bool:
        """Whether this is a child, where a thread of the parent may hold the condition forever."""
        return self._process != os.getpid()

    def __enter__(self) -> AsyncRuns:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_thread") and not self._is_forked():
            self._queue.close()
