// Memory of a camera or a decoder as a tensor.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/**
 * Memory that another part of the system made, as an input or output of runs, which {@link
 * MaceEngine#importDmaBuf} and {@link MaceEngine#importHardwareBuffer} return. It holds float32
 * elements in the tensor's own order. Each run uses what the memory contains then. Any thread may
 * use it.
 */
public final class ImportedMemory extends NativeHandle {
  final int[] shape;

  ImportedMemory(long tensors, int[] shape) {
    super("imported memory");
    own(tensors);
    this.shape = shape.clone();
  }

  @Override
  void destroy(long handle) {
    Native.destroyTensors(handle);
  }
}
