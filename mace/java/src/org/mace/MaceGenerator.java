// Text from a language model, token by token.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * One sequence of tokens in a language model. A prompt that begins as the sequence does is computed
 * from where it differs. Any thread may call it; calls run one after the other. It holds memory
 * that Java does not see, and so must be closed.
 *
 * <pre>{@code
 * try (MaceTokenizer tokenizer = new MaceTokenizer(new File("net.tokenizer"));
 *     MaceGenerator generator = new MaceGenerator(new File("net.pb"), tokenizer, new Options())) {
 *   generator.generate("Once upon", new GenerationOptions().setListener(this::show));
 * }
 * }</pre>
 */
public final class MaceGenerator extends NativeHandle {
  private static final int PROMPT = 0;
  private static final int TOKENS = 1;
  private static final int CHAT = 2;
  private static final int SAVE = 0;
  private static final int RESTORE = 1;
  private static final int RESET = 2;

  /** A message of a chat. */
  public static final class Message {
    final String role;
    final String content;

    /**
     * @param role "system", "user", "assistant" or another of the model's template
     */
    public Message(String role, String content) {
      this.role = Native.need("role", role);
      this.content = Native.need("content", content);
    }
  }

  /**
   * @param graph NAME.pb, with its weights in NAME.data
   * @param options of the engine; {@code outputs} and {@code shareWith} have no meaning here
   */
  public MaceGenerator(File graph, MaceTokenizer tokenizer, Options options) {
    super("generator");
    Native.need("tokenizer", tokenizer);
    Options given = options == null ? new Options() : options;
    long model = ModelFiles.load(graph, null, given);
    try {
      long tokens = tokenizer.acquire();
      try {
        own(
            Native.createGenerator(
                model,
                tokens,
                given.device.code,
                given.words(),
                given.gpuPaths(),
                Native.utf8(given.opLibraries)));
      } finally {
        tokenizer.release();
      }
    } finally {
      Native.destroyModel(model);
    }
  }

  /**
   * Continues a text. One that is cancelled, or meets its deadline, returns the text so far.
   *
   * @param options null: greedy
   */
  public Generation generate(String prompt, GenerationOptions options) {
    return generate(PROMPT, new byte[][] {Native.utf8(prompt)}, new int[0], options);
  }

  public Generation generate(int[] prompt, GenerationOptions options) {
    return generate(TOKENS, new byte[0][], Native.need("prompt", prompt), options);
  }

  /** Answers the last message, by the chat template of the tokenizer. */
  public Generation chat(List<Message> messages, GenerationOptions options) {
    return generate(CHAT, columns(messages), new int[0], options);
  }

  /** The prompt that {@link #chat} makes of messages. */
  public String renderChat(List<Message> messages) {
    byte[][] texts = columns(messages);
    long handle = acquire();
    try {
      return Native.text(Native.renderChat(handle, texts));
    } finally {
      release();
    }
  }

  private Generation generate(int kind, byte[][] texts, int[] tokens, GenerationOptions options) {
    GenerationOptions o = options == null ? new GenerationOptions() : options;
    byte[][] stop = Native.utf8(o.stop);
    long handle = acquire();
    long ends = 0;
    try {
      ends = o.cancellation == null ? 0 : o.cancellation.acquire();
      return new Generation(
          Native.generate(
              handle, kind, texts, tokens, o.floats(), o.ints(), o.seed, stop, ends, o.listener));
    } finally {
      if (ends != 0) {
        o.cancellation.release();
      }
      release();
    }
  }

  private static byte[][] columns(List<Message> messages) {
    List<String> texts = new ArrayList<>();
    for (Message message : Native.need("messages", messages)) {
      texts.add(message.role);
    }
    for (Message message : messages) {
      texts.add(message.content);
    }
    return Native.utf8(texts);
  }

  /**
   * exp(mean negative log likelihood) of the tokens of a text. The sequence becomes this text.
   */
  public double perplexity(String text) {
    byte[] bytes = Native.utf8(text);
    long handle = acquire();
    try {
      return Native.perplexity(handle, bytes);
    } finally {
      release();
    }
  }

  /**
   * The mean over the tokens of a text of a tensor [1, tokens, size] of the model, with a length of
   * 1.
   */
  public float[] embed(String text, String tensor) {
    byte[] bytes = Native.utf8(text);
    byte[] name = Native.utf8(tensor);
    long handle = acquire();
    try {
      return Native.embed(handle, bytes, name);
    } finally {
      release();
    }
  }

  /** Writes the sequence and the states of the model. */
  public void save(File file) {
    sequence(SAVE, Native.need("file", file));
  }

  /**
   * Reads what {@link #save} wrote with the same model and tokenizer. After an exception the
   * sequence is as before.
   */
  public void restore(File file) {
    sequence(RESTORE, Native.need("file", file));
  }

  /** Forgets the sequence. */
  public void reset() {
    sequence(RESET, null);
  }

  private void sequence(int what, File file) {
    byte[] path = file == null ? null : Native.utf8(file.getPath());
    long handle = acquire();
    try {
      Native.sequenceFile(handle, what, path);
    } finally {
      release();
    }
  }

  /** The tokens whose keys and values the model holds. */
  public int[] tokens() {
    long handle = acquire();
    try {
      return Native.sequence(handle);
    } finally {
      release();
    }
  }

  /** The most tokens of a sequence, or -1. */
  public long contextLength() {
    long handle = acquire();
    try {
      return Native.contextLength(handle);
    } finally {
      release();
    }
  }

  @Override
  void destroy(long handle) {
    Native.destroyGenerator(handle);
  }
}
