// How a text is generated.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Options of {@link MaceGenerator}: greedy, of 256 tokens at most, unless they are set. */
public final class GenerationOptions {
  float temperature;
  float topP = 1;
  float minP;
  float repetitionPenalty = 1;
  int topK;
  int penaltyTokens;
  int maxNewTokens = 256;
  long seed;
  boolean ignoreStopTokens;
  boolean recommended;
  final List<String> stop = new ArrayList<>();
  final List<Integer> stopTokens = new ArrayList<>();
  final Map<Integer, Float> biases = new TreeMap<>();
  MaceCancellation cancellation;
  TextListener listener;

  /** 0: the token with the largest logit. */
  public GenerationOptions setTemperature(float temperature) {
    this.temperature = temperature;
    return this;
  }

  /** The tokens with the largest logits; 0: all. */
  public GenerationOptions setTopK(int topK) {
    this.topK = topK;
    return this;
  }

  /** The fewest tokens whose probabilities sum to this; 1: all. */
  public GenerationOptions setTopP(float topP) {
    this.topP = topP;
    return this;
  }

  /** Tokens at least this fraction as probable as the first; 0: all. */
  public GenerationOptions setMinP(float minP) {
    this.minP = minP;
    return this;
  }

  /**
   * @param penalty above 1: tokens seen so far become less probable
   * @param tokens the last ones that count as seen; 0: all
   */
  public GenerationOptions setRepetitionPenalty(float penalty, int tokens) {
    this.repetitionPenalty = penalty;
    this.penaltyTokens = tokens;
    return this;
  }

  /** Samples as the makers of the model recommend, instead of the five above. */
  public GenerationOptions setRecommended(boolean recommended) {
    this.recommended = recommended;
    return this;
  }

  /** The same seed gives the same text. */
  public GenerationOptions setSeed(long seed) {
    this.seed = seed;
    return this;
  }

  public GenerationOptions setMaxNewTokens(int tokens) {
    this.maxNewTokens = tokens;
    return this;
  }

  /** Ends the text before this one. */
  public GenerationOptions addStop(String text) {
    stop.add(Native.need("text", text));
    return this;
  }

  /** Ends the text at this token, besides those of the tokenizer. */
  public GenerationOptions addStopToken(int token) {
    stopTokens.add(token);
    return this;
  }

  /** Whether to go on after the tokens of the tokenizer that end a text. */
  public GenerationOptions setIgnoreStopTokens(boolean ignore) {
    this.ignoreStopTokens = ignore;
    return this;
  }

  /** Is added to the logit of a token. */
  public GenerationOptions setLogitBias(int token, float bias) {
    biases.put(token, bias);
    return this;
  }

  /** Ends generations from another thread, or at its deadline; null: none. */
  public GenerationOptions setCancellation(MaceCancellation cancellation) {
    this.cancellation = cancellation;
    return this;
  }

  /** Gets the text as it comes; null: none. */
  public GenerationOptions setListener(TextListener listener) {
    this.listener = listener;
    return this;
  }

  float[] floats() {
    float[] floats = new float[4 + biases.size()];
    floats[0] = temperature;
    floats[1] = topP;
    floats[2] = minP;
    floats[3] = repetitionPenalty;
    int i = 4;
    for (float bias : biases.values()) {
      floats[i++] = bias;
    }
    return floats;
  }

  int[] ints() {
    int[] ints = new int[6 + stopTokens.size() + biases.size()];
    ints[0] = topK;
    ints[1] = penaltyTokens;
    ints[2] = maxNewTokens;
    ints[3] = ignoreStopTokens ? 1 : 0;
    ints[4] = recommended ? 1 : 0;
    ints[5] = stopTokens.size();
    int i = 6;
    for (int token : stopTokens) {
      ints[i++] = token;
    }
    for (int token : biases.keySet()) {
      ints[i++] = token;
    }
    return ints;
  }
}
