// What org.mace.android calls of Android's class, to compile without an SDK. Not packed.
// SPDX-License-Identifier: Apache-2.0
package android.graphics;

/** See developer.android.com; a test compiles the callers against Android's own. */
public final class Rect {
  public int left;
  public int top;
  public int right;
  public int bottom;

  public Rect(int left, int top, int right, int bottom) {
    this.left = left;
    this.top = top;
    this.right = right;
    this.bottom = bottom;
  }

  public int width() {
    return right - left;
  }

  public int height() {
    return bottom - top;
  }
}
