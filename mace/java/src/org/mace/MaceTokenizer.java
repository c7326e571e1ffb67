// Text to the tokens of a language model, and back.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.io.File;
import java.nio.charset.StandardCharsets;

/**
 * A vocabulary and its rules, from the file that {@code converter.py tokenizer} or {@code convert}
 * makes. It does not change, so that threads and generators may share it; close it after use.
 */
public final class MaceTokenizer extends NativeHandle {
  public MaceTokenizer(File file) {
    super("tokenizer");
    own(Native.loadTokenizer(Native.utf8(Native.need("file", file).getPath())));
  }

  /** The tokens of a text, with those that the model expects around it. */
  public int[] encode(String text) {
    return encode(text, true, true);
  }

  /**
   * @param addSpecialTokens those that the model expects around a text
   * @param parseSpecialTokens whether special tokens that are written in the text become these;
   *     false for what users write who must not end their turn so
   */
  public int[] encode(String text, boolean addSpecialTokens, boolean parseSpecialTokens) {
    byte[] bytes = Native.need("text", text).getBytes(StandardCharsets.UTF_8);
    long handle = acquire();
    try {
      return Native.encode(handle, bytes, addSpecialTokens, parseSpecialTokens);
    } finally {
      release();
    }
  }

  /** The text of tokens, without special ones. */
  public String decode(int... tokens) {
    return decode(tokens, true);
  }

  public String decode(int[] tokens, boolean skipSpecialTokens) {
    Native.need("tokens", tokens);
    long handle = acquire();
    try {
      return Native.text(Native.decode(handle, tokens, skipSpecialTokens));
    } finally {
      release();
    }
  }

  /** Tokens are the numbers below it. */
  public int vocabSize() {
    long handle = acquire();
    try {
      return Native.vocabSize(handle);
    } finally {
      release();
    }
  }

  /** What the converter noted by this name, such as "chat_template", or "". */
  public String property(String name) {
    byte[] key = Native.utf8(name);
    long handle = acquire();
    try {
      return Native.text(Native.tokenizerProperty(handle, key));
    } finally {
      release();
    }
  }

  @Override
  void destroy(long handle) {
    Native.destroyTokenizer(handle);
  }
}
