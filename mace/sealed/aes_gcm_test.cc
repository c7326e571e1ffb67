// AES-256-GCM against the test cases of its specification.
// SPDX-License-Identifier: Apache-2.0
//
// Source: McGrew and Viega, The Galois/Counter Mode of Operation (GCM),
// appendix B, test cases 13 to 16.

#include "mace/sealed/aes_gcm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mace {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes FromHex(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(
        static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

struct Case {
  const char *key, *nonce, *added, *plain, *cipher, *tag;
};

constexpr char kZeros[] =
    "0000000000000000000000000000000000000000000000000000000000000000";
constexpr char kKey[] =
    "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
constexpr char kPlain[] =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
constexpr char kCipher[] =
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad";

const Case kCases[] = {
    {kZeros, "000000000000000000000000", "", "", "",
     "530f8afbc74536b9a963b4f1c4cb738b"},
    {kZeros, "000000000000000000000000", "", "00000000000000000000000000000000",
     "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
    {kKey, "cafebabefacedbaddecaf888", "", kPlain, kCipher,
     "b094dac5d93471bdec1a502270e3cc6c"},
    // Test case 16 has four bytes less.
    {kKey, "cafebabefacedbaddecaf888",
     "feedfacedeadbeeffeedfacedeadbeefabaddad2", kPlain, kCipher,
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

// Decrypts in two pieces, the first of `first` bytes.
mace_gcm_result Decrypt(const Case& c, size_t first, const Bytes& tag,
                        Bytes* plain) {
  const Bytes in = FromHex(c.cipher), added = FromHex(c.added);
  plain->assign(in.size(), 0xAA);
  const mace_gcm_piece pieces[] = {
      {in.data(), plain->data(), first},
      {in.data() + first, plain->data() + first, in.size() - first}};
  return mace_gcm_decrypt(FromHex(c.key).data(), FromHex(c.nonce).data(),
                          added.data(), added.size(), pieces, 2, tag.data());
}

Case Nth(size_t i, std::string* plain, std::string* cipher) {
  Case c = kCases[i];
  if (i == 3) {
    *plain = std::string(c.plain, 120);
    *cipher = std::string(c.cipher, 120);
    c.plain = plain->c_str();
    c.cipher = cipher->c_str();
  }
  return c;
}

TEST(AesGcm, DecryptsTheCasesOfTheSpecification) {
  for (size_t i = 0; i < 4; ++i) {
    std::string text, cipher;
    const Case c = Nth(i, &text, &cipher);
    for (size_t first = 0; first <= FromHex(c.cipher).size(); first += 16) {
      Bytes plain;
      EXPECT_EQ(Decrypt(c, first, FromHex(c.tag), &plain), kMaceGcmDone) << i;
      EXPECT_EQ(plain, FromHex(c.plain)) << i << ", " << first;
    }
  }
}

TEST(AesGcm, GivesNothingWithAnotherTag) {
  for (size_t i = 0; i < 4; ++i) {
    std::string text, cipher;
    const Case c = Nth(i, &text, &cipher);
    for (int bit = 0; bit < 8 * kMaceTagBytes; ++bit) {
      Bytes tag = FromHex(c.tag), plain;
      tag[static_cast<size_t>(bit) / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      EXPECT_EQ(Decrypt(c, 0, tag, &plain), kMaceGcmOtherTag);
      EXPECT_TRUE(std::all_of(plain.begin(), plain.end(),
                              [](uint8_t b) { return b == 0; }));
    }
  }
}

TEST(AesGcm, Wipes) {
  Bytes bytes(100, 1);
  mace_wipe(bytes.data() + 1, 98);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[99], 1);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 98);
}

}  // namespace
}  // namespace mace
