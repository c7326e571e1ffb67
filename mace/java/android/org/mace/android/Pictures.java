// Android's bitmaps and camera frames as pictures.
// SPDX-License-Identifier: Apache-2.0
package org.mace.android;

import android.graphics.Bitmap;
import android.graphics.Rect;
import android.media.Image;
import java.nio.ByteBuffer;
import org.mace.Picture;

/** Pictures for {@link org.mace.ImageConverter}. */
public final class Pictures {
  private static final int YUV_420_888 = 35; // android.graphics.ImageFormat
  private static final int RGBA_8888 = 1; // android.graphics.PixelFormat

  private Pictures() {}

  /** A copy of a bitmap, which is converted to ARGB_8888 if it has another configuration. */
  public static Picture of(Bitmap bitmap) {
    Bitmap pixels =
        bitmap.getConfig() == Bitmap.Config.ARGB_8888
            ? bitmap
            : bitmap.copy(Bitmap.Config.ARGB_8888, false);
    if (pixels == null) {
      throw new IllegalArgumentException(
          "a bitmap of the configuration " + bitmap.getConfig() + " cannot become ARGB_8888");
    }
    // What Android calls ARGB_8888 lies in memory as red, green, blue, alpha.
    ByteBuffer copy = ByteBuffer.allocateDirect(pixels.getRowBytes() * pixels.getHeight());
    pixels.copyPixelsToBuffer(copy);
    copy.rewind();
    return new Picture(Picture.Format.RGBA, pixels.getWidth(), pixels.getHeight())
        .setBuffer(copy, pixels.getRowBytes());
  }

  /**
   * A frame of a camera or a decoder, in YUV_420_888 or RGBA_8888, without a copy: convert it before
   * {@code frame.close()}. Its crop is taken over.
   *
   * @param rotationDegrees clockwise, as CameraX's {@code ImageInfo.getRotationDegrees()} says
   */
  public static Picture of(Image frame, int rotationDegrees) {
    Image.Plane[] planes = frame.getPlanes();
    Picture.Format format;
    if (frame.getFormat() == YUV_420_888) {
      format = Picture.Format.YUV420;
    } else if (frame.getFormat() == RGBA_8888) {
      format = Picture.Format.RGBA;
    } else {
      throw new IllegalArgumentException(
          "a frame of format " + frame.getFormat() + "; it is YUV_420_888 (35) or RGBA_8888 (1)");
    }
    Picture picture = new Picture(format, frame.getWidth(), frame.getHeight());
    for (int i = 0; i < planes.length; i++) {
      picture.setPlane(
          i, planes[i].getBuffer(), planes[i].getRowStride(), planes[i].getPixelStride());
    }
    Rect crop = frame.getCropRect();
    if (crop != null) {
      picture.setCrop(crop.left, crop.top, crop.width(), crop.height());
    }
    return picture.setOrientation(Picture.turned(rotationDegrees, false));
  }
}
