// Ends runs from another thread.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/**
 * Ends the runs that it is given to, also those that begin later: they throw {@link
 * java.util.concurrent.CancellationException}. It cannot be undone; take a new one for the next
 * run. Any thread may use it.
 */
public final class MaceCancellation extends NativeHandle {
  public MaceCancellation() {
    super("cancellation");
    own(Native.createCancellation());
  }

  public void cancel() {
    long handle = acquire();
    try {
      Native.cancel(handle);
    } finally {
      release();
    }
  }

  @Override
  void destroy(long handle) {
    Native.destroyCancellation(handle);
  }
}
