// What an op did in one run.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** An op of a run, as {@link MaceEngine#profile} reports it. */
public final class OpStats {
  static final int TEXTS = 5;
  static final int NUMBERS = 5;

  private final String[] texts = new String[TEXTS];
  private final long[] numbers = new long[NUMBERS];

  OpStats(byte[][] allTexts, long[] allNumbers, int op) {
    for (int i = 0; i < TEXTS; i++) {
      texts[i] = Native.text(allTexts[op * TEXTS + i]);
    }
    System.arraycopy(allNumbers, op * NUMBERS, numbers, 0, NUMBERS);
  }

  public String name() {
    return texts[0];
  }

  /** The operator, such as "Conv2d". */
  public String type() {
    return texts[1];
  }

  /** "CPU", "GPU" or "DSP". */
  public String device() {
    return texts[2];
  }

  /** The kernel that ran. */
  public String variant() {
    return texts[3];
  }

  /** How it was chosen: "model" (by its costs), "tuned" (measured) or "kept" (measured earlier). */
  public String chosenBy() {
    return texts[4];
  }

  /** Microseconds of a clock that only goes on. */
  public long startMicros() {
    return numbers[0];
  }

  public long endMicros() {
    return numbers[1];
  }

  /** Multiply-adds. */
  public long macs() {
    return numbers[2];
  }

  /** Of the inputs, weights and outputs. */
  public long bytes() {
    return numbers[4];
  }

  @Override
  public String toString() {
    return type() + " '" + name() + "': " + (endMicros() - startMicros()) + " us, " + variant();
  }
}
