// Blocks of a few sizes, each taken by an exchange of its pointer.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/memory_reserve.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

namespace mace {
namespace {

// As many as are taken between two calls of FillMemoryReserve while small
// models are created (mace/testing/failing_allocations_test.cc), 258 KiB.
struct BlockKind {
  size_t bytes;
  int end;  // of their indices
};
constexpr BlockKind kBlockKinds[] = {
    {64, 400}, {256, 500}, {1024, 540}, {4096, 550}, {32768, 554}};
constexpr int kNumBlocks = 554;

std::atomic<void*> blocks[kNumBlocks];
std::atomic<int> num_missing{kNumBlocks};

void* TakeBlock(size_t bytes) {
  int i = 0;
  for (const BlockKind& kind : kBlockKinds) {
    if (kind.bytes < bytes) i = kind.end;
  }
  for (; i < kNumBlocks; ++i) {
    void* const block = blocks[i].exchange(nullptr);
    if (block == nullptr) continue;
    ++num_missing;
    return block;
  }
  return nullptr;
}

}  // namespace

Status FillMemoryReserve() {
  if (num_missing.load(std::memory_order_relaxed) == 0) return Status();
  int i = 0;
  for (const BlockKind& kind : kBlockKinds) {
    for (; i < kind.end; ++i) {
      if (blocks[i].load() != nullptr) continue;
      void* const block = ::operator new(kind.bytes, std::nothrow);
      if (block == nullptr) {
        return OutOfResources("no memory left");
      }
      void* none = nullptr;
      if (blocks[i].compare_exchange_strong(none, block)) {
        --num_missing;
      } else {
        ::operator delete(block);  // another thread was faster
      }
    }
  }
  return Status();
}

}  // namespace mace

extern "C" {

// In place of operator new(size_t): the linker's --wrap gives the names.
#if __SIZEOF_SIZE_T__ == 8
void* NewFromReserve(size_t bytes) __asm__("__wrap__Znwm");
#else
void* NewFromReserve(size_t bytes) __asm__("__wrap__Znwj");
#endif

void* NewFromReserve(size_t bytes) {
  thread_local bool is_inside = false;
  // A C++ library that is linked into ours calls back.
  if (is_inside) return std::malloc(bytes);
  is_inside = true;
  void* block = ::operator new(bytes, std::nothrow);
  is_inside = false;
  if (block == nullptr) block = mace::TakeBlock(bytes);
  // operator new[] is not wrapped: it ends the process, as operator new did.
  return block != nullptr ? block : ::operator new[](bytes);
}

}  // extern "C"

#ifdef __GLIBCXX__
// Those of the C++ library would call operator new itself.
template std::string::basic_string(const std::string&);
template char* std::string::_M_create(size_t&, size_t);
template void std::string::_M_mutate(size_t, size_t, const char*, size_t);
template void std::string::_M_assign(const std::string&);
template void std::string::_M_construct(size_t, char);
template std::string& std::string::_M_append(const char*, size_t);
template std::string& std::string::_M_replace(size_t, size_t, const char*,
                                              size_t);
template std::string& std::string::_M_replace_aux(size_t, size_t, size_t, char);
template std::string& std::string::append(const char*);
template std::string& std::string::insert(size_t, const char*);
template void std::string::push_back(char);
template void std::string::reserve(size_t);
template void std::string::resize(size_t, char);
#endif
