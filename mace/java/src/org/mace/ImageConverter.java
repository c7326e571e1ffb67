// Pictures as inputs of models: resized, cropped, turned and normalized in one step.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Makes a model's input of pictures. The numbers are those of {@code preprocess} in a deployment
 * file: (pixel - mean) * scale, with pixels from 0 to 255. Any thread may use it; calls take turns.
 */
public final class ImageConverter extends NativeHandle {
  /** What happens where picture and tensor have different aspect ratios. */
  public enum Fit {
    /** The picture is distorted. */
    STRETCH,
    /** All of it in the middle of the padding colour. */
    LETTERBOX,
    /** Its middle fills the tensor. */
    CROP
  }

  /** How a pixel of the tensor follows from those of the picture. */
  public enum Filter {
    NEAREST,
    /** Averages where a picture shrinks. */
    BILINEAR,
    BICUBIC,
    /** The four neighbours, also where a picture shrinks. */
    BILINEAR_2X2,
    AREA
  }

  /** The channels of the tensor. */
  public enum Channels {
    RGB,
    BGR,
    GRAY
  }

  /** What a converter makes: float32, NHWC, RGB, mean 0 and scale 1 unless set. */
  public static final class Builder {
    private final int[] whole = {0, 0, 0, 1, 0, 0, 0, 0, DataType.FLOAT32.code, 0, 1, 1};
    private final double[] real = {0, 0, 0, 1, 1, 1, 1};

    /** The size of the tensor. */
    public Builder(int width, int height) {
      whole[0] = width;
      whole[1] = height;
    }

    public Builder setResize(Fit fit, Filter filter) {
      whole[2] = Native.need("fit", fit).ordinal();
      whole[3] = Native.need("filter", filter).ordinal();
      return this;
    }

    /**
     * Which channels, and the mean and the scale of each (1 / deviation where a model states a
     * deviation): as many numbers as channels, or one for all of them.
     */
    public Builder setChannels(Channels channels, double[] mean, double[] scale) {
      whole[4] = Native.need("channels", channels).ordinal();
      int count = channels == Channels.GRAY ? 1 : 3;
      for (int i = 0; i < count; i++) {
        real[i] = number("mean", mean, count, i);
        real[3 + i] = number("scale", scale, count, i);
      }
      return this;
    }

    /** The colour beside a letterboxed picture, in the order of the channels: 0 to 255 each. */
    public Builder setPadding(int first, int second, int third) {
      int[] color = {first, second, third};
      for (int i = 0; i < color.length; i++) {
        if (color[i] < 0 || color[i] > 255) {
          throw new IllegalArgumentException("padding: " + color[i] + " is not from 0 to 255");
        }
        whole[5 + i] = color[i];
      }
      return this;
    }

    /** UINT8 or INT8 for a quantized model, or FLOAT32. */
    public Builder setDataType(DataType type, double scale, int zeroPoint) {
      whole[8] = Native.need("type", type).code;
      whole[9] = zeroPoint;
      real[6] = scale;
      return this;
    }

    /** Whether the tensor is [1, channels, height, width], not [1, height, width, channels]. */
    public Builder setChannelsFirst(boolean first) {
      whole[10] = first ? 2 : 1;
      return this;
    }

    public Builder setNumThreads(int threads) {
      whole[11] = threads;
      return this;
    }

    public ImageConverter build() {
      return new ImageConverter(whole, real);
    }

    private static double number(String what, double[] values, int count, int i) {
      if (Native.need(what, values).length != 1 && values.length != count) {
        throw new IllegalArgumentException(
            what + " has " + values.length + " numbers; it has 1 or " + count);
      }
      return values[values.length == 1 ? 0 : i];
    }
  }

  private final int bytes;

  private ImageConverter(int[] whole, double[] real) {
    super("converter");
    own(Native.createImageConverter(whole, real));
    long handle = acquire();
    long found;
    try {
      found = Native.tensorBytes(handle);
    } finally {
      release();
    }
    if (found > Integer.MAX_VALUE) {
      close();
      throw new IllegalArgumentException(
          "a tensor of " + found + " bytes is more than a buffer can hold");
    }
    bytes = (int) found;
  }

  /** The bytes of a tensor. */
  public int tensorBytes() {
    return bytes;
  }

  /** A new direct buffer for a tensor, in the native byte order. */
  public ByteBuffer newTensor() {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /**
   * Writes a tensor to a direct buffer, from its position on, which stays.
   *
   * @param tensor a ByteBuffer, or a FloatBuffer in the native byte order
   */
  public ImageTransform convert(Picture picture, Buffer tensor) {
    Native.need("picture", picture);
    Buffer place = place(tensor);
    int[] properties = {
      picture.format.ordinal(),
      picture.width,
      picture.height,
      picture.color.ordinal(),
      picture.orientation,
      picture.isOneBuffer ? 1 : 0,
      picture.crop[0],
      picture.crop[1],
      picture.crop[2],
      picture.crop[3]
    };
    ImageTransform back = new ImageTransform();
    long handle = acquire();
    try {
      Native.convert(
          handle, properties, picture.planes, picture.strides, place, back.matrices, back.content);
    } finally {
      release();
    }
    return back;
  }

  private Buffer place(Buffer tensor) {
    boolean isFloats = tensor instanceof FloatBuffer;
    boolean isBytes = tensor instanceof ByteBuffer;
    if (!(isFloats || isBytes) || !tensor.isDirect() || tensor.isReadOnly()) {
      throw new IllegalArgumentException(
          "tensor is a direct ByteBuffer or FloatBuffer that can be written; newTensor() makes one");
    }
    if (isFloats && ((FloatBuffer) tensor).order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException("tensor is not in the native byte order");
    }
    if ((long) tensor.remaining() * (isFloats ? 4 : 1) < bytes) {
      throw new IllegalArgumentException(
          "tensor has "
              + (long) tensor.remaining() * (isFloats ? 4 : 1)
              + " bytes left; the converter writes "
              + bytes);
    }
    return isFloats ? ((FloatBuffer) tensor).slice() : ((ByteBuffer) tensor).slice();
  }

  @Override
  void destroy(long handle) {
    Native.destroyImageConverter(handle);
  }
}
