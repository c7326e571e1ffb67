// Matrix products of quantized values that are both computed, on every
// micro-kernel that this CPU can run, compared with their definition to the
// bit.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/thread_pool.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/cpu/quantized/fixed_point.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Product {
  int64_t m, n, k;
  Shape a_batch, b_batch, batch;
  bool transpose_a = false, transpose_b = false;
};

// The values of a type, and the zero points of a, b and y.
struct Zeros {
  DataType type;
  int32_t a, b, y;
};

Shape MatrixShape(const Shape& batch, int64_t rows, int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

TensorType TypeOf(DataType type, const Shape& shape, float scale,
                  int32_t zero) {
  TensorType t;
  t.dtype = type;
  t.shape = shape;
  t.quantization =
      std::make_shared<const Quantization>(Quantization{{scale}, {zero}, -1});
  return t;
}

std::vector<uint8_t> Quantized(const Shape& shape, std::minstd_rand* random) {
  std::vector<uint8_t> quantized(static_cast<size_t>(NumElements(shape)));
  std::uniform_int_distribution<int> any(0, 255);
  for (uint8_t& value : quantized) value = static_cast<uint8_t>(any(*random));
  return quantized;
}

class MatMulOfQuantized {
 public:
  MatMulOfQuantized(const Product& p, const Zeros& zeros)
      : p_(p), zeros_(zeros) {
    std::minstd_rand random(7);
    const Shape a = p.transpose_a ? MatrixShape(p.a_batch, p.k, p.m)
                                  : MatrixShape(p.a_batch, p.m, p.k);
    const Shape b = p.transpose_b ? MatrixShape(p.b_batch, p.n, p.k)
                                  : MatrixShape(p.b_batch, p.k, p.n);
    a_ = Quantized(a, &random);
    b_ = Quantized(b, &random);
    node_.name = "product";
    node_.op = "MatMul";
    node_.attrs["transpose_a"] = int64_t{p.transpose_a};
    node_.attrs["transpose_b"] = int64_t{p.transpose_b};
    node_.inputs.resize(2);
    node_.inputs[0].type = TypeOf(zeros.type, a, 0.5f, zeros.a);
    node_.inputs[1].type = TypeOf(zeros.type, b, 0.25f, zeros.b);
    node_.outputs = {
        TypeOf(zeros.type, MatrixShape(p.batch, p.m, p.n), 70.0f, zeros.y)};
  }

  void Check(CpuFeatures features, int num_threads) {
    auto threads = ThreadPool::Create(num_threads);
    ASSERT_TRUE(threads.ok());
    CpuContext context = {};
    context.threads = threads->get();
    context.features = features;
    const auto kernel = PrepareNode(node_, context);
    ASSERT_TRUE(kernel.ok()) << kernel.status().information();
    const auto scratch = AlignedBuffer::Create(
        static_cast<size_t>((*kernel)->scratch_bytes()) + 1);
    ASSERT_TRUE(scratch.ok());
    // Nothing may depend on what the memory holds.
    std::fill_n(static_cast<uint8_t*>(scratch->data()), scratch->size(), 0xa5);
    const std::vector<uint8_t> want = Want();
    std::vector<uint8_t> y(want.size() + 1, 77);
    RunArgs args;
    args.inputs = {{a_.data()}, {b_.data()}};
    args.outputs = {{y.data()}};
    args.scratch = {scratch->data()};
    ASSERT_TRUE((*kernel)->Run(args).ok());
    EXPECT_EQ(y.back(), 77);
    EXPECT_EQ(static_cast<uint8_t*>(scratch->data())[scratch->size() - 1],
              0xa5);
    y.pop_back();
    EXPECT_EQ(y, want);
  }

 private:
  int32_t QuantizedValue(uint8_t value) const {
    return zeros_.type == DataType::kU8 ? value : static_cast<int8_t>(value);
  }
  // The matrix of an operand that a product of the batch reads: its dimensions
  // are those of the batch or 1.
  static int64_t MatrixOf(const Shape& of, const Shape& batch, int64_t i) {
    int64_t at = 0, step = 1;
    for (size_t d = 1; d <= batch.size(); ++d) {
      const int64_t extent = batch[batch.size() - d];
      if (d <= of.size() && of[of.size() - d] != 1) {
        at += i % extent * step;
        step *= extent;
      }
      i /= extent;
    }
    return at;
  }

  std::vector<uint8_t> Want() const {
    std::vector<uint8_t> want;
    const FixedFactor factor = ToFixed(double{0.5f * 0.25f} / 70.0f);
    const int32_t least = zeros_.type == DataType::kU8 ? 0 : -128;
    for (int64_t i = 0; i < NumElements(p_.batch); ++i) {
      const uint8_t* a =
          a_.data() + MatrixOf(p_.a_batch, p_.batch, i) * p_.m * p_.k;
      const uint8_t* b =
          b_.data() + MatrixOf(p_.b_batch, p_.batch, i) * p_.n * p_.k;
      for (int64_t r = 0; r < p_.m; ++r) {
        for (int64_t c = 0; c < p_.n; ++c) {
          int32_t sum = 0;
          for (int64_t e = 0; e < p_.k; ++e) {
            const int32_t x = QuantizedValue(p_.transpose_a ? a[e * p_.m + r]
                                                            : a[r * p_.k + e]);
            const int32_t w = QuantizedValue(p_.transpose_b ? b[c * p_.k + e]
                                                            : b[e * p_.n + c]);
            sum += (x - zeros_.a) * (w - zeros_.b);
          }
          want.push_back(static_cast<uint8_t>(
              std::clamp(Scale(sum, factor) + zeros_.y, least, least + 255)));
        }
      }
    }
    return want;
  }

  const Product p_;
  const Zeros zeros_;
  std::vector<uint8_t> a_, b_;
  Node node_;
};

void CheckAll(const Product& p) {
  for (const Zeros& zeros :
       {Zeros{DataType::kI8, -128, 127, 3}, Zeros{DataType::kI8, 5, 0, -128},
        Zeros{DataType::kU8, 255, 0, 128}, Zeros{DataType::kU8, 3, 128, 0}}) {
    MatMulOfQuantized product(p, zeros);
    for (const GemmUkernel& row : kGemm) {
      if (!row.is_quantized() || row.packing.b_min > -128) continue;
      if (!RunsHere(row)) continue;
      SCOPED_TRACE(std::string(row.name) + " zero " + std::to_string(zeros.b) +
                   " m " + std::to_string(p.m) + " n " + std::to_string(p.n) +
                   " k " + std::to_string(p.k));
      product.Check(row.isa, 1);
      product.Check(row.isa, 3);
    }
  }
}

TEST(MatMulQ8, SizesAroundThoseOfTiles) {
  for (const int64_t k : {1, 3, 8, 65}) {
    for (const int64_t n : {1, 7, 32, 67}) {
      CheckAll({13, n, k, {}, {}, {}});
      CheckAll({13, n, k, {}, {}, {}, true, true});
    }
  }
  CheckAll({1, 40, 300, {}, {}, {}});
  CheckAll({170, 33, 40, {}, {}, {}, false, true});
}

TEST(MatMulQ8, BatchesThatBroadcast) {
  CheckAll({5, 9, 6, {4}, {4}, {4}});
  CheckAll({5, 9, 6, {2, 1}, {3}, {2, 3}, true});
  CheckAll({14, 33, 6, {3}, {2, 1}, {2, 3}, false, true});
  CheckAll({40, 8, 16, {}, {5}, {5}});
  CheckAll({40, 8, 16, {5}, {}, {5}});
}

TEST(MatMulQ8, EmptyMatrices) {
  CheckAll({3, 4, 0, {2}, {2}, {2}});
  CheckAll({0, 4, 5, {2}, {2}, {2}});
  CheckAll({3, 0, 5, {2}, {2}, {2}, true, true});
  CheckAll({3, 4, 5, {0}, {1}, {0}});
}

}  // namespace
}  // namespace mace::cpu
