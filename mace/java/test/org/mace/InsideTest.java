// What the library tells about itself: messages, ops of a run, memory; and ops of the app.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.After;
import org.junit.Test;

public class InsideTest {
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  private void keep(MaceLog.Level level, String message) {
    lines.add(level + ": " + message);
  }

  private static void run() throws IOException {
    try (MaceEngine engine = new MaceEngine(Models.file("digits.pb"), new Options())) {
      engine.run(Models.pixels(3), new float[1][10]);
    }
  }

  @After
  public void restore() {
    MaceLog.set(null, MaceLog.Level.INFO);
  }

  @Test
  public void messagesComeFromTheLevelOn() throws IOException {
    MaceLog.set(this::keep, MaceLog.Level.VERBOSE_1);
    run();
    assertTrue(lines.toString(), lines.stream().anyMatch(line -> line.startsWith("VERBOSE_1: ")));
    lines.clear();
    MaceLog.set(this::keep, MaceLog.Level.ERROR);
    run();
    assertEquals(Collections.emptyList(), lines);
    MaceLog.set(null, MaceLog.Level.INFO);
    run();
    assertEquals(Collections.emptyList(), lines);
  }

  @Test
  public void listenersMayThrowAndCallBack() throws IOException {
    MaceLog.set(
        (level, message) -> {
          lines.add(MaceEngine.version());
          throw new IllegalStateException("of a test: " + message);
        },
        MaceLog.Level.VERBOSE_1);
    run();
    assertTrue(lines.contains(MaceEngine.version()));
    List<String> refused = Collections.synchronizedList(new ArrayList<>());
    MaceLog.set(
        (level, message) -> {
          try {
            MaceLog.set(null, MaceLog.Level.INFO);
          } catch (IllegalArgumentException e) {
            refused.add(e.getMessage());
          }
        },
        MaceLog.Level.VERBOSE_1);
    run();
    assertTrue(refused.contains("a listener of messages cannot set another"));
  }

  @Test
  public void listenersAreExchangedWhileEnginesRun() throws Exception {
    Thread[] threads = new Thread[3];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(
              () -> {
                for (int k = 0; k < 20; k++) {
                  try {
                    run();
                  } catch (IOException e) {
                    lines.add(e.toString());
                  }
                }
              });
      threads[i].start();
    }
    int[] seen = new int[1];
    for (int k = 0; k < 200; k++) {
      MaceLog.set((level, message) -> seen[0]++, MaceLog.Level.VERBOSE_2);
    }
    for (Thread thread : threads) thread.join();
    assertTrue(seen[0] > 0);
    assertEquals(Collections.emptyList(), lines);
  }

  @Test
  public void aRunTellsWhatItsOpsDid() throws IOException {
    try (MaceEngine engine = Models.digits()) {
      float[][] profiled = new float[1][10];
      float[][] plain = new float[1][10];
      Object[] inputs = {Models.pixels(3)};
      List<OpStats> ops = engine.profile(inputs, Collections.singletonMap(0, profiled));
      engine.run(Models.pixels(3), plain);
      assertArrayEquals(plain[0], profiled[0], 0);
      long end = 0;
      long macs = 0;
      for (OpStats op : ops) {
        assertEquals("CPU", op.device());
        assertTrue(op.toString(), op.startMicros() >= end && op.endMicros() >= op.startMicros());
        assertTrue(Arrays.asList("model", "tuned", "kept", "").contains(op.chosenBy()));
        end = op.endMicros();
        macs += op.macs();
        assertTrue(op.toString(), op.bytes() > 0);
      }
      assertTrue(ops.stream().anyMatch(op -> op.type().equals("Softmax")));
      assertTrue(macs > 1000);
      Models.assertSays(
          IllegalArgumentException.class,
          "0 inputs were given",
          () -> engine.profile(new Object[0], Collections.emptyMap()));
    }
  }

  @Test
  public void anEngineKnowsItsMemory() throws IOException {
    try (MaceEngine engine = Models.digits()) {
      engine.expectRun();
      engine.run(Models.pixels(3), new float[1][10]);
      MemoryUsage usage = engine.getMemoryUsage();
      assertTrue(usage.peakBytes() > 0 && usage.peakBytes() <= usage.arenaBytes());
      assertTrue(usage.lowerBoundBytes() <= usage.arenaBytes());
      assertTrue(usage.allocatedBytes() >= usage.arenaBytes());
      assertTrue(usage.categories().get("weights") > 0);
      assertTrue(engine.dump("plan").contains(usage.peakNode()));
      assertEquals(0, usage.imageBytes());
      assertTrue(usage.anonymousBytes() >= usage.arenaBytes());
      assertTrue(usage.mappedBytes() > 0);
      assertTrue(usage.limitBytes() > usage.anonymousBytes());
      engine.releaseMemory();
      assertEquals(0, engine.getMemoryUsage().allocatedBytes());
    }
  }

  @Test
  public void anEngineSaysWhereItsNodesRun() throws IOException {
    Options options = new Options().setRequire(Device.CPU, 1);
    try (MaceEngine engine = new MaceEngine(Models.file("digits.pb"), options)) {
      long macs = 0;
      for (NodePlacement node : engine.getPlacement()) {
        assertEquals("CPU", node.device());
        assertEquals("f32", node.dataType());
        assertEquals("", node.reason());
        assertTrue(node.toString().contains(node.type()) && !node.kernel().isEmpty());
        macs += node.macs();
      }
      assertTrue(macs > 0);
    }
    Options dsp = new Options().setDevice(Device.DSP).set("dsp_library", "no_such_library.so");
    dsp.setRequire(Device.DSP, 0.9);
    Models.assertSays(
        MaceException.class, "the DSP runs 0 of the multiply-adds", () -> new MaceEngine(Models.file("digits.pb"), dsp));
    Models.assertSays(
        IllegalArgumentException.class, "is null", () -> new Options().setRequire(null, 1));
  }

  @Test
  public void driversAreTriedWithinAtLeastAMillisecond() throws IOException {
    Options options = new Options().setDriverProbe(new File("no_such_program"), 1);
    new MaceEngine(Models.file("digits.pb"), options).close(); // the CPU has no driver
    Models.assertSays(
        RuntimeException.class,
        "driver_probe_ms",
        () -> new MaceEngine(Models.file("digits.pb"), new Options().setDriverProbe(null, 0)));
  }

  @Test
  public void microKernelsAreTested() throws IOException {
    Models.digits().close();
    assertTrue(KernelTest.all().size() > 0);
    for (KernelTest test : KernelTest.all()) {
      assertTrue(test.kernel().contains("__"));
      assertEquals("", test.reason() + test.fallback());
    }
  }

  private static float[] runOwn(String library) {
    Options options = new Options().setCustomOps(Collections.singletonList(library));
    float[][][][] x = new float[1][2][3][4];
    for (float[] row : x[0][1]) Arrays.fill(row, 1);
    float[][][][] y = new float[1][2][3][4];
    try (MaceEngine engine = new MaceEngine(Models.file("own.pb"), options)) {
      engine.run(x, y);
    }
    return new float[] {y[0][0][0][0], y[0][1][0][0], y[0][1][0][3]};
  }

  @Test
  public void opsOfTheAppComeFromItsLibraries() {
    // Scaled(x, w) + x with factor 2.5 and w = 1, 2, 3, 4, by test/library/app_java/scaled.c.
    assertArrayEquals(
        new float[] {0, 3.5f, 11}, runOwn(Models.file("libscaled.so").getPath()), 0);
    Models.assertSays(
        MaceException.class,
        "no op 'com.acme.Scaled'",
        () -> new MaceEngine(Models.file("own.pb")));
    Models.assertSays(
        IllegalArgumentException.class, "custom ops: ", () -> runOwn("libnone_of_this_name.so"));
    Models.assertSays(
        IllegalArgumentException.class,
        "does not export mace_status_t mace_register_ops",
        () -> runOwn("libc.so.6"));
  }
}
