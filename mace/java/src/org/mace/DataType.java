// The type of a tensor's elements.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** The type of a tensor's elements, and its Java arrays. */
public enum DataType {
  FLOAT32(1, 4),
  UINT8(2, 1),
  INT32(4, 4),
  /** IEEE 754; in byte buffers only. */
  FLOAT16(5, 2),
  /** The upper half of a float; in byte buffers only. */
  BFLOAT16(6, 2),
  INT16(7, 2),
  INT8(8, 1),
  /** A byte, 0 or 1. */
  BOOL(11, 1),
  INT64(12, 8);

  final int code;
  private final int bytes;

  DataType(int code, int bytes) {
    this.code = code;
    this.bytes = bytes;
  }

  /** The bytes of an element. */
  public int byteSize() {
    return bytes;
  }

  static DataType of(long code) {
    for (DataType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        "the library has a data type that this version of the Java classes does not know: " + code);
  }
}
