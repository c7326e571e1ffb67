// System calls of Linux, as qemu-hexagon offers them.
// SPDX-License-Identifier: Apache-2.0
//
// Included by main/main.cc only, and compiled for Hexagon only: the executor
// has no C library. On a DSP none of this exists.
#ifndef MACE_HEXAGON_DSP_PROGRAM_MAIN_LINUX_H_
#define MACE_HEXAGON_DSP_PROGRAM_MAIN_LINUX_H_

#include <stddef.h>
#include <stdint.h>

namespace mace::hexagon {

// Numbers of Linux's generic table (asm-generic/unistd.h), which Hexagon uses.
enum SystemCall : long {
  kCallOpenat = 56,
  kCallClose = 57,
  kCallRead = 63,
  kCallWrite = 64,
  kCallMunmap = 215,
  // Its last argument, the offset in the file, counts pages of 4096 bytes.
  kCallMmap2 = 222,
};

// Calls Linux with up to six arguments; pointers are passed as numbers, of 32
// bits here. Returns what the call returns: -4095 to -1 is the negative of an
// error number. May block. Convention: the number in r6, arguments in r0 to r5,
// the result in r0, trap0(#1).
static inline long CallSystem(SystemCall number, long a, long b = 0, long c = 0,
                              long d = 0, long e = 0, long f = 0) {
  register long r6 asm("r6") = number;
  register long r0 asm("r0") = a;
  register long r1 asm("r1") = b;
  register long r2 asm("r2") = c;
  register long r3 asm("r3") = d;
  register long r4 asm("r4") = e;
  register long r5 asm("r5") = f;
  asm volatile("trap0(#1)"
               : "+r"(r0)
               : "r"(r6), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
               : "memory");
  return r0;
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_MAIN_LINUX_H_
