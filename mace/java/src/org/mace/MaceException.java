// An error that is not the caller's: of the machine, a driver, or the engine.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.concurrent.CancellationException;

/**
 * What the engine reports besides mistakes of the caller, which are {@link
 * IllegalArgumentException}s, and cancelled runs, which are {@link CancellationException}s.
 */
public final class MaceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The machine: memory, disk. */
  public static final int OUT_OF_RESOURCES = 2;

  /** Valid, but this device or this build of the library cannot. */
  public static final int UNSUPPORTED = 3;

  /** A driver or an accelerator failed. */
  public static final int RUNTIME_ERROR = 4;

  /** A fault of MACE; please report it. */
  public static final int INTERNAL_ERROR = 6;

  private static final int INVALID_ARGS = 1;
  private static final int INVALID_MODEL = 5;
  private static final int CANCELLED = 7;

  private final int status;

  private MaceException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** One of the numbers above, or one that a later version of the library knows. */
  public int getStatus() {
    return status;
  }

  /** Called by libmace_jni.so. */
  static void raise(int status, byte[] message) {
    String text = Native.text(message);
    switch (status) {
      case INVALID_ARGS:
      case INVALID_MODEL:
        throw new IllegalArgumentException(text);
      case CANCELLED:
        throw new CancellationException(text);
      default:
        throw new MaceException(status, text);
    }
  }
}
