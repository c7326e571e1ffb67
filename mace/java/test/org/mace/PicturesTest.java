// Pictures as inputs: numbers by hand, planes, turning, the way back, and mistakes.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.junit.Test;

public class PicturesTest {
  private static ByteBuffer pixels(int... values) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(values.length);
    for (int value : values) bytes.put((byte) value);
    bytes.rewind();
    return bytes;
  }

  private static ImageConverter.Builder sized(int width, int height) {
    return new ImageConverter.Builder(width, height);
  }

  private static float[] floats(ImageConverter converter, Picture picture) {
    ByteBuffer tensor = converter.newTensor();
    converter.convert(picture, tensor);
    float[] values = new float[converter.tensorBytes() / 4];
    tensor.asFloatBuffer().get(values);
    return values;
  }

  private static final int[] TWO = {10, 20, 30, 40, 50, 60}; // two pixels of RGB

  @Test
  public void pixelsAreNormalized() {
    Picture two = new Picture(Picture.Format.RGB, 2, 1).setBuffer(pixels(TWO), 0);
    try (ImageConverter plain = sized(2, 1).build();
        ImageConverter normal =
            sized(2, 1)
                .setChannels(
                    ImageConverter.Channels.BGR,
                    new double[] {10, 20, 30},
                    new double[] {0.5, 1, 2})
                .setChannelsFirst(true)
                .setNumThreads(2)
                .build();
        ImageConverter gray =
            sized(2, 1)
                .setChannels(
                    ImageConverter.Channels.GRAY, new double[] {0}, new double[] {1 / 255.0})
                .build()) {
      assertArrayEquals(new float[] {10, 20, 30, 40, 50, 60}, floats(plain, two), 0);
      // Blue, green and red, each of both pixels.
      assertArrayEquals(new float[] {10, 25, 0, 30, -40, 20}, floats(normal, two), 0);
      // 18.15 and 48.15, which become whole numbers first.
      float[] luma = {18 / 255f, 48 / 255f};
      assertArrayEquals(luma, floats(gray, two), 1e-6f);
    }
  }

  @Test
  public void quantizedModelsGetInt8() {
    Picture two = new Picture(Picture.Format.RGB, 2, 1).setBuffer(pixels(TWO), 0);
    try (ImageConverter converter =
        sized(2, 1).setDataType(DataType.INT8, 1, -128).build()) {
      assertEquals(6, converter.tensorBytes());
      ByteBuffer tensor = converter.newTensor();
      converter.convert(two, tensor);
      byte[] quantized = new byte[6];
      tensor.get(quantized);
      assertArrayEquals(new byte[] {-118, -108, -98, -88, -78, -68}, quantized);
    }
  }

  @Test
  public void partsAndRowsAndDirectionsAreTheCallers() {
    // Three by two gray pixels, with a byte between the pixels and two between the rows.
    ByteBuffer apart = pixels(9, 1, 0, 2, 0, 3, 0, 0, 4, 0, 5, 0, 6);
    apart.position(1);
    Picture picture = new Picture(Picture.Format.GRAY, 3, 2).setPlane(0, apart, 7, 2);
    try (ImageConverter whole = gray(3, 2);
        ImageConverter turned = gray(2, 3);
        ImageConverter part = gray(1, 2)) {
      assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, floats(whole, picture), 0);
      picture.setOrientation(Picture.turned(90, false));
      assertArrayEquals(new float[] {4, 1, 5, 2, 6, 3}, floats(turned, picture), 0);
      picture.setOrientation(1).setCrop(2, 0, 1, 2);
      assertArrayEquals(new float[] {3, 6}, floats(part, picture), 0);
    }
  }

  private static ImageConverter gray(int width, int height) {
    return sized(width, height)
        .setChannels(ImageConverter.Channels.GRAY, new double[] {0}, new double[] {1})
        .build();
  }

  @Test
  public void camerasGivePlanes() {
    // Luma 100, and no colour: gray in every format of YUV.
    ByteBuffer luma = pixels(100, 100, 100, 100);
    ByteBuffer chroma = pixels(128, 128);
    Picture nv21 =
        new Picture(Picture.Format.NV21, 2, 2).setPlane(0, luma, 2, 1).setPlane(1, chroma, 2, 2);
    Picture yuv =
        new Picture(Picture.Format.YUV420, 2, 2)
            .setPlane(0, luma, 0, 0)
            .setPlane(1, chroma, 1, 1)
            .setPlane(2, chroma, 1, 1)
            .setColor(Picture.Color.BT709_FULL);
    float[] expected = new float[12];
    java.util.Arrays.fill(expected, 100);
    try (ImageConverter converter = sized(2, 2).build()) {
      assertArrayEquals(expected, floats(converter, nv21), 0.5f);
      assertArrayEquals(expected, floats(converter, yuv), 0.5f);
    }
  }

  @Test
  public void boxesGoBackToThePicture() {
    Picture wide = new Picture(Picture.Format.GRAY, 40, 20).setBuffer(pixels(new int[800]), 0);
    try (ImageConverter converter =
        sized(20, 20)
            .setResize(ImageConverter.Fit.LETTERBOX, ImageConverter.Filter.AREA)
            .setPadding(255, 255, 255)
            .setChannels(ImageConverter.Channels.GRAY, new double[] {0}, new double[] {1})
            .build()) {
      FloatBuffer tensor = converter.newTensor().asFloatBuffer();
      ImageTransform back = converter.convert(wide, tensor);
      assertEquals(255, tensor.get(0), 0);
      assertEquals(0, tensor.get(20 * 10), 0);
      assertArrayEquals(new int[] {0, 5, 20, 10}, back.content());
      assertArrayEquals(new double[] {20, 10}, back.toPicture(10, 10), 1e-9);
      assertArrayEquals(new double[] {10, 10}, back.toTensor(20, 10), 1e-9);
    }
  }

  private static void refuses(String words, org.junit.function.ThrowingRunnable call) {
    Models.assertSays(IllegalArgumentException.class, words, call);
  }

  @Test
  public void mistakesAreNamed() {
    Picture two = new Picture(Picture.Format.RGB, 2, 1).setBuffer(pixels(TWO), 0);
    Picture bare = new Picture(Picture.Format.RGB, 2, 1);
    Picture large = new Picture(Picture.Format.RGB, 3, 1).setBuffer(pixels(TWO), 0);
    ImageConverter converter = sized(2, 1).build();
    ByteBuffer tensor = converter.newTensor();
    refuses("no direct buffer", () -> bare.setBuffer(ByteBuffer.allocate(6), 0));
    refuses("pixels are null", () -> bare.setPlane(0, null, 0, 0));
    refuses("there is no plane 1; a picture of RGB has 1", () -> bare.setPlane(1, tensor, 0, 0));
    refuses("the data is null", () -> converter.convert(bare, tensor));
    refuses("there are 6: check the size", () -> converter.convert(large, tensor));
    refuses("orientation is 9", () -> converter.convert(two.setOrientation(9), tensor));
    two.setOrientation(1);
    refuses("picture is null", () -> converter.convert(null, tensor));
    refuses("newTensor() makes one", () -> converter.convert(two, ByteBuffer.allocate(24)));
    refuses("newTensor() makes one", () -> converter.convert(two, tensor.asReadOnlyBuffer()));
    refuses("newTensor() makes one", () -> converter.convert(two, null));
    refuses("23 bytes left", () -> converter.convert(two, tensor.duplicate().position(1)));
    ByteOrder other =
        ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
            ? ByteOrder.LITTLE_ENDIAN
            : ByteOrder.BIG_ENDIAN;
    FloatBuffer foreign = converter.newTensor().order(other).asFloatBuffer();
    refuses("native byte order", () -> converter.convert(two, foreign));
    refuses("the tensor is to have 0x1 pixels", () -> sized(0, 1).build());
    refuses("padding: 256", () -> sized(1, 1).setPadding(0, 0, 256));
    refuses(
        "mean has 2 numbers; it has 1 or 3",
        () -> sized(1, 1).setChannels(ImageConverter.Channels.RGB, new double[2], new double[1]));
    converter.close();
    Models.assertSays(
        IllegalStateException.class,
        "the converter is closed",
        () -> converter.convert(two, tensor));
  }
}
