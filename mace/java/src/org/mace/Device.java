// The devices that an engine runs on.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

/** The devices that an engine runs on. */
public enum Device {
  CPU(0),
  GPU(2),
  DSP(3);

  final int code;

  Device(int code) {
    this.code = code;
  }

  /**
   * Measures the device with a small network of convolutions: milliseconds divided by {@code
   * cpuTime} (1: just milliseconds), or infinity if it cannot run. The smaller time is the better
   * choice. Takes some tens of milliseconds, longer on a GPU.
   */
  public float measure(float cpuTime) {
    return Native.capability(code, cpuTime);
  }
}
