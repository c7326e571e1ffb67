// An outside project in Java: classifies a digit of 64 floats and prints ten probabilities.
// SPDX-License-Identifier: Apache-2.0

import java.io.DataInputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.mace.MaceEngine;

public final class Classify {
  public static void main(String[] arguments) throws Exception {
    byte[] bytes = new byte[4 * 64];
    new DataInputStream(System.in).readFully(bytes);
    float[][][][] pixels = new float[1][1][8][8];
    ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (float[] row : pixels[0][0]) {
      for (int x = 0; x < row.length; x++) row[x] = values.getFloat();
    }
    float[][] probabilities = new float[1][10];
    try (MaceEngine engine = new MaceEngine(new File(arguments[0]))) {
      engine.run(pixels, probabilities);
    }
    for (float probability : probabilities[0]) System.out.println(probability);
  }
}
