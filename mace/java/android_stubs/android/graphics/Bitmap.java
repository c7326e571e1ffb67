// What org.mace.android calls of Android's class, to compile without an SDK. Not packed.
// SPDX-License-Identifier: Apache-2.0
package android.graphics;

/** See developer.android.com; a test compiles the callers against Android's own. */
public class Bitmap {
  /** See above. */
  public enum Config {
    ALPHA_8,
    ARGB_8888
  }

  public Config getConfig() {
    return Config.ARGB_8888;
  }

  public Bitmap copy(Config config, boolean isMutable) {
    return this;
  }

  public int getRowBytes() {
    return 0;
  }

  public void copyPixelsToBuffer(java.nio.Buffer pixels) {}

  public int getWidth() {
    return 0;
  }

  public int getHeight() {
    return 0;
  }

  public void getPixels(int[] pixels, int offset, int stride, int x, int y, int width, int height) {}

  public static Bitmap createScaledBitmap(Bitmap source, int width, int height, boolean filter) {
    return source;
  }
}
