// States of an engine: from run to run, out, in, and back to their first values.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class StatesTest {
  private static final float[] X = {1, 2};

  /** y = 2 x + v, and v, which begins as [10, 20], becomes v + x. */
  private static MaceEngine counter() {
    return new MaceEngine(Models.file("counter.pb"));
  }

  private static float[] run(MaceEngine engine) {
    float[] y = new float[2];
    engine.run(X, y);
    return y;
  }

  private static float[] state(MaceEngine engine) {
    float[] v = new float[2];
    engine.getState(Collections.singletonMap("v", v));
    return v;
  }

  @Test
  public void theyGoFromRunToRun() {
    try (MaceEngine engine = counter();
        MaceEngine other = counter()) {
      assertArrayEquals(new float[] {12, 24}, run(engine), 0);
      assertArrayEquals(new float[] {13, 26}, run(engine), 0);
      assertArrayEquals(new float[] {12, 24}, state(engine), 0);
      assertArrayEquals(new float[] {10, 20}, state(other), 0);
      engine.resetState();
      assertArrayEquals(new float[] {12, 24}, run(engine), 0);
    }
  }

  @Test
  public void theyAreDescribed() {
    try (MaceEngine engine = counter();
        MaceEngine digits = Models.digits()) {
      assertEquals(1, engine.getStates().size());
      assertEquals("v FLOAT32 [2]", engine.getStates().get(0).toString());
      assertTrue(digits.getStates().isEmpty());
    }
  }

  @Test
  public void theyContinueInAnotherEngine() {
    try (MaceEngine engine = counter();
        MaceEngine other = counter()) {
      run(engine);
      ByteBuffer kept = Models.bytes(8);
      Map<String, Object> states = new HashMap<>();
      states.put("v", kept);
      engine.getState(states);
      other.setState(states);
      assertArrayEquals(run(engine), run(other), 0);
      other.setState(Collections.singletonMap("v", new float[] {-1, -2}));
      assertArrayEquals(new float[] {1, 2}, run(other), 0);
    }
  }

  @Test
  public void mistakesChangeNothing() {
    try (MaceEngine engine = counter()) {
      Models.assertSays(
          IllegalArgumentException.class,
          "no state named 'w'; there is 0 'v'",
          () -> engine.setState(Collections.singletonMap("w", X)));
      Models.assertSays(
          IllegalArgumentException.class,
          "v",
          () -> engine.setState(Collections.singletonMap("v", new float[] {1, 2, 3})));
      Models.assertSays(
          IllegalArgumentException.class,
          "v",
          () -> engine.setState(Collections.singletonMap("v", new int[] {1, 2})));
      Models.assertSays(
          IllegalArgumentException.class,
          "holds 4 bytes",
          () -> engine.getState(Collections.singletonMap("v", Models.bytes(4))));
      ByteBuffer kept = Models.bytes(8);
      Models.assertSays(
          IllegalArgumentException.class,
          "'v': the buffer is read-only",
          () ->
              engine.getState(
                  Collections.singletonMap(
                      "v", kept.asReadOnlyBuffer().order(kept.order()))));
      assertEquals(0, kept.getLong(0));
      engine.setState(
          Collections.singletonMap(
              "v",
              Models.bytes(8).putFloat(0, 10).putFloat(4, 20).asReadOnlyBuffer()
                  .order(kept.order())));
      Models.assertSays(
          IllegalArgumentException.class, "null", () -> engine.getState(null));
      engine.getState(Collections.<String, Object>emptyMap());
      assertArrayEquals(new float[] {10, 20}, state(engine), 0);
    }
    try (MaceEngine digits = Models.digits()) {
      Models.assertSays(
          IllegalArgumentException.class,
          "no state named 'v'; there is none",
          () -> digits.setState(Collections.singletonMap("v", X)));
    }
    MaceEngine closed = counter();
    closed.close();
    Models.assertSays(IllegalStateException.class, "closed", closed::resetState);
  }
}
