// What mistakes get, and calls of several threads.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

public class MistakesTest {
  private static final Class<IllegalArgumentException> WRONG = IllegalArgumentException.class;
  private final float[] out = new float[10];

  @Test
  public void valuesThatAreNoTensors() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      FloatBuffer x = Models.pixels(3);
      Models.assertSays(WRONG, "'input': null was given; MACE takes an array", () -> engine.run(null, out));
      Models.assertSays(WRONG, "'input': String was given", () -> engine.run("x", out));
      Models.assertSays(WRONG, "'input': Float[][] was given", () -> engine.run(new Float[1][64], out));
      Models.assertSays(WRONG, "double[] was given", () -> engine.run(new double[64], out));
      Models.assertSays(WRONG, "short[] was given", () -> engine.run(x, new short[10]));
      Models.assertSays(WRONG, "'probabilities': Integer was given", () -> engine.run(x, 5));
      float[][] ragged = {new float[3], new float[4]};
      Models.assertSays(WRONG, "ragged: in dimension 1 there are 4 and 3", () -> engine.run(ragged, out));
      Models.assertSays(WRONG, "the array holds null", () -> engine.run(new float[2][][], out));
      Models.assertSays(WRONG, "is ragged", () -> engine.run(new float[][] {{1}, null}, out));
      Models.assertSays(WRONG, "no shape", () -> engine.run(new float[0][8], out));
    }
  }

  @Test
  public void buffersOfAnotherKindOrderOrLength() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      FloatBuffer x = Models.pixels(3);
      Models.assertSays(WRONG, "not direct: make it with ByteBuffer.allocateDirect",
          () -> engine.run(FloatBuffer.allocate(64), out));
      ByteOrder other =
          ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
              ? ByteOrder.LITTLE_ENDIAN
              : ByteOrder.BIG_ENDIAN;
      Models.assertSays(WRONG, "call order(ByteOrder.nativeOrder())",
          () -> engine.run(ByteBuffer.allocateDirect(256).order(other), out));
      Models.assertSays(WRONG,
          "'input': the buffer holds 252 bytes from its position to its limit; FLOAT32 [1, 1, 8, 8] has 256",
          () -> engine.run(Models.floats(63), out));
      Models.assertSays(WRONG, "holds 39 bytes", () -> engine.run(x, Models.bytes(39)));
      Models.assertSays(WRONG, "CharBuffer", () -> engine.run(Models.bytes(256).asCharBuffer(), out));
      ByteBuffer odd = Models.bytes(257);
      odd.position(1);
      ByteBuffer slice = odd.slice().order(ByteOrder.nativeOrder());
      Models.assertSays(WRONG, "begins inside an element", () -> engine.run(slice, out));
      ByteBuffer between = Models.bytes(41);
      between.position(1);
      Models.assertSays(WRONG, "output 'probabilities' begins inside an element: the address of its"
          + " memory must be a multiple of the 4 bytes of a f32",
          () -> engine.run(x, between.slice().order(ByteOrder.nativeOrder())));
    }
  }

  @Test
  public void outputsThatAreReadOnly() throws Exception {
    ByteBuffer whole = Models.mapped("digits.data").order(ByteOrder.nativeOrder());
    whole.limit(40);
    ByteBuffer protectedBytes = whole.slice().order(ByteOrder.nativeOrder());
    ByteBuffer ours = Models.bytes(40);
    ByteBuffer view = ours.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
    try (MaceEngine engine = Models.digits()) {
      FloatBuffer x = Models.pixels(3);
      Buffer[] readOnly = {
        protectedBytes, protectedBytes.asFloatBuffer(), view, view.asFloatBuffer(),
        ours.asFloatBuffer().asReadOnlyBuffer()
      };
      for (Buffer buffer : readOnly) {
        Models.assertSays(WRONG, "'probabilities': the buffer is read-only",
            () -> engine.run(x, buffer));
        Models.assertSays(WRONG, "'probabilities': the buffer is read-only",
            () -> engine.profile(new Object[] {x}, Collections.singletonMap(0, buffer)));
      }
      assertEquals(ByteBuffer.wrap(new byte[40]), ours);
      engine.run(x.asReadOnlyBuffer(), out); // inputs are only read
      assertEquals(3, Models.best(out));
    }
    try (ImageConverter converter = new ImageConverter.Builder(1, 1).build()) {
      Picture picture = new Picture(Picture.Format.RGB, 1, 1).setBuffer(Models.bytes(3), 0);
      Models.assertSays(WRONG, "that can be written", () -> converter.convert(picture, view));
    }
  }

  @Test
  public void sizesBeyondAnInteger() throws Exception {
    int most = Integer.MAX_VALUE;
    try (MaceEngine engine = Models.digits()) {
      Models.assertSays(WRONG, "'input': no tensor has the shape [2147483647, 2147483647, 2147483647]",
          () -> engine.resizeInput(0, new int[] {most, most, most}));
      Models.assertSays(WRONG, "shape is null", () -> engine.resizeInput(0, null));
      int[] large = {1, 1, 65536, 65536};
      engine.resizeInput(0, large);
      assertEquals("input FLOAT32 [1, 1, 65536, 65536]", engine.getInputTensor(0).toString());
      Models.assertSays(IllegalStateException.class, "has 4294967296, which is no int",
          () -> engine.getInputTensor(0).numElements());
      Models.assertSays(IllegalStateException.class, "which is no int",
          () -> engine.getInputTensor(0).numBytes());
      Models.assertSays(WRONG, "the buffer holds 256 bytes from its position to its limit; FLOAT32"
          + " [1, 1, 65536, 65536] has 17179869184", () -> engine.run(Models.pixels(3), out));
      engine.resizeInput(0, new int[] {1, 1, 0, most});
      Models.assertSays(WRONG, "has 0", () -> engine.run(Models.pixels(3), out));
      engine.resizeInput(0, new int[] {1, 1, 8, 8});
      engine.run(Models.pixels(3), out);
      assertEquals(3, Models.best(out));
      byte[][] plane = new byte[1 << 16][];
      byte[][][] cube = new byte[1 << 16][][];
      byte[][][][] array = new byte[1 << 16][][][];
      Arrays.fill(plane, new byte[1 << 16]);
      Arrays.fill(cube, plane);
      Arrays.fill(array, cube);
      Models.assertSays(WRONG, "no tensor has the shape", () -> engine.run(array, out));
    }
    Models.assertSays(WRONG, "more than a buffer can hold",
        () -> new ImageConverter.Builder(65536, 65536).build());
  }

  /** A mapped file would end the JVM by SIGBUS. */
  @Test
  public void aFileIsCutShortWhileAnEngineInMemoryLives() throws Exception {
    File graph = File.createTempFile("net", ".pb");
    File data = new File(graph.getPath().replace(".pb", ".data"));
    Files.copy(Models.file("digits.pb").toPath(), graph.toPath(), REPLACE_EXISTING);
    Files.copy(Models.file("digits.data").toPath(), data.toPath());
    try (MaceEngine engine = new MaceEngine(graph, new Options().setLoadIntoMemory(true))) {
      Files.write(data.toPath(), new byte[1]);
      Files.write(graph.toPath(), new byte[1]);
      engine.run(Models.pixels(3), out);
      assertEquals(3, Models.best(out));
    } finally {
      assertTrue(graph.delete() && data.delete());
    }
  }

  @Test
  public void nullsAreNamed() throws Exception {
    Options options = new Options();
    Models.assertSays(WRONG, "device is null", () -> options.setDevice(null));
    Models.assertSays(WRONG, "policy is null", () -> options.setCpuAffinity(null));
    Models.assertSays(WRONG, "names is null", () -> options.setOutputs(null));
    Models.assertSays(WRONG, "libraries is null", () -> options.setCustomOps(null));
    Models.assertSays(WRONG, "priority is null",
        () -> options.setGpuHints(Options.GpuHint.LOW, null));
    Models.assertSays(WRONG, "folder is null", () -> options.setGpuStorageFolder(null));
    Models.assertSays(WRONG, "file is null", () -> options.setGpuParameterFile(null));
    Models.assertSays(WRONG, "files is null", () -> options.setGpuBinaryFiles(null));
    File digits = Models.file("digits.pb");
    Models.assertSays(WRONG, "a name or a path is null", () -> new MaceEngine(
        digits, new Options().setOutputs(Collections.singletonList(null))));
    try (MaceEngine engine = Models.digits()) {
      Models.assertSays(WRONG, "a name or a path is null", () -> engine.dump(null));
    }
    ImageConverter.Builder builder = new ImageConverter.Builder(1, 1);
    double[] one = {1};
    Models.assertSays(WRONG, "fit is null", () -> builder.setResize(null, null));
    Models.assertSays(WRONG, "mean is null",
        () -> builder.setChannels(ImageConverter.Channels.RGB, null, one));
    Models.assertSays(WRONG, "type is null", () -> builder.setDataType(null, 1, 0));
    Models.assertSays(WRONG, "format is null", () -> new Picture(null, 1, 1));
  }

  @Test
  public void theEngineSaysWhatItExpected() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      FloatBuffer x = Models.pixels(3);
      Models.assertSays(WRONG, "expected a shape like [1,1,8,8], found [8,8]",
          () -> engine.run(new float[8][8], out));
      Models.assertSays(WRONG, "i32", () -> engine.run(new int[1][1][8][8], out));
      Models.assertSays(WRONG, "expected [1,10], the tensor given has [11]",
          () -> engine.run(x, new float[11]));
      Models.assertSays(WRONG, "no input named 'inputt'; there is 0 'input'",
          () -> engine.getInputIndex("inputt"));
      Models.assertSays(WRONG, "no output named 'p'", () -> engine.getOutputIndex("p"));
      Models.assertSays(WRONG, "no output 1; there is 0 'probabilities'",
          () -> engine.getOutputTensor(1));
      Models.assertSays(WRONG, "no input -1", () -> engine.getInputTensor(-1));
      Models.assertSays(WRONG, "2 inputs were given; the model has 0 'input'",
          () -> engine.runForMultipleInputsOutputs(new Object[2], Collections.emptyMap()));
      Models.assertSays(WRONG, "no output 7",
          () -> engine.runForMultipleInputsOutputs(
              new Object[] {x}, Collections.singletonMap(7, out)));
      Models.assertSays(WRONG, "null was given",
          () -> engine.runForMultipleInputsOutputs(null, Collections.emptyMap()));
      Models.assertSays(WRONG, "the dimension -1 is negative",
          () -> engine.resizeInput(0, new int[] {-1}));
      Models.assertSays(WRONG, "there is no stage 'plans'", () -> engine.dump("plans"));
      engine.run(x, out);
      assertEquals(3, Models.best(out));
    }
  }

  @Test
  public void modelsAndSettings() throws Exception {
    File digits = Models.file("digits.pb");
    Models.assertSays(WRONG, "cannot open '/no/net.pb'", () -> new MaceEngine(new File("/no/net.pb")));
    Models.assertSays(WRONG, "not a MACE model", () -> new MaceEngine(Models.file("3.raw")));
    Models.assertSays(WRONG, "no direct buffer: map the file",
        () -> new MaceEngine(ByteBuffer.allocate(8), null, null));
    Models.assertSays(WRONG, "graph is null", () -> new MaceEngine((ByteBuffer) null, null, null));
    Models.assertSays(WRONG, "graph is null", () -> new MaceEngine((File) null));
    Models.assertSays(WRONG, "graph is null", () -> new MaceEngine((File) null, new Options()));
    Models.assertSays(WRONG, "graph is null", () -> new MaceEngine(null, digits, new Options()));
    Models.assertSays(WRONG, "there is no setting 'treads'; the settings are",
        () -> new MaceEngine(digits, new Options().set("treads", "2")));
    Models.assertSays(WRONG, "'BEST' is not one of NAIVE",
        () -> new MaceEngine(digits, new Options().setMemoryStrategy("BEST")));
    Models.assertSays(WRONG, "'layer'",
        () -> new MaceEngine(digits, new Options().setOutputs(Collections.singletonList("layer"))));
    Models.assertSays(WRONG, "zero character", () -> new MaceEngine(new File("a\0b")));
    MaceException limit =
        assertThrows(
            MaceException.class,
            () -> {
              try (MaceEngine e = new MaceEngine(digits, new Options().setMemoryLimit(100))) {
                e.run(Models.pixels(1), out);
              }
            });
    assertEquals(MaceException.OUT_OF_RESOURCES, limit.getStatus());
    File folder = new File("/no/folder/\uD83D\uDE00"); // not what JNI's own texts can hold
    Models.assertSays(WRONG, "\uD83D\uDE00", () -> new MaceEngine(folder));
  }

  @Test
  public void aClosedEngineSaysSo() throws Exception {
    MaceEngine engine = Models.digits();
    engine.close();
    engine.close();
    Class<IllegalStateException> closed = IllegalStateException.class;
    Models.assertSays(closed, "the engine is closed", () -> engine.run(new float[64], out));
    Models.assertSays(closed, "the engine is closed", () -> engine.getInputTensor(0));
    Models.assertSays(closed, "the engine is closed",
        () -> new MaceEngine(Models.file("digits.pb"), new Options().shareMemoryWith(engine)));
    MaceCancellation cancellation = new MaceCancellation();
    cancellation.close();
    Models.assertSays(closed, "the cancellation is closed", cancellation::cancel);
  }

  @Test
  public void aRunIsCancelledAndItsEngineClosedFromAnotherThread() throws Exception {
    MaceEngine engine =
        new MaceEngine(Models.file("slow.pb"), new Options().setNumThreads(1));
    int count = engine.getInputTensor(0).numElements();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (MaceCancellation cancellation = new MaceCancellation()) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  engine.runForMultipleInputsOutputs(
                      new Object[] {Models.floats(count)}, Collections.emptyMap(), cancellation);
                } catch (Throwable t) {
                  thrown.set(t);
                }
              });
      thread.start();
      Thread.sleep(500);
      engine.close(); // returns at once
      assertTrue(thread.isAlive());
      cancellation.cancel();
      thread.join(60000);
    }
    assertTrue(String.valueOf(thrown.get()), thrown.get() instanceof CancellationException);
    assertThrows(IllegalStateException.class, engine::releaseMemory);
  }

  @Test
  public void aRunEndsAtItsDeadline() throws Exception {
    try (MaceEngine slow =
            new MaceEngine(Models.file("slow.pb"), new Options().setNumThreads(1));
        MaceCancellation passes = new MaceCancellation();
        MaceCancellation stays = new MaceCancellation()) {
      Object[] inputs = {Models.floats(slow.getInputTensor(0).numElements())};
      passes.setDeadline(30, TimeUnit.MILLISECONDS);
      CancellationException thrown =
          assertThrows(
              CancellationException.class,
              () ->
                  slow.runForMultipleInputsOutputs(inputs, Collections.emptyMap(), passes));
      assertTrue(
          thrown.getMessage(), thrown.getMessage().contains("deadline, which was 30000 us after"));
      assertTrue(passes.isCancelled());
      Models.assertSays(WRONG, "unit is null", () -> stays.setDeadline(1, null));
      try (MaceEngine engine = Models.digits()) {
        assertTrue(!stays.setDeadline(1, TimeUnit.DAYS).isCancelled());
        engine.runForMultipleInputsOutputs(
            new Object[] {Models.pixels(3)}, Collections.singletonMap(0, out), stays);
        assertEquals(3, Models.best(out));
      }
    }
  }

  // As of a chosen output whose shape depends on data, before the first run.
  @Test
  public void outputsOfUnknownType() {
    TensorInfo info = new TensorInfo("y", new long[4]);
    assertNull(info.dataType());
    assertEquals(1, info.numElements());
    Models.assertSays(IllegalStateException.class, "type of 'y' is not known", info::numBytes);
    assertEquals("y of unknown type []", info.toString());
    assertEquals(DataType.INT8, Elements.of(info, null, new byte[2], true).type);
    assertEquals(DataType.INT64, Elements.of(info, null, new long[2], true).type);
    assertEquals(DataType.FLOAT32, Elements.of(info, null, Models.floats(2), true).type);
    Models.assertSays(WRONG, "'y': a ByteBuffer was given, and the model does not say the type",
        () -> Elements.of(info, null, Models.bytes(8), true));
  }

  @Test
  public void threadsShareAnEngine() throws Exception {
    AtomicReference<String> wrong = new AtomicReference<>();
    try (MaceEngine engine = Models.digits()) {
      Thread[] threads = new Thread[3];
      for (int t = 0; t < threads.length; t++) {
        int digit = 2 * t + 1;
        threads[t] =
            new Thread(
                () -> {
                  try {
                    FloatBuffer pixels = Models.pixels(digit);
                    float[] mine = new float[10];
                    for (int i = 0; i < 100; i++) {
                      engine.run(pixels, mine);
                      if (Models.best(mine) != digit) wrong.set("digit " + digit);
                    }
                  } catch (Throwable e) {
                    wrong.set(e.toString());
                  }
                });
        threads[t].start();
      }
      for (Thread thread : threads) thread.join();
    }
    assertNull(wrong.get());
  }
}
