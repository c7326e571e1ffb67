// The memory that an engine holds.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bytes at the time of {@link MaceEngine#getMemoryUsage}. */
public final class MemoryUsage {
  private final double[] numbers;
  private final String peakNode;
  private final Map<String, Long> categories;

  MemoryUsage(double[] numbers, byte[] peakNode, byte[][] names, long[] used) {
    this.numbers = numbers;
    this.peakNode = Native.text(peakNode);
    Map<String, Long> found = new LinkedHashMap<>();
    for (int i = 0; i < used.length; i++) {
      found.put(Native.text(names[i]), used[i]);
    }
    categories = Collections.unmodifiableMap(found);
  }

  /** Of the tensors between nodes and of scratch, as the latest plan places them. */
  public long arenaBytes() {
    return (long) numbers[0];
  }

  /** No plan of these tensors takes less. */
  public long lowerBoundBytes() {
    return (long) numbers[3];
  }

  /** The most that lives at a time. */
  public long peakBytes() {
    return (long) numbers[4];
  }

  /** The node at which that is. */
  public String peakNode() {
    return peakNode;
  }

  /** Of the GPU's images, which are no part of the arena. */
  public long imageBytes() {
    return (long) numbers[6];
  }

  /** What is allocated now for runs: 0 after {@link MaceEngine#releaseMemory}. */
  public long allocatedBytes() {
    return (long) (numbers[9] + numbers[10]);
  }

  /**
   * What only this process holds: the arena, images, packed and copied weights, constants, states,
   * tables. Memory of the app's counts neither here nor as mapped.
   */
  public long anonymousBytes() {
    return (long) numbers[11];
  }

  /** Weights that are mapped from files, whose pages the system may drop at any time. */
  public long mappedBytes() {
    return (long) numbers[12];
  }

  /** The limit of anonymous bytes ({@link Options#setMemoryLimit}). */
  public long limitBytes() {
    return (long) numbers[13];
  }

  /** By purpose: "activations", "scratch", "weights", "packed_weights", "plan" and others. */
  public Map<String, Long> categories() {
    return categories;
  }
}
