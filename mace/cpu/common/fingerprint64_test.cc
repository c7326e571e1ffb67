// Fingerprint64 against tf.fingerprint of TensorFlow 2.19, on both sides of the
// lengths where it changes how it mixes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/fingerprint64.h"

#include <gtest/gtest.h>

#include <memory>

namespace mace::cpu {
namespace {

// Byte i of the message of n bytes.
uint8_t Byte(size_t i, size_t n) {
  return static_cast<uint8_t>(i * i * 7 + i * 13 + n);
}

TEST(Fingerprint64, IsThatOfTensorFlow) {
  const struct {
    size_t size;
    uint64_t want;
  } cases[] = {{0, 0x9ae16a3b2f90404f},   {1, 0x47a24c13b17e583e},
               {2, 0x0134763e7a7f7331},   {3, 0xf33879cc74a3c114},
               {4, 0x6706975e4907da84},   {5, 0xa371c3f24f18916b},
               {7, 0x98792b04c526ac4c},   {8, 0xcb273dbe15c613f2},
               {9, 0x93c5acb5d417669f},   {15, 0x2d9839afbb8601f1},
               {16, 0x9ff6c38d53be029c},  {17, 0xf3309862ad08a6b5},
               {18, 0xaee3779a8bb1e4fe},  {24, 0x2b580db9761c4dde},
               {31, 0x9e6d0366e72f1b2c},  {32, 0xc764496c618d5002},
               {33, 0xa42e8c3ac5abc078},  {34, 0xd20475aa58bd6df3},
               {48, 0x7bfd18b7efeef8dc},  {63, 0x4847639cd4cccc7a},
               {64, 0x6d46af5ff71ae615},  {65, 0x959a5dc7ba22b18b},
               {66, 0xdbeb094df19b3488},  {127, 0xa9f03ad6db1429a8},
               {128, 0xc4ce1c596db1812f}, {129, 0x916605542eb83f2b},
               {130, 0x448457c8931cf599}, {192, 0xebd41153e4c3712e},
               {193, 0xa12ff0cbd45e87c7}, {1000, 0xfc466e7e2193bed6}};
  for (const auto& c : cases) {
    // Memory of its own for each message: sanitizers see what is read beyond.
    for (const size_t start : {0, 1, 3}) {
      const auto bytes = std::make_unique<uint8_t[]>(start + c.size);
      for (size_t i = 0; i < c.size; ++i) bytes[start + i] = Byte(i, c.size);
      EXPECT_EQ(Fingerprint64(bytes.get() + start, c.size), c.want)
          << c.size << " bytes";
    }
  }
  EXPECT_EQ(Fingerprint64(nullptr, 0), 0x9ae16a3b2f90404fu);
}

}  // namespace
}  // namespace mace::cpu
