// Files that stand for dma-bufs, as inputs and outputs.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ImportedMemoryTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static final Class<IllegalArgumentException> WRONG = IllegalArgumentException.class;
  private static final int[] SHAPE = {1, 1, 8, 8};

  private RandomAccessFile file(String name, int floats) throws IOException {
    RandomAccessFile file = new RandomAccessFile(folder.newFile(name), "rw");
    file.setLength(4L * floats);
    return file;
  }

  /** The number of the open file, which Java does not tell. */
  private int descriptor(String name) throws IOException {
    File wanted = new File(folder.getRoot(), name);
    for (File link : new File("/proc/self/fd").listFiles()) {
      if (Files.isSymbolicLink(link.toPath())
          && Files.readSymbolicLink(link.toPath()).equals(wanted.toPath().toRealPath())) {
        return Integer.parseInt(link.getName());
      }
    }
    throw new IOException(wanted + " is not open");
  }

  private static void write(RandomAccessFile file, FloatBuffer floats) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4 * floats.remaining()).order(ByteOrder.nativeOrder());
    bytes.asFloatBuffer().put(floats);
    file.seek(0);
    file.write(bytes.array());
  }

  private static float[] read(RandomAccessFile file) throws IOException {
    byte[] bytes = new byte[(int) file.length()];
    file.seek(0);
    file.readFully(bytes);
    float[] floats = new float[bytes.length / 4];
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer().get(floats);
    return floats;
  }

  @Test
  public void runsUseWhatItContainsThen() throws Exception {
    try (RandomAccessFile in = file("in", 64);
        RandomAccessFile out = file("out", 10);
        MaceEngine engine = Models.digits();
        ImportedMemory x = engine.importDmaBuf(descriptor("in"), SHAPE);
        ImportedMemory y = engine.importDmaBuf(descriptor("out"), new int[] {1, 10})) {
      for (int digit : new int[] {3, 7}) {
        write(in, Models.pixels(digit));
        engine.run(x, y);
        float[] found = new float[10];
        engine.run(Models.pixels(digit), found);
        assertArrayEquals(found, read(out), 0);
        assertEquals(digit, Models.best(found));
      }
    }
  }

  @Test
  public void aDmaBufThatDoesNotFitIsRefused() throws Exception {
    try (RandomAccessFile in = file("in", 64);
        MaceEngine engine = Models.digits()) {
      int file = descriptor("in");
      assertEquals(256, in.length());
      Models.assertSays(
          WRONG, "256 bytes, the tensor 512", () -> engine.importDmaBuf(file, new int[] {2, 1, 8, 8}));
      Models.assertSays(WRONG, "set either dma_buf", () -> engine.importDmaBuf(-1, SHAPE));
      Models.assertSays(WRONG, "dma-buf 9999 has no size", () -> engine.importDmaBuf(9999, SHAPE));
      Models.assertSays(WRONG, "[-1]", () -> engine.importDmaBuf(file, new int[] {-1}));
      Models.assertSays(WRONG, "shape is null", () -> engine.importDmaBuf(file, null));
    }
  }

  @Test
  public void whatIsNoHardwareBufferIsRefused() {
    try (MaceEngine engine = Models.digits()) {
      Models.assertSays(
          WRONG, "hardwareBuffer is null", () -> engine.importHardwareBuffer(null, SHAPE));
      Models.assertSays(
          WRONG,
          "no android.hardware.HardwareBuffer",
          () -> engine.importHardwareBuffer("a text", SHAPE));
    }
  }

  @Test
  public void runsRefuseAnotherShapeAndClosedMemory() throws Exception {
    try (RandomAccessFile in = file("in", 64);
        MaceEngine engine = Models.digits()) {
      assertEquals(256, in.length());
      ImportedMemory narrow = engine.importDmaBuf(descriptor("in"), new int[] {1, 1, 1, 8});
      Models.assertSays(WRONG, "found [1,1,1,8]", () -> engine.run(narrow, new float[1][10]));
      narrow.close();
      Models.assertSays(
          IllegalStateException.class,
          "the imported memory is closed",
          () -> engine.run(narrow, new float[1][10]));
    }
  }
}
