// A picture of a camera or a file, in direct buffers.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.nio.ByteBuffer;

/**
 * Pixels that stay where they are, which part of them is meant, and which way is up. Setters return
 * the object itself. Not for use by several threads at once.
 */
public final class Picture {
  /** How pixels lie in memory, with 8 bits for each channel. */
  public enum Format {
    RGBA(1),
    BGRA(1),
    RGB(1),
    BGR(1),
    GRAY(1),
    /** Planes: Y; pairs of U and V. */
    NV12(2),
    /** Planes: Y; pairs of V and U. */
    NV21(2),
    /** Planes: Y; U; V: I420, and Android's YUV_420_888. */
    YUV420(3);

    final int planes;

    Format(int planes) {
      this.planes = planes;
    }
  }

  /** What the Y, U and V of a picture mean. */
  public enum Color {
    /** JPEG, and the cameras of Android. */
    BT601_FULL,
    BT601_LIMITED,
    BT709_FULL,
    /** Most video. */
    BT709_LIMITED
  }

  private static final int MOST_PLANES = 3;

  final ByteBuffer[] planes = new ByteBuffer[MOST_PLANES];
  final long[] strides = new long[2 * MOST_PLANES]; // rows, then pixels
  final int[] crop = new int[4];
  final Format format;
  final int width;
  final int height;
  Color color = Color.BT601_FULL;
  int orientation = 1;
  boolean isOneBuffer;

  /** Width and height are as stored. */
  public Picture(Format format, int width, int height) {
    this.format = Native.need("format", format);
    this.width = width;
    this.height = height;
  }

  /**
   * Where a plane is: in a direct buffer, from its position on.
   *
   * @param rowStride bytes from a row to the next; 0: rows have no gap
   * @param pixelStride bytes from a pixel, or a U, to the next; 0: no gap
   */
  public Picture setPlane(int plane, ByteBuffer pixels, int rowStride, int pixelStride) {
    if (plane < 0 || plane >= format.planes) {
      throw new IllegalArgumentException(
          "there is no plane " + plane + "; a picture of " + format + " has " + format.planes);
    }
    planes[plane] = direct(pixels);
    strides[plane] = rowStride;
    strides[MOST_PLANES + plane] = pixelStride;
    isOneBuffer = false;
    return this;
  }

  /** All planes, one after the other in one buffer, as those of an NV21 preview are. */
  public Picture setBuffer(ByteBuffer pixels, int rowStride) {
    planes[0] = direct(pixels);
    planes[1] = null;
    planes[2] = null;
    strides[0] = rowStride;
    isOneBuffer = true;
    return this;
  }

  /** What the values of a YUV picture mean; {@link Color#BT601_FULL} unless set. */
  public Picture setColor(Color value) {
    color = Native.need("color", value);
    return this;
  }

  /** The part of the stored picture that is meant, before it is turned; all of it unless set. */
  public Picture setCrop(int x, int y, int width, int height) {
    crop[0] = x;
    crop[1] = y;
    crop[2] = width;
    crop[3] = height;
    return this;
  }

  /** What turns the stored picture upright, by its number in EXIF: 1 (it is upright) to 8. */
  public Picture setOrientation(int exif) {
    orientation = exif;
    return this;
  }

  /**
   * The orientation for degrees clockwise, a multiple of 90 as cameras report it, then mirrored as
   * the preview of a front camera is.
   */
  public static int turned(int degrees, boolean mirror) {
    return Native.turned(degrees, mirror);
  }

  private static ByteBuffer direct(ByteBuffer pixels) {
    if (pixels == null || !pixels.isDirect()) {
      throw new IllegalArgumentException(
          "pixels are "
              + (pixels == null ? "null" : "no direct buffer: copy them to one")
              + "; a picture is in direct buffers (ByteBuffer.allocateDirect)");
    }
    return pixels.slice();
  }
}
