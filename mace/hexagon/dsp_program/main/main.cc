// The executor as a program of Linux, for qemu-hexagon: messages come by
// standard input and go by standard output.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/main/linux.h"
#include "mace/hexagon/dsp_program/main/server.h"

namespace mace::hexagon {
namespace {

alignas(128) uint8_t vtcm_bytes[kVtcmBytes];
Server server;

bool Transfer(SystemCall call, int file, Message* message) {
  auto* at = reinterpret_cast<char*>(message);
  size_t left = sizeof(Message);
  while (left > 0) {
    const long n = CallSystem(call, file, reinterpret_cast<long>(at),
                              static_cast<long>(left));
    if (n <= 0) return false;
    at += n;
    left -= static_cast<size_t>(n);
  }
  return true;
}

char* AppendNumber(char* at, uint32_t number) {
  char digits[10];
  int n = 0;
  do {
    digits[n++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (n > 0) *at++ = digits[--n];
  return at;
}

char* AppendText(char* at, const char* text) {
  while (*text != 0) *at++ = *text++;
  return at;
}

// The host's memory is a file that it has open.
uint8_t* MapFile(uint32_t process, uint32_t file, uint32_t bytes) {
  char path[64];
  char* at = AppendNumber(AppendText(path, "/proc/"), process);
  at = AppendNumber(AppendText(at, "/fd/"), file);
  *at = 0;
  constexpr long kCurrentFolder = -100, kReadAndWrite = 2;
  const long opened = CallSystem(kCallOpenat, kCurrentFolder,
                                 reinterpret_cast<long>(path), kReadAndWrite);
  if (opened < 0) return nullptr;
  constexpr long kProtection = 3, kShared = 1;
  const auto mapped = static_cast<unsigned long>(
      CallSystem(kCallMmap2, 0, static_cast<long>(bytes), kProtection, kShared,
                 opened, 0));
  CallSystem(kCallClose, opened);
  return mapped > 0xfffff000ul ? nullptr : reinterpret_cast<uint8_t*>(mapped);
}

void Unmap(uint8_t* at, uint32_t bytes) {
  CallSystem(kCallMunmap, reinterpret_cast<long>(at), static_cast<long>(bytes));
}

}  // namespace

// Register 20 of the control registers, which qemu counts packets in.
uint32_t PacketCount() {
  uint32_t count;
  asm volatile(".word 0x6a14c000\n\t%0 = r0" : "=r"(count) : : "r0");
  return count;
}

}  // namespace mace::hexagon

extern "C" int mace_dsp_main() {
  using namespace mace::hexagon;
  server.mapper = {MapFile, Unmap};
  server.vtcm = {vtcm_bytes, kVtcmBytes};
  Message message;
  while (Transfer(kCallRead, 0, &message)) {
    server.Answer(&message);
    if (!Transfer(kCallWrite, 1, &message)) return 1;
    if (message.command == kQuit) break;
  }
  return 0;
}
