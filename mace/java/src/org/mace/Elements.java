// The elements of arrays and buffers, in direct buffers that the library reads and writes.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;

/** A value of one tensor in a call: what the caller gave, and the direct buffer for the library. */
final class Elements {
  private static final String KINDS =
      "an array (of any number of dimensions) of float, int, long or byte, or a direct ByteBuffer,"
          + " FloatBuffer, IntBuffer or LongBuffer in the native byte order";

  final DataType type;
  final long[] shape;
  final Buffer direct; // null for imported memory
  final ImportedMemory imported; // null for others
  private final Object array; // null if the caller's own buffer is used

  private Elements(DataType type, long[] shape, Buffer direct, Object array) {
    this.type = type;
    this.shape = shape;
    this.direct = direct;
    this.array = array;
    imported = null;
  }

  private Elements(ImportedMemory memory) {
    type = DataType.FLOAT32;
    shape = widen(memory.shape);
    direct = null;
    array = null;
    imported = memory;
  }

  /**
   * @param shape of the tensor, for buffers, which have none; null: their number of elements
   * @param writes whether the library writes to it
   */
  static Elements of(TensorInfo info, int[] shape, Object value, boolean writes) {
    String where = "'" + info.name() + "': ";
    if (value == null) {
      throw new IllegalArgumentException(where + "null was given; MACE takes " + KINDS);
    }
    if (value instanceof ImportedMemory) {
      return new Elements((ImportedMemory) value);
    }
    if (value instanceof Buffer) {
      return ofBuffer(where, info, shape, (Buffer) value, writes);
    }
    Class<?> kind = value.getClass();
    while (kind.isArray()) {
      kind = kind.getComponentType();
    }
    if (!value.getClass().isArray() || typeOf(kind, info) == null) {
      throw new IllegalArgumentException(
          where + value.getClass().getSimpleName() + " was given; MACE takes " + KINDS);
    }
    DataType type = typeOf(kind, info);
    long[] dims = shapeOf(where, value);
    long bytes = bytesOf(where, type, dims);
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(where + bytes + " bytes are more than a buffer can hold");
    }
    check(where, value, dims, 0);
    return new Elements(
        type,
        dims,
        ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.nativeOrder()),
        value);
  }

  private static DataType typeOf(Class<?> kind, TensorInfo info) {
    if (kind == float.class) {
      return DataType.FLOAT32;
    } else if (kind == int.class) {
      return DataType.INT32;
    } else if (kind == long.class) {
      return DataType.INT64;
    } else if (kind == byte.class) {
      DataType known = info.dataType();
      return known != null && known.byteSize() == 1 ? known : DataType.INT8;
    }
    return null;
  }

  private static Elements ofBuffer(
      String where, TensorInfo info, int[] shape, Buffer value, boolean writes) {
    Buffer slice;
    ByteOrder order;
    DataType type;
    if (value instanceof ByteBuffer) {
      ByteBuffer bytes = (ByteBuffer) value;
      type = info.dataType();
      if (type == null) {
        throw new IllegalArgumentException(
            where
                + "a ByteBuffer was given, and the model does not say the type of its elements:"
                + " give an array, a FloatBuffer, an IntBuffer or a LongBuffer");
      }
      slice = bytes.slice();
      // The order says nothing about single bytes.
      order = type.byteSize() == 1 ? ByteOrder.nativeOrder() : bytes.order();
    } else if (value instanceof FloatBuffer) {
      type = DataType.FLOAT32;
      slice = ((FloatBuffer) value).slice();
      order = ((FloatBuffer) value).order();
    } else if (value instanceof IntBuffer) {
      type = DataType.INT32;
      slice = ((IntBuffer) value).slice();
      order = ((IntBuffer) value).order();
    } else if (value instanceof LongBuffer) {
      type = DataType.INT64;
      slice = ((LongBuffer) value).slice();
      order = ((LongBuffer) value).order();
    } else {
      throw new IllegalArgumentException(
          where + value.getClass().getSimpleName() + " was given; MACE takes " + KINDS);
    }
    if (!value.isDirect()) {
      throw new IllegalArgumentException(
          where + "the buffer is not direct: make it with ByteBuffer.allocateDirect");
    }
    if (writes && value.isReadOnly()) {
      throw new IllegalArgumentException(
          where
              + "the buffer is read-only: give one that can be written, such as that of"
              + " ByteBuffer.allocateDirect");
    }
    if (order != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          where
              + "the buffer has the byte order "
              + order
              + ", not this machine's: call order(ByteOrder.nativeOrder())");
    }
    int wide = value instanceof ByteBuffer ? 1 : type.byteSize();
    long bytes = (long) slice.capacity() * wide;
    long[] dims = {bytes / type.byteSize()};
    if (shape != null) {
      dims = widen(shape);
    }
    long wanted = bytesOf(where, type, dims);
    if (wanted != bytes) {
      throw new IllegalArgumentException(
          where
              + "the buffer holds "
              + bytes
              + " bytes from its position to its limit; "
              + type
              + " "
              + Arrays.toString(dims)
              + " has "
              + wanted);
    }
    return new Elements(type, dims, slice, null);
  }

  /** The bytes of a tensor; {@link IllegalArgumentException} for a shape that none can have. */
  static long bytesOf(String where, DataType type, long[] dims) {
    long bytes = type.byteSize();
    boolean isEmpty = false;
    for (long dim : dims) {
      if (dim < 0) {
        throw new IllegalArgumentException(where + "the dimension " + dim + " is negative");
      }
      if (dim > 0 && bytes > Long.MAX_VALUE / dim) {
        throw new IllegalArgumentException(where + "no tensor has the shape " + Arrays.toString(dims));
      }
      isEmpty = isEmpty || dim == 0;
      bytes *= Math.max(dim, 1);
    }
    return isEmpty ? 0 : bytes;
  }

  static long[] widen(int[] shape) {
    long[] dims = new long[shape.length];
    for (int i = 0; i < dims.length; i++) {
      dims[i] = shape[i];
    }
    return dims;
  }

  private static long[] shapeOf(String where, Object value) {
    int rank = 0;
    for (Class<?> c = value.getClass(); c.isArray(); c = c.getComponentType()) {
      rank++;
    }
    long[] dims = new long[rank];
    Object at = value;
    for (int i = 0; i < rank; i++) {
      if (at == null) {
        throw new IllegalArgumentException(where + "the array holds null");
      }
      dims[i] = Array.getLength(at);
      if (dims[i] == 0 && i + 1 < rank) {
        throw new IllegalArgumentException(where + "an array without elements has no shape");
      }
      at = i + 1 < rank ? Array.get(at, 0) : null;
    }
    return dims;
  }

  private static void check(String where, Object value, long[] dims, int depth) {
    if (value == null || Array.getLength(value) != dims[depth]) {
      throw new IllegalArgumentException(
          where
              + "the array is ragged: in dimension "
              + depth
              + " there are "
              + (value == null ? "null" : Integer.toString(Array.getLength(value)))
              + " and "
              + dims[depth]
              + " elements");
    }
    if (depth + 1 < dims.length) {
      for (Object inner : (Object[]) value) {
        check(where, inner, dims, depth + 1);
      }
    }
  }

  /** Copies an array to the buffer, before a run. */
  void read() {
    if (array != null) {
      copy(start(), array, true);
    }
  }

  /** Copies the buffer to an array, after a run. */
  void write() {
    if (array != null) {
      copy(start(), array, false);
    }
  }

  private ByteBuffer start() {
    return ((ByteBuffer) direct).duplicate().order(ByteOrder.nativeOrder());
  }

  private static void copy(ByteBuffer buffer, Object array, boolean toBuffer) {
    int bytes;
    if (array instanceof float[]) {
      float[] row = (float[]) array;
      FloatBuffer view = buffer.asFloatBuffer();
      bytes = 4 * row.length;
      if (toBuffer) view.put(row);
      else view.get(row);
    } else if (array instanceof int[]) {
      int[] row = (int[]) array;
      IntBuffer view = buffer.asIntBuffer();
      bytes = 4 * row.length;
      if (toBuffer) view.put(row);
      else view.get(row);
    } else if (array instanceof long[]) {
      long[] row = (long[]) array;
      LongBuffer view = buffer.asLongBuffer();
      bytes = 8 * row.length;
      if (toBuffer) view.put(row);
      else view.get(row);
    } else if (array instanceof byte[]) {
      byte[] row = (byte[]) array;
      bytes = 0; // the calls move the position
      if (toBuffer) buffer.put(row);
      else buffer.get(row);
    } else {
      for (Object inner : (Object[]) array) {
        copy(buffer, inner, toBuffer);
      }
      return;
    }
    buffer.position(buffer.position() + bytes);
  }
}
