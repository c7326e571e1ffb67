// LshProjection on the CPU: one key of memory for each thread, in which only
// the seed changes from bit to bit.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/lsh_projection.h"

#include <algorithm>
#include <cstring>

#include "mace/cpu/common/fingerprint64.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

constexpr int64_t kSeedBytes = sizeof(int32_t);
constexpr int64_t kCacheLine = 64;
// Hashed bytes for which a thread is worth its start.
constexpr int64_t kBytesOfTask = 16 << 10;

// Converts a weight, which may be denormal: loops flush such floats to zero,
// and here any number above 0 makes the bit 1.
double Exact(const float* weight) {
  uint32_t bits;
  std::memcpy(&bits, weight, sizeof(bits));
  const uint32_t fraction = bits & 0x7fffff;
  if (bits << 1 != fraction << 1) return static_cast<double>(*weight);
  const double magnitude = static_cast<double>(fraction) * 0x1p-149;
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

struct LshProjectionKernel final : Kernel {
  ThreadPool* threads = nullptr;
  LshProjectionType type = LshProjectionType::kDense;
  int64_t features = 0, feature_bytes = 0;
  int64_t functions = 0, bits = 0;  // bits of each hash function

  int64_t num_bits() const { return functions * bits; }
  int64_t key_bytes() const { return kSeedBytes + feature_bytes; }
  // Of one thread: keys do not share cache lines.
  int64_t key_stride() const {
    return (key_bytes() + kCacheLine - 1) / kCacheLine * kCacheLine;
  }

  // The sums of all bits, then the keys.
  int64_t scratch_bytes() const override {
    const int64_t sums = SaturatedProduct({num_bits(), sizeof(double)});
    const int64_t keys =
        SaturatedProduct({threads->num_threads(), key_stride()});
    return sums > INT64_MAX - keys ? INT64_MAX : sums + keys;
  }

  // A word of a key is multiplied about once.
  int64_t macs() const override {
    return SaturatedProduct({num_bits(), features, key_bytes() / 8 + 1});
  }

  Status Run(const RunArgs& args) override {
    double* sums = args.scratch.as<double>();
    AddAll(args, sums, reinterpret_cast<uint8_t*>(sums + num_bits()));
    // No result is needed, and some of the sums were not computed.
    if (threads->is_cancelled()) return Status();
    int32_t* y = args.outputs[0].as<int32_t>();
    if (type == LshProjectionType::kDense) {
      for (int64_t i = 0; i < num_bits(); ++i) y[i] = sums[i] > 0 ? 1 : 0;
      return Status();
    }
    for (int64_t i = 0; i < functions; ++i) {
      // Modulo 2^32. With 32 bits there is no second function.
      uint32_t number = 0;
      for (int64_t k = 0; k < bits; ++k) {
        number = number << 1 | (sums[i * bits + k] > 0 ? 1 : 0);
      }
      if (i > 0) number += static_cast<uint32_t>(i) << bits;
      std::memcpy(&y[i], &number, sizeof(number));
    }
    return Status();
  }

  void AddAll(const RunArgs& args, double* sums, uint8_t* keys) const {
    if (num_bits() == 0) return;
    const int64_t cost = SaturatedProduct({features, key_bytes()});
    const int64_t most_tasks = std::min<int64_t>(
        num_bits(), 4 * static_cast<int64_t>(threads->num_threads()));
    const int64_t block = std::max((num_bits() + most_tasks - 1) / most_tasks,
                                   kBytesOfTask / cost + 1);
    RunTasks(threads, (num_bits() + block - 1) / block,
             [&](size_t worker, size_t task) {
               const int64_t begin = static_cast<int64_t>(task) * block;
               const int64_t n = std::min(block, num_bits() - begin);
               Add(args, begin, n, sums,
                   keys + static_cast<int64_t>(worker) * key_stride());
             });
  }

  // Computes the sums of n bits, in the order of the features.
  void Add(const RunArgs& args, int64_t begin, int64_t n, double* sums,
           uint8_t* key) const {
    const uint8_t* x = args.inputs[0].as<const uint8_t>();
    const int32_t* seeds = args.inputs[1].as<const int32_t>();
    const float* weights =
        args.inputs.size() > 2 ? args.inputs[2].as<const float>() : nullptr;
    std::fill_n(sums + begin, n, 0.0);
    for (int64_t f = 0; f < features; ++f) {
      if (feature_bytes > 0) {
        std::memcpy(key + kSeedBytes, x + f * feature_bytes, feature_bytes);
      }
      const double weight = weights == nullptr ? 1 : Exact(weights + f);
      for (int64_t i = begin; i < begin + n; ++i) {
        std::memcpy(key, &seeds[i], kSeedBytes);
        const uint64_t hash = Fingerprint64(key, key_bytes());
        int64_t signature;
        std::memcpy(&signature, &hash, sizeof(hash));
        sums[i] += weight * static_cast<double>(signature);
      }
    }
  }
};

Result<KernelPtr> PrepareLshProjection(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LshProjectionAttrs attrs,
                        ReadAttrs<LshProjectionAttrs>(node));
  auto kernel = std::make_unique<LshProjectionKernel>();
  MACE_ASSIGN_OR_RETURN(kernel->type, LshProjectionTypeOf(node, attrs));
  const TensorType& x = node.inputs[0].type;
  const Shape& seeds = node.inputs[1].type.shape;
  kernel->threads = context.threads;
  kernel->features = x.shape[0];
  kernel->feature_bytes = Bytes(x) / x.shape[0];
  if (kernel->feature_bytes == 0) {
    MACE_RETURN_IF_ERROR(
        CheckTable(node, "features without elements", {kernel->features}, 1));
  }
  kernel->functions = seeds[0];
  kernel->bits = seeds[1];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs LshProjection() { return ForAllTypes(PrepareLshProjection); }

}  // namespace mace::cpu
