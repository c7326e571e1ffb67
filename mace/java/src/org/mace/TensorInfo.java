// What is known of an input or an output.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.Arrays;

/** An input or an output of an engine, as it was when it was asked for. Immutable. */
public final class TensorInfo {
  private static final int HEAD = 4; // type, format, scale, zero point; then the shape

  private final String name;
  private final DataType dataType;
  private final String dataFormat;
  private final float scale;
  private final int zeroPoint;
  private final int[] shape;

  TensorInfo(String name, long[] properties) {
    this.name = name;
    // 0: of an output that no plan has yet, and of which the model's file does not say it.
    dataType = properties[0] == 0 ? null : DataType.of(properties[0]);
    dataFormat = properties[1] == 1 ? "NHWC" : properties[1] == 2 ? "NCHW" : "";
    scale = Float.intBitsToFloat((int) properties[2]);
    zeroPoint = (int) properties[3];
    shape = new int[properties.length - HEAD];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = (int) properties[HEAD + i];
    }
  }

  private TensorInfo(TensorInfo other, int[] shape) {
    name = other.name;
    dataType = other.dataType;
    dataFormat = other.dataFormat;
    scale = other.scale;
    zeroPoint = other.zeroPoint;
    this.shape = shape.clone();
  }

  TensorInfo withShape(int[] other) {
    return new TensorInfo(this, other);
  }

  public String name() {
    return name;
  }

  /**
   * Null where it is not known before a run, as of a tensor in {@link Options#setOutputs} that
   * depends on data: then the array that is given decides (byte: INT8), and no ByteBuffer can be
   * given.
   */
  public DataType dataType() {
    return dataType;
  }

  /** "NHWC", "NCHW", or "" if only the shape is known. */
  public String dataFormat() {
    return dataFormat;
  }

  /** The outermost dimension first. */
  public int[] shape() {
    return shape.clone();
  }

  /** {@link IllegalStateException} where an int cannot count them. */
  public int numElements() {
    return counted(bytesAs(DataType.INT8));
  }

  /** As {@link #numElements}, and where the type is not known. */
  public int numBytes() {
    if (dataType == null) {
      throw new IllegalStateException("the type of '" + name + "' is not known");
    }
    return counted(bytesAs(dataType));
  }

  private long bytesAs(DataType type) {
    return Elements.bytesOf("'" + name + "': ", type, Elements.widen(shape));
  }

  private int counted(long count) {
    if (count > Integer.MAX_VALUE) {
      throw new IllegalStateException(this + " has " + count + ", which is no int");
    }
    return (int) count;
  }

  /** A value stands for scale * (value - zeroPoint); 0 if the tensor is not quantized. */
  public float scale() {
    return scale;
  }

  public int zeroPoint() {
    return zeroPoint;
  }

  public boolean isQuantized() {
    return scale != 0;
  }

  @Override
  public String toString() {
    String type = dataType == null ? "of unknown type" : dataType.toString();
    return name + " " + type + " " + Arrays.toString(shape);
  }
}
