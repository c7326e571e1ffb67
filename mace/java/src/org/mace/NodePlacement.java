// Where a node of a model runs.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.util.ArrayList;
import java.util.List;

/** A node of the latest plan, as {@link MaceEngine#getPlacement} reports it. */
public final class NodePlacement {
  private static final int TEXTS = 6;

  private final String[] texts = new String[TEXTS];
  private final long macs;

  private NodePlacement(byte[][] allTexts, int node, long macs) {
    for (int i = 0; i < TEXTS; i++) {
      texts[i] = Native.text(allTexts[node * TEXTS + i]);
    }
    this.macs = macs;
  }

  static List<NodePlacement> all(byte[][] texts, long[] macs) {
    List<NodePlacement> all = new ArrayList<>();
    for (int i = 0; i < macs.length; i++) {
      all.add(new NodePlacement(texts, i, macs[i]));
    }
    return all;
  }

  /** Of several nodes in one kernel "a + b". */
  public String node() {
    return texts[0];
  }

  /** The operator, such as "Conv2d"; of several "Conv2d+Eltwise". */
  public String type() {
    return texts[1];
  }

  /** "CPU", "GPU" or "DSP". */
  public String device() {
    return texts[2];
  }

  /** The type of the first output as it is computed, such as "f16". */
  public String dataType() {
    return texts[3];
  }

  /** The kernel chosen; "none: ..." if nothing is left to do for the node. */
  public String kernel() {
    return texts[4];
  }

  /** Why it does not run on the device that the engine was created for; empty if it does. */
  public String reason() {
    return texts[5];
  }

  /** Multiply-adds. */
  public long macs() {
    return macs;
  }

  @Override
  public String toString() {
    return type() + " '" + node() + "' on " + device() + ": " + kernel();
  }
}
