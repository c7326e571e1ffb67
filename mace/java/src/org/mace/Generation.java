// What a generator made of a prompt.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** A text, why it ended, and how fast it came. */
public final class Generation {
  /** Why a generation ended. */
  public enum FinishReason {
    STOP_TOKEN,
    STOP_STRING,
    /** {@link GenerationOptions#setMaxNewTokens}. */
    LENGTH,
    /** The model's context is full. */
    CONTEXT,
    /** The listener returned false. */
    CALLBACK,
    CANCELLED,
    DEADLINE
  }

  private final String text;
  private final int[] tokens;
  private final double[] numbers;

  Generation(Object[] results) {
    text = Native.text((byte[]) results[0]);
    tokens = (int[]) results[1];
    numbers = (double[]) results[2];
  }

  public String text() {
    return text;
  }

  public int[] tokens() {
    return tokens.clone();
  }

  public FinishReason finishReason() {
    return FinishReason.values()[(int) numbers[0]];
  }

  public int promptTokens() {
    return (int) numbers[1];
  }

  /** Tokens of the prompt that earlier calls had computed. */
  public int reusedTokens() {
    return (int) numbers[2];
  }

  public int newTokens() {
    return (int) numbers[3];
  }

  public double firstTokenMillis() {
    return numbers[4];
  }

  public double totalMillis() {
    return numbers[5];
  }

  public double promptTokensPerSecond() {
    return numbers[6];
  }

  /** After the first one. */
  public double newTokensPerSecond() {
    return numbers[7];
  }

  /** Of the engine; 0: unknown. */
  public long memoryBytes() {
    return (long) numbers[8];
  }
}
