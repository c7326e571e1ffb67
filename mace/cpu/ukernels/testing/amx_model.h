// Tiles of AMX in plain C++, as Intel's Software Developer's Manual (volume 2,
// palette 1) defines their instructions, for CPUs that have none.
// SPDX-License-Identifier: Apache-2.0
//
// ModelTiles replaces the CPU's tiles in gemm_q8_amx.h, which describes the
// functions: gemm_q8_test runs the loop of the micro-kernel with ModelTiles, on
// any CPU. Other tests run the same loop on an emulated CPU (test/amx).
#ifndef MACE_CPU_UKERNELS_TESTING_AMX_MODEL_H_
#define MACE_CPU_UKERNELS_TESTING_AMX_MODEL_H_

#include <gtest/gtest.h>

#include <cstring>

#include "mace/cpu/ukernels/gemm/gemm_q8_amx.h"

namespace mace::cpu {

// The state of the tiles of a thread. Expects what the instructions demand: a
// CPU raises #GP or #UD otherwise. The destructor expects that tiles have been
// released: as long as they are in use, each switch of threads saves 8 KiB.
class ModelTiles {
 public:
  ~ModelTiles() { EXPECT_EQ(config_.palette, 0) << "tiles are not released"; }

  // LDTILECFG, of palette 1: 8 tiles of at most 16 rows of 64 bytes. All are
  // zero afterwards. Fields for tiles 8 to 15 must be 0.
  void Configure(const AmxConfig& config) {
    static_assert(sizeof(AmxConfig) == 64);
    EXPECT_EQ(config.palette, 1);
    EXPECT_EQ(config.start_row, 0);
    for (const uint8_t byte : config.reserved) EXPECT_EQ(byte, 0);
    for (int tile = 0; tile < 16; ++tile) {
      EXPECT_LE(config.rows[tile], tile < kTiles ? kMaxRows : 0);
      EXPECT_LE(config.row_bytes[tile], kMaxBytes);
      EXPECT_EQ(config.rows[tile] == 0, config.row_bytes[tile] == 0);
    }
    config_ = config;
    std::memset(data_, 0, sizeof(data_));
  }

  // TILELOADD: rows are `step` bytes apart; `step` may be 0. Sets the rows and
  // bytes of the tile beyond the configured ones to 0.
  template <int kTile>
  void Load(const void* from, size_t step) {
    ExpectConfigured(kTile);
    for (int row = 0; row < kMaxRows; ++row) {
      std::memset(data_[kTile][row], 0, kMaxBytes);
      if (row >= config_.rows[kTile]) continue;
      std::memcpy(data_[kTile][row],
                  static_cast<const uint8_t*>(from) + row * step,
                  config_.row_bytes[kTile]);
    }
  }

  // TILESTORED: writes the configured rows and bytes, no others.
  template <int kTile>
  void Store(void* to, size_t step) {
    ExpectConfigured(kTile);
    for (int row = 0; row < config_.rows[kTile]; ++row) {
      std::memcpy(static_cast<uint8_t*>(to) + row * step, data_[kTile][row],
                  config_.row_bytes[kTile]);
    }
  }

  // TDPBUSD: to[m][n] += the dot product of 4 unsigned bytes of first[m] and 4
  // signed bytes of second[k], for each k. Elements of `to` are int32, and
  // `second` is packed:
  //
  //   first  [m][4 k + i]   times   second [k][4 n + i]      i = 0, 1, 2, 3
  template <int kTo, int kFirst, int kSecond>
  void AddProducts() {
    static_assert(kTo != kFirst && kTo != kSecond && kFirst != kSecond);
    for (const int tile : {kTo, kFirst, kSecond}) ExpectConfigured(tile);
    const int rows = config_.rows[kTo], depth = config_.rows[kSecond];
    const int columns = config_.row_bytes[kTo] / 4;
    EXPECT_EQ(config_.row_bytes[kTo] % 4, 0);
    EXPECT_EQ(config_.rows[kFirst], rows);
    EXPECT_EQ(config_.row_bytes[kFirst], 4 * depth);
    EXPECT_EQ(config_.row_bytes[kSecond], config_.row_bytes[kTo]);
    for (int m = 0; m < rows; ++m) {
      for (int k = 0; k < depth; ++k) {
        for (int n = 0; n < columns; ++n) {
          AddFour(data_[kFirst][m] + 4 * k, data_[kSecond][k] + 4 * n,
                  data_[kTo][m] + 4 * n);
        }
      }
    }
  }

  // TILERELEASE: no tile is configured afterwards.
  void Release() { config_ = {/*palette=*/0}; }

 private:
  static constexpr int kTiles = 8, kMaxRows = 16, kMaxBytes = 64;

  // Adds the products of unsigned with signed bytes to a sum that wraps around.
  static void AddFour(const uint8_t* a, const uint8_t* b, uint8_t* to) {
    uint32_t sum;
    std::memcpy(&sum, to, sizeof(sum));
    for (int i = 0; i < 4; ++i) {
      sum += static_cast<uint32_t>(int{a[i]} * static_cast<int8_t>(b[i]));
    }
    std::memcpy(to, &sum, sizeof(sum));
  }

  void ExpectConfigured(int tile) const {
    EXPECT_EQ(config_.palette, 1);
    EXPECT_GT(config_.rows[tile], 0);
  }

  AmxConfig config_ = {/*palette=*/0};  // palette 0: not configured
  uint8_t data_[kTiles][kMaxRows][kMaxBytes] = {};
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_AMX_MODEL_H_
