// Calls every multiplying micro-kernel of this build on a typical tile, between
// two lines on stdout, so that the instructions in between can be counted.
// SPDX-License-Identifier: Apache-2.0
//
// The lines are "NAME MULTIPLY-ADDS" and "end 0". Nothing is called between the
// first two lines: they measure the cost of a line.
#include <cstdio>

#include "mace/cpu/ukernels/testing/calls.h"

namespace mace::cpu {
namespace {

void Say(const char* name, double macs) {
  std::printf("%s %.0f\n", name, macs);
  std::fflush(stdout);
}

void CallAll() {
  Say("nothing", 0);
  Say("end", 0);
  for (const UkernelCall& call : TypicalCalls()) {
    // The peak kernels are measured elsewhere, and no other kernel uses them.
    if (call.macs == 0 || call.name.find('/') != std::string::npos) continue;
    Say(call.name.c_str(), call.macs);
    call.run();
    Say("end", 0);
  }
}

}  // namespace
}  // namespace mace::cpu

int main() { mace::cpu::CallAll(); }
