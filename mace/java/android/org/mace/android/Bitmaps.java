// Android's pictures as inputs.
// SPDX-License-Identifier: Apache-2.0
package org.mace.android;

import android.graphics.Bitmap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Bitmaps as inputs of models, by Android's own scaling. {@link Pictures} and {@link
 * org.mace.ImageConverter} scale as a model's training did, and take frames of cameras.
 */
public final class Bitmaps {
  private Bitmaps() {}

  /**
   * The pixels of a picture as floats, (pixel - mean) * scale, with pixels from 0 to 255: a direct
   * buffer for an input of shape [1, height, width, channels], or [1, channels, height, width] if
   * {@code nchw}. The picture is stretched to that size.
   *
   * @param mean one number for each channel: three for red, green and blue, one for gray (0.299 R +
   *     0.587 G + 0.114 B)
   * @param scale as many
   */
  public static FloatBuffer toFloats(
      Bitmap picture, int width, int height, float[] mean, float[] scale, boolean nchw) {
    int channels = mean.length;
    if (width < 1 || height < 1 || (long) width * height > Integer.MAX_VALUE / (4 * 3)) {
      throw new IllegalArgumentException("an input of " + width + " x " + height + " pixels");
    }
    if ((channels != 1 && channels != 3) || scale.length != channels) {
      throw new IllegalArgumentException(
          "mean has " + channels + " and scale " + scale.length + " numbers; both have 1 or 3");
    }
    boolean fits = picture.getWidth() == width && picture.getHeight() == height;
    Bitmap scaled = fits ? picture : Bitmap.createScaledBitmap(picture, width, height, true);
    int count = width * height;
    int[] pixels = new int[count];
    scaled.getPixels(pixels, 0, width, 0, 0, width, height);
    FloatBuffer floats =
        ByteBuffer.allocateDirect(4 * channels * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
    float[] values = new float[3];
    for (int i = 0; i < count; i++) {
      values[0] = (pixels[i] >> 16) & 0xff;
      values[1] = (pixels[i] >> 8) & 0xff;
      values[2] = pixels[i] & 0xff;
      if (channels == 1) {
        values[0] = 0.299f * values[0] + 0.587f * values[1] + 0.114f * values[2];
      }
      for (int c = 0; c < channels; c++) {
        float value = (values[c] - mean[c]) * scale[c];
        floats.put(nchw ? c * count + i : i * channels + c, value);
      }
    }
    return floats;
  }
}
