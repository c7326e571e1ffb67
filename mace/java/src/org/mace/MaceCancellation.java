// Ends runs from another thread, or when a time has passed.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.concurrent.TimeUnit;

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

  /**
   * Gives it a deadline, so much time from now on: when it has passed, the runs end as after {@link
   * #cancel}, and the message of the exception names it. A run looks at the time between two ops,
   * between two parts of a long op of the CPU, while it waits for another run, and while it makes a
   * plan. 0 or less: it has passed. A later call replaces it, unless it has passed.
   *
   * @return the object itself
   */
  public MaceCancellation setDeadline(long time, TimeUnit unit) {
    long micros = Native.need("unit", unit).toMicros(time);
    long handle = acquire();
    try {
      Native.setDeadline(handle, micros);
    } finally {
      release();
    }
    return this;
  }

  /** Whether {@link #cancel} was called, or the deadline has passed. */
  public boolean isCancelled() {
    long handle = acquire();
    try {
      return Native.isCancelled(handle);
    } finally {
      release();
    }
  }

  @Override
  void destroy(long handle) {
    Native.destroyCancellation(handle);
  }
}
