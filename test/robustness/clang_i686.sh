#!/bin/bash
# clang for 32-bit x86; lies in a folder with Debian's libraries of i386 (test/robustness/abis.py).
# SPDX-License-Identifier: Apache-2.0
root=$(dirname "$(realpath "$0")")
gcc=$(echo "$root"/usr/lib/gcc/i686-linux-gnu/*)
exec /usr/lib/llvm-19/bin/clang -m32 -march=pentium4 -mfpmath=sse --sysroot="$root" \
  --gcc-install-dir="$gcc" -fuse-ld=lld \
  -Wl,--dynamic-linker="$root/lib/ld-linux.so.2" \
  -Wl,-rpath,"$root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu" \
  -Wno-unused-command-line-argument "$@"
