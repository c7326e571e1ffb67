// An object of the library, destroyed once it is closed and no call uses it.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

abstract class NativeHandle implements AutoCloseable {
  private final String what;
  private long handle;
  private int users;
  private boolean closed;

  NativeHandle(String what) {
    this.what = what;
  }

  final void own(long created) {
    handle = created;
  }

  /** The address, for a call that ends with {@link #release}. */
  final synchronized long acquire() {
    if (closed) {
      throw new IllegalStateException("the " + what + " is closed");
    }
    users++;
    return handle;
  }

  final void release() {
    boolean last;
    synchronized (this) {
      users--;
      last = closed && users == 0;
    }
    if (last) {
      destroy(handle);
    }
  }

  /**
   * Returns at once, from any thread. A call that goes on ends as it would, and then the memory is
   * freed. Later calls throw {@link IllegalStateException}; closing again does nothing.
   */
  @Override
  public final void close() {
    boolean unused;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      unused = users == 0;
    }
    if (unused) {
      destroy(handle);
    }
  }

  abstract void destroy(long handle);
}
