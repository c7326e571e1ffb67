// The first instructions of the executor under qemu-hexagon.
// SPDX-License-Identifier: Apache-2.0
    .text
    .globl _start
    .p2align 4
_start:
    { r29 = and(r29, #-128) }    // the stack, aligned for vectors
    { r30 = #0 ; r31 = #0 }
    { allocframe(#0) }
    call mace_dsp_main
    { r6 = #94 }                 // exit_group(r0)
    trap0(#1)
1:  jump 1b
