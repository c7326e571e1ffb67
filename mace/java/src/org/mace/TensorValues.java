// The values of several tensors in one call of the library.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Values by name, as arrays for the library. Imported memory stays open until it is closed. */
final class TensorValues implements AutoCloseable {
  final byte[][] names;
  final int[] types;
  final long[][] shapes;
  final Buffer[] buffers;
  final long[] imported; // 0: the buffer
  private final List<Elements> all = new ArrayList<>();

  TensorValues(int count) {
    names = new byte[count][];
    types = new int[count];
    shapes = new long[count][];
    buffers = new Buffer[count];
    imported = new long[count];
  }

  void add(byte[] name, Elements elements) {
    int i = all.size();
    imported[i] = elements.imported == null ? 0 : elements.imported.acquire();
    all.add(elements);
    names[i] = name;
    types[i] = elements.type.code;
    shapes[i] = elements.shape;
    buffers[i] = elements.direct;
  }

  /** Copies arrays to the buffers, before a call. */
  void read() {
    for (Elements elements : all) {
      elements.read();
    }
  }

  /** Copies the buffers to arrays, after a call. */
  void write() {
    for (Elements elements : all) {
      elements.write();
    }
  }

  @Override
  public void close() {
    for (Elements elements : all) {
      if (elements.imported != null) {
        elements.imported.release();
      }
    }
  }
}
