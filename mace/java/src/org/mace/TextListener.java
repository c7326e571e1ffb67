// Where the text of a generation goes.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** Gets the text of a generation as it comes. */
public interface TextListener {
  /**
   * Called by the thread that generates. What it throws ends the generation, which then throws it.
   * It must not call the generator, which waits for the generation to end.
   *
   * @param part whole characters
   * @return whether to go on
   */
  boolean onText(String part);
}
