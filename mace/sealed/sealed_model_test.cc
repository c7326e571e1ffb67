// Sealed models: whole, damaged, with other keys, and what stays of a key.
// SPDX-License-Identifier: Apache-2.0

#include "mace/sealed/sealed_model.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "mace/sealed/aes_gcm.h"
#include "mace/sealed/key.h"
#include "mace/testing/seal.h"

namespace mace {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Pattern(size_t size, int seed) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>(i * 31 + i / 251 + seed);
  }
  return bytes;
}

const Bytes& RightKey() {
  static const Bytes key = Pattern(32, 9);
  return key;
}

MaceKeyCallback Gives(const Bytes& key, int* calls = nullptr,
                      std::string* name = nullptr) {
  return [=](const std::string& key_name, unsigned char* out) {
    if (calls != nullptr) ++*calls;
    if (name != nullptr) *name = key_name;
    std::memcpy(out, key.data(), key.size());
    return MaceStatus();
  };
}

Result<UnsealedModel> Open(const Bytes& sealed, const MaceKeyCallback& key) {
  // At the end of an array of its own, so that AddressSanitizer sees overruns.
  const std::unique_ptr<uint8_t[]> copy(new uint8_t[sealed.size()]);
  if (!sealed.empty()) std::memcpy(copy.get(), sealed.data(), sealed.size());
  return Unseal(copy.get(), sealed.size(), key);
}

Bytes Read(const AlignedBuffer& buffer, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(buffer.data());
  return Bytes(bytes, bytes + size);
}

TEST(SealedModel, IsWhatWasSealed) {
  for (const size_t graph : {0, 1, 63, 64, 65, 1000}) {
    for (const size_t weights : {0, 1, 15, 16, 17, 100003}) {
      std::string name;
      int calls = 0;
      const auto model =
          Open(Seal(Pattern(graph, 1), Pattern(weights, 2), RightKey(), "k1"),
               Gives(RightKey(), &calls, &name));
      ASSERT_TRUE(model.ok()) << model.status().information();
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(name, "k1");
      ASSERT_EQ(model->graph_bytes, graph);
      ASSERT_EQ(model->weights.size(), weights);
      EXPECT_EQ(Read(model->graph, graph), Pattern(graph, 1));
      EXPECT_EQ(Read(model->weights, weights), Pattern(weights, 2));
    }
  }
}

TEST(SealedModel, RefusesEveryChangedBit) {
  const Bytes whole = Seal(Pattern(70, 1), Pattern(40, 2), RightKey(), "key");
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes changed = whole;
      changed[i] ^= static_cast<uint8_t>(1 << bit);
      const auto model = Open(changed, Gives(RightKey()));
      ASSERT_FALSE(model.ok()) << i;
      // What only the head's tag tells looks like another key.
      const bool like_key = i >= 16 && i < 75;
      EXPECT_TRUE(
          model.status().code() == Status::MACE_INVALID_MODEL ||
          (like_key && model.status().code() == Status::MACE_INVALID_ARGS))
          << i << ": " << model.status().information();
      EXPECT_FALSE(model.status().information().empty());
    }
  }
}

TEST(SealedModel, RefusesEveryLengthButItsOwnWithoutAskingForTheKey) {
  const Bytes whole = Seal(Pattern(70, 1), Pattern(40, 2), RightKey());
  for (size_t size = 0; size <= whole.size() + 70; ++size) {
    if (size == whole.size()) continue;
    Bytes other = whole;
    other.resize(size);
    int calls = 0;
    const auto model = Open(other, Gives(RightKey(), &calls));
    ASSERT_FALSE(model.ok()) << size;
    EXPECT_EQ(model.status().code(), Status::MACE_INVALID_MODEL);
    EXPECT_EQ(calls, 0) << size;
  }
}

TEST(SealedModel, RefusesSizesThatOverflow) {
  const Bytes whole = Seal(Pattern(70, 1), Pattern(40, 2), RightKey());
  for (const int at : {12, 16, 24}) {
    for (const uint64_t number :
         {~uint64_t{0}, ~uint64_t{0} - 63, uint64_t{1} << 63, uint64_t{1} << 40,
          uint64_t{0}, uint64_t{71}}) {
      Bytes changed = whole;
      std::memcpy(changed.data() + at, &number, at == 12 ? 4 : 8);
      const auto model = Open(changed, Gives(RightKey()));
      EXPECT_EQ(model.ok(), changed == whole) << at << ", " << number;
    }
  }
}

std::string Message(const Result<UnsealedModel>& model) {
  return model.ok() ? "" : model.status().information();
}

TEST(SealedModel, SaysWhatIsWrong) {
  const Bytes whole = Seal(Pattern(70, 1), Pattern(40, 2), RightKey(), "k7");
  Bytes other = RightKey();
  other[31] ^= 1;
  const auto wrong = Open(whole, Gives(other));
  EXPECT_EQ(wrong.status().code(), Status::MACE_INVALID_ARGS);
  EXPECT_NE(Message(wrong).find("another key than the key 'k7'"),
            std::string::npos)
      << Message(wrong);
  Bytes changed = whole;
  changed[changed.size() - 20] ^= 1;
  EXPECT_NE(Message(Open(changed, Gives(RightKey()))).find("damaged, or some"),
            std::string::npos);
  EXPECT_NE(Message(Open(Pattern(100, 3), Gives(RightKey()))).find("MACESEAL"),
            std::string::npos);
  const auto failed = Open(whole, [](const std::string&, unsigned char*) {
    return MaceStatus(MaceStatus::MACE_RUNTIME_ERROR, "no keystore");
  });
  EXPECT_EQ(failed.status().code(), Status::MACE_RUNTIME_ERROR);
  EXPECT_EQ(Message(failed),
            "the app did not give the key 'k7' of the sealed model: no "
            "keystore");
  EXPECT_EQ(Open(whole, nullptr).status().code(), Status::MACE_INVALID_ARGS);
}

TEST(SealedModel, KeepsToTheMemoryBudget) {
  const Bytes whole = Seal(Pattern(70, 1), Pattern(4000, 2), RightKey());
  const ScopedMemoryBudget small(std::make_shared<MemoryBudget>(4000));
  EXPECT_EQ(Open(whole, Gives(RightKey())).status().code(),
            Status::MACE_OUT_OF_RESOURCES);
}

TEST(Key, IsZerosWhenItIsDestroyed) {
  alignas(Key) uint8_t place[sizeof(Key)];
  Key* key = new (place) Key;
  std::memset(key->bytes, 7, sizeof(key->bytes));
  key->~Key();
  const volatile uint8_t* left = place;
  for (size_t i = 0; i < sizeof(place); ++i) EXPECT_EQ(left[i], 0) << i;
}

// A key that is nowhere in the program but XORed.
constexpr uint8_t kMask = 0x5A;
const uint8_t kMasked[32] = {0x91, 0x3C, 0x27, 0xE8, 0x55, 0x0B, 0xD4, 0x6E,
                             0x19, 0xA2, 0x7F, 0x33, 0xC6, 0x88, 0x4D, 0xF1,
                             0x20, 0x9B, 0x65, 0xDE, 0x02, 0xB7, 0x48, 0x7C,
                             0xE3, 0x1A, 0x96, 0x5F, 0xC0, 0x39, 0x84, 0xAD};

// How often half of that key is in the memory that this process writes to.
int Found() {
  std::ifstream maps("/proc/self/maps");
  const int memory = ::open("/proc/self/mem", O_RDONLY);
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    // The mappings of sanitizers are larger than memory.
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3 ||
        rights[1] != 'w' || end - begin > (1ul << 28)) {
      continue;
    }
    Bytes bytes(end - begin);
    const ssize_t size =
        ::pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    for (const int half : {0, 16}) {
      const auto* at = bytes.data();
      const auto* const last = at + std::max<ssize_t>(size, 0);
      // memchr: byte by byte it takes minutes under sanitizers.
      while ((at = static_cast<const uint8_t*>(std::memchr(
                  at, kMasked[half] ^ kMask, last - at))) != nullptr) {
        int k = 0;
        while (k < 16 && k < last - at &&
               at[k] == (kMasked[half + k] ^ kMask)) {
          ++k;
        }
        found += k == 16;
        ++at;
      }
    }
    mace_wipe(bytes.data(), bytes.size());  // else copies of the key stay
  }
  ::close(memory);
  return found;
}

// Opens a model far down a stack, where no later call overwrites what is left.
[[gnu::noinline]] bool Opens(const Bytes& sealed, const MaceKeyCallback& key) {
  volatile char above[64 * 1024];
  above[0] = above[sizeof(above) - 1] = 0;
  return Open(sealed, key).ok();
}

// The same in a thread, which is there until the key was looked for.
bool FindsKeyAfterOpening(const Bytes& sealed, const MaceKeyCallback& key,
                          bool* opened) {
  std::promise<bool> result;
  std::promise<void> may_end;
  std::thread thread([&] {
    result.set_value(Opens(sealed, key));
    may_end.get_future().wait();
  });
  *opened = result.get_future().get();
  const int found = Found();
  may_end.set_value();
  thread.join();
  return found > 0;
}

TEST(SealedModel, LeavesNothingOfTheKey) {
  Bytes key(kMasked, kMasked + 32);
  for (uint8_t& byte : key) byte ^= kMask;
  EXPECT_GE(Found(), 2);  // so it would be seen
  Bytes whole = Seal(Pattern(70, 1), Pattern(4000, 2), key);
  mace_wipe(key.data(), key.size());
  ASSERT_EQ(Found(), 0);
  for (const bool damaged : {false, true}) {
    whole.back() ^= static_cast<uint8_t>(damaged);
    bool found_meanwhile = false, opened = false;
    const MaceKeyCallback key_of_app = [&](const std::string&,
                                           unsigned char* out) {
      for (int i = 0; i < 32; ++i) {
        static_cast<volatile uint8_t*>(out)[i] = kMasked[i] ^ kMask;
      }
      found_meanwhile = Found() > 0;
      return MaceStatus();
    };
    EXPECT_FALSE(FindsKeyAfterOpening(whole, key_of_app, &opened));
    EXPECT_EQ(opened, !damaged);
    EXPECT_TRUE(found_meanwhile);
  }
}

}  // namespace
}  // namespace mace
