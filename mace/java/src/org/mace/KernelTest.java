// The test of a micro-kernel.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.ArrayList;
import java.util.List;

/**
 * A micro-kernel of the CPU that this process has tested. Before one is used for the first time, it
 * computes a small known case; what fails is switched off, and another one takes its place.
 */
public final class KernelTest {
  private static final int TEXTS = 3;

  private final String kernel;
  private final String reason;
  private final String fallback;

  private KernelTest(String kernel, String reason, String fallback) {
    this.kernel = kernel;
    this.reason = reason;
    this.fallback = fallback;
  }

  /** Those of this process so far, in the order of their first use. */
  public static List<KernelTest> all() {
    byte[][] texts = Native.kernelTests();
    List<KernelTest> all = new ArrayList<>();
    for (int i = 0; i < texts.length; i += TEXTS) {
      all.add(
          new KernelTest(
              Native.text(texts[i]), Native.text(texts[i + 1]), Native.text(texts[i + 2])));
    }
    return all;
  }

  public String kernel() {
    return kernel;
  }

  /** Why it is switched off: "illegal instruction", "wrong numbers"; empty if it is right. */
  public String reason() {
    return reason;
  }

  /** What is used in its place; empty if it is right. */
  public String fallback() {
    return fallback;
  }
}
