// What org.mace.android calls of Android's class, to compile without an SDK. Not packed.
// SPDX-License-Identifier: Apache-2.0
package android.media;

import android.graphics.Rect;
import java.nio.ByteBuffer;

/** See developer.android.com; a test compiles the callers against Android's own. */
public abstract class Image {
  public abstract int getFormat();

  public abstract int getWidth();

  public abstract int getHeight();

  public abstract Plane[] getPlanes();

  public Rect getCropRect() {
    return null;
  }

  /** See above. */
  public abstract static class Plane {
    public abstract int getRowStride();

    public abstract int getPixelStride();

    public abstract ByteBuffer getBuffer();
  }
}
