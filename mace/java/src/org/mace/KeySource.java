// Where an app has the keys of sealed models.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** Gives the keys of sealed models, for example from Android's keystore. */
public interface KeySource {
  /**
   * The 32 bytes of a key, in an array that becomes the engine's, which overwrites it with zeros.
   * What this throws, {@link MaceEngine#openSealed} throws.
   *
   * @param name what the model was sealed with; "" without a name
   */
  byte[] key(String name);
}
