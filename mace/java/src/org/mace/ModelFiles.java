// The files and buffers of models, as the library takes them.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.io.File;
import java.nio.ByteBuffer;

/** Models, which the caller destroys. */
final class ModelFiles {
  private ModelFiles() {}

  static long load(File graph, File data, Options options) {
    return Native.loadFiles(
        path("graph", graph),
        path(data == null ? beside(graph) : data),
        options != null && options.intoMemory);
  }

  static long load(ByteBuffer graph, ByteBuffer data) {
    return Native.loadBuffers(direct("graph", graph), data == null ? null : direct("data", data));
  }

  static long load(File sealed, KeySource keys) {
    return Native.loadSealedFile(path("sealed", sealed), present(keys));
  }

  static long load(ByteBuffer sealed, KeySource keys) {
    return Native.loadSealedBuffer(direct("sealed", sealed), present(keys));
  }

  private static byte[] path(String what, File file) {
    return path(Native.need(what, file));
  }

  private static byte[] path(File file) {
    return file == null ? null : Native.utf8(file.getPath());
  }

  private static KeySource present(KeySource keys) {
    if (keys == null) {
      throw new IllegalArgumentException("keys is null; a sealed model needs its key");
    }
    return keys;
  }

  private static File beside(File graph) {
    String path = graph.getPath();
    int dot = path.lastIndexOf('.');
    File data = new File((dot > path.lastIndexOf('/') ? path.substring(0, dot) : path) + ".data");
    return data.isFile() ? data : null;
  }

  private static ByteBuffer direct(String what, ByteBuffer buffer) {
    if (!Native.need(what, buffer).isDirect()) {
      throw new IllegalArgumentException(
          what + " is no direct buffer: map the file, or copy it to ByteBuffer.allocateDirect");
    }
    return buffer.slice();
  }
}
