// Where the library's messages go.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/**
 * Passes the messages of the library to the app; without that they go to stderr, which Android
 * drops. Any thread may call it.
 */
public final class MaceLog {
  /** The kinds of messages, from the most important to the least. */
  public enum Level {
    ERROR,
    /** Not as asked, for example that the CPU takes over for a GPU. */
    WARNING,
    INFO,
    /** Each engine, plan and run. */
    VERBOSE_1,
    /** Each op of each run. */
    VERBOSE_2,
    VERBOSE_3,
    VERBOSE_4
  }

  /** Gets messages. */
  public interface Listener {
    /**
     * One line of text. Called by any thread of the app or of the library, by several at once, too.
     * It may call any method of this package but {@link MaceLog#set}; messages of those calls go
     * to stderr, as does what it throws.
     */
    void log(Level level, String message);
  }

  private MaceLog() {}

  /**
   * Passes the messages from {@link Level#ERROR} to {@code leastImportant} to {@code listener}; the
   * others are dropped. When this returns, no other thread calls the listener that was set before.
   *
   * @param listener null: errors, warnings and information go to stderr again
   */
  public static void set(Listener listener, Level leastImportant) {
    Native.need("leastImportant", leastImportant);
    Native.setLog(listener, listener == null ? Level.INFO.ordinal() : leastImportant.ordinal());
  }

  /** Called by libmace_jni.so. */
  static void log(Listener listener, int level, byte[] message) {
    listener.log(Level.values()[level], Native.text(message));
  }
}
