// What the tests share: models, a picture, and the message of what is thrown.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import org.junit.function.ThrowingRunnable;

/** test/library/java_test.py makes the models and names their folder. */
final class Models {
  private static final File FOLDER = new File(System.getProperty("mace.models"));

  private Models() {}

  static File file(String name) {
    return new File(FOLDER, name);
  }

  static MaceEngine digits() {
    return new MaceEngine(file("digits.pb"));
  }

  /** The picture of a digit as a direct buffer. */
  static FloatBuffer pixels(int digit) throws IOException {
    byte[] bytes = new byte[4 * 64];
    try (DataInputStream in = new DataInputStream(new FileInputStream(file(digit + ".raw")))) {
      in.readFully(bytes);
    }
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder());
    direct.put(bytes);
    direct.rewind();
    return direct.asFloatBuffer();
  }

  static float[][][][] array(FloatBuffer pixels) {
    float[][][][] array = new float[1][1][8][8];
    for (int y = 0; y < 8; y++) {
      for (int x = 0; x < 8; x++) array[0][0][y][x] = pixels.get(8 * y + x);
    }
    return array;
  }

  static FloatBuffer floats(int count) {
    return bytes(4 * count).asFloatBuffer();
  }

  static ByteBuffer bytes(int count) {
    return ByteBuffer.allocateDirect(count).order(ByteOrder.nativeOrder());
  }

  static ByteBuffer mapped(String name) throws IOException {
    try (FileInputStream in = new FileInputStream(file(name))) {
      return in.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, file(name).length());
    }
  }

  static byte[] key() {
    byte[] key = new byte[32];
    for (int i = 0; i < key.length; i++) key[i] = (byte) (100 + i);
    return key;
  }

  static int best(float[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) best = values[i] > values[best] ? i : best;
    return best;
  }

  static <T extends Throwable> T assertSays(Class<T> type, String words, ThrowingRunnable call) {
    T thrown = assertThrows(type, call);
    assertTrue(thrown.getMessage(), thrown.getMessage().contains(words));
    return thrown;
  }
}
