// The inputs, outputs or states of an engine, by their names.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** The names of one kind of an engine's tensors, in the model's order. */
final class TensorNames {
  private final int kind; // of Native.names
  private final String what; // for messages
  private final byte[][] names;

  private TensorNames(long engine, int kind, String what) {
    this.kind = kind;
    this.what = what;
    names = Native.names(engine, kind);
  }

  static TensorNames inputs(long engine) {
    return new TensorNames(engine, 0, "input");
  }

  static TensorNames outputs(long engine) {
    return new TensorNames(engine, 1, "output");
  }

  static TensorNames states(long engine) {
    return new TensorNames(engine, 2, "state");
  }

  int count() {
    return names.length;
  }

  /** In UTF-8. */
  byte[] get(int index) {
    return names[index];
  }

  TensorInfo info(long engine, int index) {
    return new TensorInfo(Native.text(names[index]), Native.properties(engine, kind, index));
  }

  int find(String name) {
    for (int i = 0; i < names.length; i++) {
      if (Native.text(names[i]).equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "there is no " + what + " named '" + name + "'; there is " + this);
  }

  int check(Integer index) {
    if (index == null || index < 0 || index >= names.length) {
      throw new IllegalArgumentException(
          "there is no " + what + " " + index + "; there is " + this);
    }
    return index;
  }

  @Override
  public String toString() {
    if (names.length == 0) {
      return "none";
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      text.append(i == 0 ? "" : ", ").append(i);
      text.append(" '").append(Native.text(names[i])).append("'");
    }
    return text.toString();
  }
}
