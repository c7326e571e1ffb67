// The helper program that tries the driver of a GPU or DSP for an app, in a
// process of its own: see MaceEngineConfig::SetDriverProbe.
// SPDX-License-Identifier: Apache-2.0

#include "mace/public/mace_c_runtime.h"

int main(int argc, char** argv) {
  return mace_run_driver_probe(argc > 1 ? argv[1] : "");
}
