// Typical calls of the quantized micro-kernels.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>

#include "mace/cpu/ukernels/testing/call_values.h"

namespace mace::cpu {

// A tile of a pointwise layer of MobileNet, 256 channels deep, with 16 panels.
void AddQuantized(const GemmUkernel& row, Calls& calls) {
  struct Data {
    Bytes x, a, b, start, sums;
    std::vector<const uint8_t*> runs;
  };
  const size_t k = 256, m = row.mr, n = row.nr;
  auto data = std::make_shared<Data>();
  data->runs.assign(m, Values<uint8_t>(data->x, k));
  void* a = Values<uint8_t>(data->a, m * k * row.a_bytes() + 64);
  data->sums.resize(sizeof(int32_t) * m * n + 64);
  const auto sums = reinterpret_cast<uintptr_t>(data->sums.data());
  GemmTile tile = {};
  tile.m = m;
  tile.n = n;
  tile.k = k;
  tile.a = a;
  tile.b = Values<int8_t>(data->b, k * n);
  tile.c = reinterpret_cast<int32_t*>((sums + 63) / 64 * 64);
  tile.bias = Values<int32_t>(data->start, n);
  calls.push_back({row.name, row.isa, 16. * static_cast<double>(m * n * k), 0,
                   [data, tile, a, fn = row.fn, pack = row.pack_runs] {
                     pack({tile.m, tile.k, 1, data->runs.data(), 0x80, nullptr},
                          a);
                     for (int i = 0; i < 16; ++i) fn(tile);
                   }});
}

// Four outputs of a line of a block of channels, with square windows.
void Add(const DwconvQ8& row, Calls& calls) {
  struct Data {
    Bytes pixel, w, start, sums;
    std::vector<const uint8_t*> x;
  };
  constexpr size_t kWidth = 4, kTaps = 3, kMargin = 64;
  const size_t lanes = row.lanes, kernel = row.kernel == 0 ? kTaps : row.kernel;
  const size_t stride = row.kernel == 0 ? 1 : row.stride;
  const size_t columns = (kWidth - 1) * stride + kernel;
  const size_t taps = columns * (kernel + row.group) * lanes;
  auto data = std::make_shared<Data>();
  data->x.assign(kernel * columns, Values<uint8_t>(data->pixel, lanes));
  // The sums and after them scratch, which are aligned.
  data->sums.resize(2 * kMargin + kWidth * lanes * sizeof(int32_t) +
                    taps * row.x_bytes);
  const auto memory = reinterpret_cast<uintptr_t>(data->sums.data());
  auto* sums =
      reinterpret_cast<int32_t*>((memory + kMargin - 1) / kMargin * kMargin);
  const DwconvQ8Tile tile = {lanes,
                             kWidth,
                             kernel,
                             kernel,
                             1,
                             stride,
                             1,
                             data->x.data(),
                             columns,
                             0,
                             0x80,
                             Values<uint8_t>(data->w, 2 * taps),
                             Values<int32_t>(data->start, lanes),
                             sums,
                             sums + kWidth * lanes};
  calls.push_back({row.name, row.isa,
                   64. * static_cast<double>(kWidth * lanes * kernel * kernel),
                   0, [data, tile, fn = row.fn] {
                     for (int i = 0; i < 64; ++i) fn(tile);
                   }});
}

// Twelve pixels of 128 channels.
void Add(const RequantizeQ8& row, Calls& calls) {
  struct Data {
    Bytes sums, mantissa, shifts, y, multipliers;
  };
  constexpr size_t kRows = 12, kChannels = 128;
  auto data = std::make_shared<Data>();
  data->shifts.assign(kChannels * sizeof(int32_t), 0);
  const auto* shifts = reinterpret_cast<const int32_t*>(data->shifts.data());
  data->multipliers.assign(kChannels * sizeof(double), 0);
  const auto* multipliers =
      reinterpret_cast<const double*>(data->multipliers.data());
  const RequantizeQ8Tile tile = {
      kRows,     kChannels,  Values<int32_t>(data->sums, kRows * kChannels),
      kChannels, nullptr,    Values<int32_t>(data->mantissa, kChannels),
      shifts,    shifts,     0,
      -128,      127,        Values<uint8_t>(data->y, kRows * kChannels),
      kChannels, multipliers};
  calls.push_back({row.name, row.isa, 0, 5. * kRows * kChannels,
                   [data, tile, fn = row.fn] { fn(tile); }});
}

void Add(const AddQ8& row, Calls& calls) {
  struct Data {
    Bytes a, b, y;
  };
  auto data = std::make_shared<Data>();
  const AddQ8Args args = {
      kLength,
      {Values<uint8_t>(data->a, kLength), 3, {1 << 30, 0}},
      {Values<uint8_t>(data->b, kLength), -7, {1300000000, 2}},
      false,
      false,
      {1500000000, 19},
      5,
      -128,
      127,
      Values<uint8_t>(data->y, kLength)};
  calls.push_back({row.name, row.isa, 0, 3. * kLength,
                   [data, args, fn = row.fn] { fn(args); }});
}

// A 3x3 window over 256 channels.
void Add(const PoolQ8& row, Calls& calls) {
  struct Data {
    Bytes x, y;
  };
  constexpr size_t kChannels = 256;
  auto data = std::make_shared<Data>();
  const PoolQ8Windows args = {kChannels,
                              3,
                              3,
                              Values<uint8_t>(data->x, 9 * kChannels),
                              3 * kChannels,
                              kChannels,
                              true,
                              -128,
                              127,
                              Values<uint8_t>(data->y, kChannels),
                              /*outputs=*/1,
                              0,
                              0};
  calls.push_back({row.name, row.isa, 0, 10. * kChannels,
                   [data, args, fn = row.fn] { fn(args); }});
}

void Add(const LutQ8& row, Calls& calls) {
  struct Data {
    Bytes table, x, y;
  };
  auto data = std::make_shared<Data>();
  const LutQ8Args args = {kLength, Values<uint8_t>(data->table, 256),
                          Values<uint8_t>(data->x, kLength),
                          Values<uint8_t>(data->y, kLength)};
  calls.push_back({row.name, row.isa, 0, 1. * kLength,
                   [data, args, fn = row.fn] { fn(args); }});
}

void Add(const DequantizeRowsQ8& row, Calls& calls) {
  struct Data {
    Bytes quantized, scales, to;
  };
  auto data = std::make_shared<Data>();
  const DequantizeRowsQ8Args args = {
      kLength, Values<uint8_t>(data->quantized, kLength),
      Values<float>(data->scales, kLength), Values<float>(data->to, kLength)};
  const std::string name = row.name;
  calls.push_back({name + "/bits4", row.isa, 0, 4.5 * kLength,
                   [data, args, fn = row.bits4] { fn(args); }});
  calls.push_back({name + "/bits8", row.isa, 0, 5. * kLength,
                   [data, args, fn = row.bits8] { fn(args); }});
}

// A layer of a transformer, with int4 and with int8 values. The former, whose
// instructions test/arm counts, has the name of the row.
void Add(const GemvQ8& row, Calls& calls) {
  struct Data {
    Bytes quantized, scales, floats, x, y;
  };
  constexpr size_t kRows = 64, kColumns = 1024, kBlocks = kColumns / 32;
  auto data = std::make_shared<Data>();
  GemvQ8Args args = {kRows,
                     kColumns,
                     Values<uint8_t>(data->quantized, kRows * kColumns),
                     kColumns / 2,
                     Values<uint16_t>(data->scales, kRows * kBlocks),
                     kBlocks,
                     Values<float>(data->x, kColumns),
                     nullptr,
                     Values<float>(data->y, kRows),
                     -1e9f,
                     1e9f};
  calls.push_back({row.name, row.isa, static_cast<double>(kRows * kColumns), 0,
                   [data, args, fn = row.bits4] { fn(args); }});
  args.row_bytes = kColumns;
  args.scales = Values<float>(data->floats, kRows);
  calls.push_back({std::string(row.name) + "/bits8", row.isa,
                   static_cast<double>(kRows * kColumns), 0,
                   [data, args, fn = row.bits8] { fn(args); }});
}

void Add(const QuantizeQ8& row, Calls& calls) {
  struct Data {
    Bytes x, quantized, y;
  };
  auto data = std::make_shared<Data>();
  const QuantizeQ8Args args = {
      kLength,   Values<float>(data->x, kLength),
      1.0f / 64, -64,
      -128,      127,
      false,     Values<uint8_t>(data->quantized, kLength)};
  const DequantizeQ8Args back = {kLength, args.quantized,
                                 true,    1.0f / 64,
                                 -64,     Values<float>(data->y, kLength)};
  const std::string name = row.name;
  calls.push_back({name + "/quantize", row.isa, 0, 5. * kLength,
                   [data, args, fn = row.quantize] { fn(args); }});
  calls.push_back({name + "/dequantize", row.isa, 0, 5. * kLength,
                   [data, back, fn = row.dequantize] { fn(back); }});
}

// Two tiles of 128 channels; and 16 products of a full tile row.
void Add(const WinogradQ8& row, Calls& calls) {
  struct Data {
    Bytes pixel, v, b, m, start;
    std::vector<const uint8_t*> pixels;
  };
  constexpr size_t kChannels = 128, kTiles = 2;
  const size_t mr = static_cast<size_t>(row.mr),
               nr = static_cast<size_t>(row.nr);
  const size_t lanes = static_cast<size_t>(row.lanes);
  const size_t element = mr * kChannels, product = mr * nr;
  auto data = std::make_shared<Data>();
  data->pixels.assign(kWinogradQ8Area, Values<uint8_t>(data->pixel, kChannels));
  int16_t* v = Values<int16_t>(data->v, kWinogradQ8Area * element);
  // The sums after the products, both aligned.
  const size_t sums = 16 * kTiles * nr;
  data->m.resize(sizeof(int32_t) * (kWinogradQ8Area * product + sums) + 64);
  const auto memory = reinterpret_cast<uintptr_t>(data->m.data());
  auto* m = reinterpret_cast<int32_t*>((memory + 63) / 64 * 64);
  const WinogradQ8Input input = {kChannels, data->pixels.data(), 0x80, v,
                                 element,   mr * lanes};
  const WinogradQ8Gemm tile = {mr, kChannels, v,
                               Values<int16_t>(data->b, kChannels * nr), m};
  const WinogradQ8Output output = {kTiles, m, product,
                                   Values<int32_t>(data->start, nr),
                                   m + kWinogradQ8Area * product};
  const WinogradQ8Set& set = *row.set;
  const auto add = [&](const char* what, double macs, double bytes, auto run) {
    calls.push_back(
        {std::string(row.name) + what, row.isa, macs, bytes, std::move(run)});
  };
  add("/input", 0, kWinogradQ8Area * 3. * kChannels,
      [data, input, fn = set.input] { fn(input); });
  add("", 16. * static_cast<double>(product * kChannels), 0,
      [data, tile, fn = set.product] {
        for (int i = 0; i < 16; ++i) fn(tile);
      });
  add("/output", 0,
      (kWinogradQ8Area + 16.) * 4. * kTiles * static_cast<double>(nr),
      [data, output, fn = set.output] { fn(output); });
}

}  // namespace mace::cpu
