// Runs of an engine that do not make the caller wait.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * A queue of runs of one engine, and the thread that runs them one after the other, in the order of
 * the calls. A future completes exactly once: with null, with the exception that {@link
 * MaceEngine#run} would have thrown, or with a {@link CancellationException}. What is chained to it
 * is run by the thread of the queue, unless it names an executor, and the next run does not begin
 * until it has returned. Nobody needs to wait for a future.
 *
 * <pre>{@code
 * try (MaceEngine engine = new MaceEngine(file); AsyncRuns runs = new AsyncRuns(engine, 2)) {
 *   runs.run(input, output).thenAccept(none -> show(output));
 * }
 * }</pre>
 *
 * <p>Inputs and outputs belong to a run until its future completes. On Android it needs API 24,
 * which has {@link CompletableFuture}, or desugaring.
 */
public final class AsyncRuns implements AutoCloseable {
  private final MaceEngine engine;
  private final int capacity;
  private final ArrayDeque<Run> waiting = new ArrayDeque<>();
  private final Thread thread = new Thread(this::runAll, "mace-async");
  private boolean closed;

  /**
   * @param engine stays open; close it after this
   * @param capacity how many runs may wait
   */
  public AsyncRuns(MaceEngine engine, int capacity) {
    if (engine == null) {
      throw new IllegalArgumentException("engine is null");
    }
    if (capacity < 1) {
      throw new IllegalArgumentException("the capacity is " + capacity + "; it must be at least 1");
    }
    this.engine = engine;
    this.capacity = capacity;
    thread.setDaemon(true);
    thread.start();
  }

  /** As {@link MaceEngine#run}, and returns at once. */
  public CompletableFuture<Void> run(Object input, Object output) {
    return runForMultipleInputsOutputs(new Object[] {input}, Collections.singletonMap(0, output));
  }

  /**
   * As {@link MaceEngine#runForMultipleInputsOutputs}, and returns at once. {@code cancel} of the
   * future ends the run soon if it goes on, and keeps it from beginning if it waits.
   *
   * @throws RejectedExecutionException if so many runs wait as the capacity is
   * @throws IllegalStateException after {@link #close}
   */
  public CompletableFuture<Void> runForMultipleInputsOutputs(
      Object[] inputs, Map<Integer, Object> outputs) {
    synchronized (waiting) {
      if (closed) {
        throw new IllegalStateException("the asynchronous runs are closed");
      }
      if (waiting.size() >= capacity) {
        throw new RejectedExecutionException(
            capacity + " runs wait already, which is the capacity");
      }
      Run run = new Run(inputs, outputs);
      waiting.add(run);
      waiting.notifyAll();
      return run;
    }
  }

  /**
   * Cancels the runs that wait, and waits for the one that goes on and for what is chained to the
   * futures. Called by the thread of the queue, it does not wait. Closing again waits, too.
   */
  @Override
  public void close() {
    synchronized (waiting) {
      closed = true;
      waiting.notifyAll();
    }
    boolean interrupted = false;
    while (Thread.currentThread() != thread && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void runAll() {
    while (true) {
      Run run;
      boolean begins;
      synchronized (waiting) {
        while (waiting.isEmpty() && !closed) {
          try {
            waiting.wait();
          } catch (InterruptedException e) {
            // Nobody has a reason to interrupt this thread; close ends it.
          }
        }
        run = waiting.poll();
        begins = !closed;
      }
      if (run == null) {
        return;
      }
      run.end(begins);
    }
  }

  private final class Run extends CompletableFuture<Void> {
    private final Object[] inputs;
    private final Map<Integer, Object> outputs;
    private MaceCancellation cancellation; // while the engine runs

    Run(Object[] inputs, Map<Integer, Object> outputs) {
      this.inputs = inputs;
      this.outputs = outputs;
    }

    void end(boolean begins) {
      if (!begins) {
        completeExceptionally(
            new CancellationException("the queue was closed before this run began"));
        return;
      }
      Throwable error = null;
      try (MaceCancellation ends = new MaceCancellation()) {
        synchronized (this) {
          if (isDone()) {
            return;
          }
          cancellation = ends;
        }
        try {
          engine.runForMultipleInputsOutputs(inputs, outputs, ends);
        } finally {
          synchronized (this) {
            cancellation = null;
          }
        }
      } catch (RuntimeException | Error e) {
        error = e;
      }
      if (error == null) {
        complete(null);
      } else {
        completeExceptionally(error);
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      synchronized (this) {
        if (cancelled && cancellation != null) {
          cancellation.cancel();
        }
      }
      return cancelled;
    }
  }
}
