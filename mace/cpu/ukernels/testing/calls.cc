// Typical calls of the micro-kernels, by kind.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/testing/calls.h"

#include <algorithm>
#include <memory>

#include "mace/cpu/ukernels/testing/all_tables.h"
#include "mace/cpu/ukernels/testing/call_values.h"

namespace mace::cpu {
namespace {

void* ValuesOf(Element type, Bytes& memory, size_t n) {
  switch (type) {
    case Element::kF32:
      return Values<float>(memory, n);
    case Element::kF16:
      return Values<Fp16>(memory, n);
    case Element::kBf16:
      return Values<Bf16>(memory, n);
    case Element::kQ8Block:
    case Element::kQ4Block:
    case Element::kQ4ZeroBlock:
    case Element::kW8Block:
      return Values<uint8_t>(memory, n / kGemmBlock * SizeOf(type));
    default:
      return Values<int8_t>(memory, n);
  }
  return nullptr;
}

// A tile of a pointwise layer of MobileNet, 256 channels deep, with 16 panels.
void Add(const GemmUkernel& kernel, Calls& calls) {
  if (kernel.is_quantized()) return AddQuantized(kernel, calls);
  struct Data {
    Bytes x, packed, b, bias, c;
    const void* rows[kGemmMaxRows];
  };
  const size_t k = 256, m = kernel.mr, n = kernel.nr;
  const GemmTypes& types = kernel.types;
  auto data = std::make_shared<Data>();
  const auto* x = static_cast<const char*>(ValuesOf(types.x, data->x, m * k));
  for (size_t i = 0; i < m; ++i) data->rows[i] = x + i * k * SizeOf(types.x);
  const bool packs = kernel.packs != GemmPacks::kNever;
  const size_t depth = (k + kernel.packing.k_tile - 1) / kernel.packing.k_tile *
                       kernel.packing.k_tile;
  if (packs) ValuesOf(types.a, data->packed, m * depth);
  GemmTile tile = {};
  tile.m = m;
  tile.n = n;
  tile.k = k;
  tile.segments = 1;
  tile.a = packs ? static_cast<const void*>(data->packed.data()) : x;
  tile.a_stride = static_cast<ptrdiff_t>(k);
  tile.b = ValuesOf(types.b, data->b, k * n);
  tile.c = ValuesOf(types.c, data->c, m * n);
  tile.c_stride = kernel.nr;
  tile.bias = ValuesOf(types.c, data->bias, n);
  tile.upper = 6;
  tile.a_packed = packs;
  calls.push_back(
      {kernel.name, kernel.isa, 16. * static_cast<double>(m * n * k), 0,
       [data, tile, packs, &kernel] {
         if (packs) {
           kernel.pack({tile.m, tile.k, 1, data->rows, 0}, data->packed.data());
         }
         for (int i = 0; i < 16; ++i) kernel.fn(tile);
       }});
}

// The last layer of a classifier.
void Add(const GemvF32& row, Calls& calls) {
  struct Data {
    Bytes w, x, bias, y;
  };
  const size_t n = 100, k = 1024;
  auto data = std::make_shared<Data>();
  const GemvF32Rows rows = {n,
                            k,
                            Values<float>(data->w, n * k),
                            Values<float>(data->x, k),
                            Values<float>(data->bias, n),
                            Values<float>(data->y, n),
                            -1e9f,
                            1e9f};
  calls.push_back({row.name, row.isa, static_cast<double>(n * k), 0,
                   [data, rows, fn = row.fn] { fn(rows); }});
}

// Up to four outputs of a line of 128 channels, with square windows.
template <typename T>
void Add(const Dwconv<T>& row, Calls& calls) {
  struct Data {
    Bytes pixel, bias, w, y;
    std::vector<const T*> x;
  };
  const size_t channels = 128;
  const int taps = row.kernel == 0 ? 9 : row.kernel;
  const int width = std::min(row.max_width, 4);
  const int columns = row.kernel == 0 ? 1 : (width - 1) * row.stride + taps;
  const int window = row.kernel == 0 ? taps : taps * taps;
  auto data = std::make_shared<Data>();
  data->x.assign(static_cast<size_t>(taps) * columns,
                 Values<T>(data->pixel, channels));
  const DwconvTile<T> tile = {channels,
                              static_cast<size_t>(width),
                              static_cast<size_t>(taps),
                              data->x.data(),
                              Values<T>(data->w, channels * window),
                              window * row.lanes,
                              Values<T>(data->bias, channels),
                              Values<T>(data->y, width * channels),
                              static_cast<ptrdiff_t>(channels),
                              0,
                              6};
  calls.push_back({row.name, row.isa,
                   64. * static_cast<double>(width * channels * window), 0,
                   [data, tile, fn = row.fn] {
                     for (int i = 0; i < 64; ++i) fn(tile);
                   }});
}

// Tiles of F(4, 3): 128 channels of two tiles, and the filters of 64 outputs.
void Add(const WinogradF32& row, Calls& calls) {
  struct Data {
    Bytes x, zeros, v, y, bias;
    std::vector<WinogradLineF32> lines;
  };
  constexpr size_t kChannels = 128, kElements = 36, kTiles = 2, kOutputs = 4;
  constexpr ptrdiff_t kStride = kChannels;
  auto data = std::make_shared<Data>();
  const float* x = Values<float>(data->x, 10 * kChannels);
  data->lines.assign(6, {x, kStride});
  float* v = Values<float>(data->v, kElements * kTiles * kChannels);
  float* y = Values<float>(data->y, kOutputs * 8 * kChannels);
  const WinogradInputF32 input = {kChannels,
                                  kTiles,
                                  data->lines.data(),
                                  0,
                                  10,
                                  Values<float>(data->zeros, kChannels),
                                  v,
                                  kTiles * kStride,
                                  kStride,
                                  row.set->lanes};
  const WinogradOutputF32 output = {
      kChannels, kTiles,
      v,         kTiles * kStride,
      kStride,   Values<float>(data->bias, kChannels),
      y,         8 * kStride,
      kStride,   kOutputs,
      8,         0,
      6};
  const WinogradFilterF32 filter = {64, v, kStride, v + 9 * kChannels, 64};
  const double element = sizeof(float);
  const auto add = [&](const char* what, double floats, auto run) {
    calls.push_back({std::string(row.name) + what, row.isa, 0, floats * element,
                     std::move(run)});
  };
  const WinogradF32Set& set = *row.set;
  add("/input", (60. + 72) * kChannels,
      [data, input, fn = set.input[1]] { fn(input); });
  add("/output", (72. + 32) * kChannels,
      [data, output, fn = set.output[1]] { fn(output); });
  add("/filter", (9. + 36) * 64,
      [data, filter, fn = set.filter[1]] { fn(filter); });
}

// A 3x3 window over 256 channels.
template <typename T>
void Add(const PoolRow<T>& row, Calls& calls) {
  struct Data {
    Bytes x, y;
  };
  constexpr size_t kChannels = 256;
  auto data = std::make_shared<Data>();
  const PoolWindow<T> window = {kChannels,
                                3,
                                3,
                                Values<T>(data->x, 9 * kChannels),
                                3 * kChannels,
                                kChannels,
                                Values<T>(data->y, kChannels),
                                1.f / 9,
                                -1e9f,
                                1e9f};
  const auto add = [&](const char* what, PoolFn<T>* fn) {
    calls.push_back({std::string(row.name) + what, row.isa, 0,
                     10. * kChannels * sizeof(T),
                     [data, window, fn] { fn(window); }});
  };
  add("/max", row.max);
  add("/mean", row.mean);
  add("/l2", row.l2);
}

template <typename T, typename Set>
void AddBinary(const BinaryRow<T, Set>& row, const char* what, BinaryFn<T>* fn,
               Calls& calls) {
  if (fn == nullptr) return;
  struct Data {
    Bytes a, b, y;
  };
  auto data = std::make_shared<Data>();
  const BinaryArgs<T> args = {kLength,
                              Values<T>(data->a, kLength),
                              Values<T>(data->b, kLength),
                              false,
                              false,
                              Values<T>(data->y, kLength),
                              -1e9f,
                              1e9f};
  calls.push_back({std::string(row.name) + what, row.isa, 0,
                   3. * kLength * sizeof(T), [data, args, fn] { fn(args); }});
}

template <typename T>
void Add(const BinaryRow<T>& row, Calls& calls) {
  const BinarySet<T>& set = *row.set;
  AddBinary(row, "/add", set.add, calls);
  AddBinary(row, "/subtract", set.subtract, calls);
  AddBinary(row, "/multiply", set.multiply, calls);
  AddBinary(row, "/divide", set.divide, calls);
  AddBinary(row, "/min", set.min, calls);
  AddBinary(row, "/max", set.max, calls);
  AddBinary(row, "/squared_difference", set.squared_difference, calls);
}
template <typename T>
void Add(const BinaryRow<T, BinaryOne<T>>& row, Calls& calls) {
  AddBinary(row, "", row.set->run, calls);
}

template <typename Row>
void AddActivation(const Row& row, const char* what, ActivateF32Fn* fn,
                   Calls& calls) {
  struct Data {
    Bytes x, y;
  };
  auto data = std::make_shared<Data>();
  const ActivateF32Args args = {kLength, Values<float>(data->x, kLength),
                                Values<float>(data->y, kLength), 0.5f, 0.5f};
  calls.push_back({std::string(row.name) + what, row.isa, 0,
                   2. * kLength * sizeof(float),
                   [data, args, fn] { fn(args); }});
}

void Add(const ActivateF32& row, Calls& calls) {
  const ActivateF32Set& set = *row.set;
  AddActivation(row, "/clamp", set.clamp, calls);
  AddActivation(row, "/tanh", set.tanh, calls);
  AddActivation(row, "/sigmoid", set.sigmoid, calls);
  AddActivation(row, "/leaky_relu", set.leaky_relu, calls);
  AddActivation(row, "/elu", set.elu, calls);
  AddActivation(row, "/hard_sigmoid", set.hard_sigmoid, calls);
  AddActivation(row, "/hard_swish", set.hard_swish, calls);
  AddActivation(row, "/softplus", set.softplus, calls);
  AddActivation(row, "/softsign", set.softsign, calls);
  AddActivation(row, "/gelu", set.gelu, calls);
  AddActivation(row, "/swish", set.swish, calls);
  AddActivation(row, "/gelu_tanh", set.gelu_tanh, calls);
}
void Add(const ClampF32& row, Calls& calls) {
  AddActivation(row, "", *row.fn, calls);
}

void Add(const RowF32& row, Calls& calls) {
  struct Data {
    Bytes x, a, b, y;
  };
  auto data = std::make_shared<Data>();
  const float* x = Values<float>(data->x, kLength);
  const float* a = Values<float>(data->a, kLength + 8);
  const float* b = Values<float>(data->b, kLength);
  float* y = Values<float>(data->y, kLength);
  const RowF32Set& set = *row.set;
  const auto add = [&](const char* what, double floats, auto run) {
    calls.push_back({std::string(row.name) + what, row.isa, 0,
                     floats * kLength * sizeof(float), [data, run] { run(); }});
  };
  add("/affine", 4,
      [=, fn = set.affine] { fn({kLength, x, a, b, -1e9f, 1e9f, y}); });
  add("/prelu", 3, [=, fn = set.prelu] { fn({kLength, x, a, y}); });
  add("/mix", 5, [=, fn = set.mix] {
    fn({kLength, {x, a, b, x}, {0.25f, 0.25f, 0.25f, 0.25f}, y});
  });
  add("/lrn", 3,
      [=, fn = set.lrn] { fn({kLength, x, a, 5, 1, 0.5f, true, y}); });
  add("/exp", 2, [=, fn = set.exp] { fn({kLength, x, y}); });
  add("/layer_norm", 4,
      [=, fn = set.layer_norm] { fn({kLength, x, a, b, true, 1, y}); });
  add("/turn", 4,
      [=, fn = set.turn] { fn({kLength / 2, x, a, b, kLength / 2, y}); });
  add("/largest", 1, [=, fn = set.largest] { *y = fn(kLength, x, 0); });
  add("/exp_sum", 2, [=, fn = set.exp_sum] { fn(kLength, y, 1e9f); });
}

void Add(const SoftmaxRowF32& row, Calls& calls) {
  struct Data {
    Bytes x, y;
  };
  auto data = std::make_shared<Data>();
  const float* x = Values<float>(data->x, kLength);
  float* y = Values<float>(data->y, kLength);
  const auto add = [&](const char* what, auto run) {
    calls.push_back({std::string(row.name) + what, row.isa, 0,
                     2. * kLength * sizeof(float), [data, run] { run(); }});
  };
  add("/row", [=, fn = row.set->row] { fn({kLength, x, false, y}); });
  add("/columns", [=, fn = row.set->columns] {
    fn({16, kLength / 16, kLength / 16, x, false, y});
  });
}

void Add(const MagnitudeF32Row& row, Calls& calls) {
  struct Data {
    Bytes x;
    const float* row;
    float found;
  };
  auto data = std::make_shared<Data>();
  data->row = Values<float>(data->x, kLength);
  calls.push_back(
      {row.name, row.isa, 0, 1. * kLength * sizeof(float), [data, fn = row.fn] {
         data->found = fn({1, kLength, &data->row}).sum;
       }});
}

void Add(const PeakQ8& row, Calls& calls) {
  constexpr size_t kRounds = 1024;
  calls.push_back({row.name, row.isa,
                   2. * static_cast<double>(kRounds * row.macs_per_round), 0,
                   [fn = row.fn] {
                     volatile int32_t keep = fn(kRounds, 1, 1);
                     (void)keep;
                   }});
}

// A tile of 64 keys of three heads.
void Add(const KvRowsF32Kernel& row, Calls& calls) {
  struct Data {
    Bytes rows, x, y;
    KvRowsF32 args[2];
  };
  constexpr size_t kKeys = 64, kDepth = 64, kQueries = 3;
  constexpr const char* kTypes[] = {"f32", "fp16", "int8"};
  constexpr size_t kBytes[] = {4 * kDepth, 2 * kDepth, kDepth + 4};
  for (int type = 0; type < kKvTypes; ++type) {
    auto data = std::make_shared<Data>();
    const float* x = Values<float>(data->x, kQueries * kDepth);
    float* y = Values<float>(data->y, kQueries * kDepth);
    const void* rows = Values<uint8_t>(data->rows, kKeys * kBytes[type]);
    data->args[0] = {
        kKeys, kDepth, kQueries, rows, static_cast<ptrdiff_t>(kBytes[type]),
        x,     kDepth, y,        kKeys};
    data->args[1] = data->args[0];
    calls.push_back({std::string(row.name) + "/" + kTypes[type], row.isa,
                     2. * kKeys * kDepth * kQueries,
                     2. * static_cast<double>(kKeys * kBytes[type]),
                     [data, type, set = row.set] {
                       set->dot[type](data->args[0]);
                       set->add[type](data->args[1]);
                     }});
  }
}

void Add(const PeakF32& row, Calls& calls) {
  constexpr size_t kRounds = 1024;
  const PeakF32Set& set = *row.set;
  calls.push_back({std::string(row.name) + "/multiply_add", row.isa,
                   static_cast<double>(kRounds * set.fmas_per_round), 0,
                   [fn = set.multiply_add] {
                     volatile float keep = fn(kRounds, 0.5f, 0.5f);
                     (void)keep;
                   }});
  struct Data {
    Bytes a, b, y;
  };
  auto data = std::make_shared<Data>();
  const float* a = Values<float>(data->a, kLength);
  const float* b = Values<float>(data->b, kLength);
  float* y = Values<float>(data->y, kLength);
  calls.push_back(
      {std::string(row.name) + "/triad", row.isa, 0,
       3. * kLength * sizeof(float),
       [data, a, b, y, fn = set.triad] { fn(kLength, a, b, 0.5f, y); }});
}

}  // namespace

std::vector<UkernelCall> TypicalCalls() {
  Calls calls;
  ForEachRow([&calls](const auto& row) { Add(row, calls); });
  return calls;
}

}  // namespace mace::cpu
