// Where a point of a tensor lies in the picture that it was made of.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** The way back from a tensor to the picture, for boxes. Coordinates count pixels from an edge. */
public final class ImageTransform {
  private static final int NUMBERS = 6;

  final double[] matrices = new double[2 * NUMBERS]; // to the picture, to the tensor
  final int[] content = new int[4];

  ImageTransform() {}

  /** A point of the tensor in the stored picture, uncropped: {x, y}. */
  public double[] toPicture(double x, double y) {
    return map(0, x, y);
  }

  /** A point of the stored picture in the tensor: {x, y}. */
  public double[] toTensor(double x, double y) {
    return map(NUMBERS, x, y);
  }

  /** The part of the tensor that shows the picture: {x, y, width, height}; the rest is padding. */
  public int[] content() {
    return content.clone();
  }

  private double[] map(int at, double x, double y) {
    double[] m = matrices;
    return new double[] {
      m[at] * x + m[at + 1] * y + m[at + 2], m[at + 3] * x + m[at + 4] * y + m[at + 5]
    };
  }
}
