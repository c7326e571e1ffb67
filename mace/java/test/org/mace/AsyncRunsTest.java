// Asynchronous runs: results, order, capacity, errors, cancelling and closing.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

public class AsyncRunsTest {
  @Test
  public void resultsAreThoseOfRunAndComeInOrder() throws Exception {
    try (MaceEngine engine = Models.digits();
        AsyncRuns runs = new AsyncRuns(engine, 16)) {
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int digit : new int[] {3, 7, 4}) {
        float[][] expected = new float[1][10];
        engine.run(Models.pixels(digit), expected);
        float[][] found = new float[1][10];
        all.add(
            runs.run(Models.pixels(digit), found)
                .thenRun(
                    () -> {
                      assertArrayEquals(expected[0], found[0], 0);
                      order.add(digit);
                    }));
      }
      for (CompletableFuture<Void> one : all) {
        assertNull(one.get());
      }
      assertEquals(3, order.size());
    }
  }

  @Test
  public void errorsAreThoseOfRun() throws Exception {
    try (MaceEngine engine = Models.digits();
        AsyncRuns runs = new AsyncRuns(engine, 4)) {
      CompletableFuture<Void> wrong = runs.run(new float[3], new float[1][10]);
      CompletionException e = assertThrows(CompletionException.class, wrong::join);
      assertTrue(e.getCause() instanceof IllegalArgumentException);
      runs.run(Models.pixels(3), new float[1][10]).join();
    }
  }

  /** Each future completes once, as it ran or as it was cancelled, whatever closing finds. */
  @Test
  public void closingEndsAllRuns() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      AsyncRuns runs = new AsyncRuns(engine, 2);
      AtomicInteger calls = new AtomicInteger();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      String full = "";
      while (full.isEmpty()) {
        try {
          CompletableFuture<Void> one = runs.run(Models.pixels(1), new float[1][10]);
          one.whenComplete((none, error) -> calls.incrementAndGet());
          all.add(one);
        } catch (RejectedExecutionException e) {
          full = e.getMessage();
        }
      }
      assertEquals("2 runs wait already, which is the capacity", full);
      runs.close();
      runs.close();
      for (CompletableFuture<Void> one : all) {
        assertTrue(one.isDone());
        assertTrue(!one.isCompletedExceptionally() || wasCancelled(one));
      }
      assertEquals(all.size(), calls.get());
      IllegalStateException late =
          assertThrows(
              IllegalStateException.class, () -> runs.run(Models.pixels(1), new float[1][10]));
      assertTrue(late.getMessage().contains("closed"));
    }
  }

  private static boolean wasCancelled(CompletableFuture<Void> one) {
    Throwable error = assertThrows(RuntimeException.class, one::join);
    return error instanceof CancellationException
        || error.getCause() instanceof CancellationException;
  }

  /** On a busy machine the runs before may all have ended when it is cancelled. */
  @Test
  public void aCancelledFutureDoesNotRun() throws Exception {
    try (MaceEngine engine = Models.digits();
        AsyncRuns runs = new AsyncRuns(engine, 64)) {
      boolean cancelled = false;
      for (int attempt = 0; attempt < 100 && !cancelled; attempt++) {
        for (int i = 0; i < 60; i++) {
          runs.run(Models.pixels(1), new float[1][10]);
        }
        float[][] untouched = new float[1][10];
        CompletableFuture<Void> last = runs.run(Models.pixels(1), untouched);
        cancelled = last.cancel(true);
        assertEquals(cancelled, last.isCancelled());
        runs.run(Models.pixels(1), new float[1][10]).join();
        if (cancelled) {
          assertArrayEquals(new float[10], untouched[0], 0);
        }
      }
      assertTrue(cancelled);
    }
  }

  @Test
  public void callbacksMayRunAgainAndClose() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      AsyncRuns runs = new AsyncRuns(engine, 1);
      float[][] out = new float[1][10];
      FloatBuffer seven = Models.pixels(7);
      CompletableFuture<Void> second =
          runs.run(Models.pixels(3), out).thenCompose(none -> runs.run(seven, out));
      second.join();
      assertEquals(7, Models.best(out[0]));
      runs.run(Models.pixels(3), out).thenRun(runs::close).join();
    }
  }

  @Test
  public void badArgumentsAreRefused() {
    try (MaceEngine engine = Models.digits()) {
      assertThrows(IllegalArgumentException.class, () -> new AsyncRuns(engine, 0));
      assertThrows(IllegalArgumentException.class, () -> new AsyncRuns(null, 1));
      try (AsyncRuns runs = new AsyncRuns(engine, 1)) {
        CompletableFuture<Void> none = runs.runForMultipleInputsOutputs(null, null);
        assertThrows(CompletionException.class, none::join);
      }
    }
  }
}
