// StrassenGemm: computes a convolution's matrix product with seven eighths of
// the multiplications.
// SPDX-License-Identifier: Apache-2.0
//
// The rows of a, its depth and the columns of b are halved. Row i of the first
// half is paired with row i + rows / 2:
//
//   | a11 a12 |   | b11 b12 |   | c11 c12 |
//   | a21 a22 | * | b21 b22 | = | c21 c22 |
//
// Seven products of sums of quarters replace the eight products of quarters.
// The sums of b are packed once. A task takes a block of pairs, computes the
// sums of a in the second-level cache, and then for each panel of b, in the
// first-level cache:
//
//   s1 = a21 + a22     t1 = b12 - b11     w  = a11 * b11
//   s2 = s1 - a11      t2 = b22 - t1      c11 = w + a12 * b21
//   s3 = a11 - a21     t3 = b22 - b12     u  = s1 * t1
//   s4 = a12 - s2      t4 = b21 - t2      w += s2 * t2
//                                         c12 = w + u + s4 * b22
//                                         w += s3 * t3
//                                         c22 = w + u
//                                         c21 = w + a22 * t4
//
// An outlier (outliers.h) would leave rounding errors in the other row of its
// pair and in the other half of the columns: such a pair is computed once more,
// without sums.
//
// Source: Strassen, Gaussian Elimination is not Optimal (1969), in Winograd's
// form with 15 additions. If the number of rows is odd, the middle row belongs
// to the first pair and to the last one; only the first writes it, so that
// results do not depend on the number of threads.
#ifndef MACE_CPU_GEMM_STRASSEN_H_
#define MACE_CPU_GEMM_STRASSEN_H_

#include <string>

#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_table.h"

namespace mace::cpu {

class StrassenGemm {
 public:
  // As ConvGemm::Operands, in float.
  struct Operands {
    const float* x = nullptr;
    const float* b = nullptr;
    const float* bias = nullptr;
    float* y = nullptr;
    const float* addend = nullptr;
  };

  // As the constructor of ConvGemm, for one part. REQUIRES: Fits(spec).
  StrassenGemm(const ConvGemm::Spec& spec, const CpuContext& context);

  // Returns whether there is a single part with two rows or more, its depth and
  // columns can be halved, the micro-kernel computes in float, and half a panel
  // of b fits the second-level cache.
  static bool Fits(const ConvGemm::Spec& spec, const CacheSizes& caches);

  // The packed sums of `b`, a [k, n] matrix: how many floats they take, and how
  // to make them.
  static int64_t PackedFloats(const GemmUkernel& kernel, int64_t n, int64_t k);
  static void Pack(const GemmUkernel& kernel, const GemmB& b, const float* data,
                   float* packed, ThreadPool* threads);

  // Return the bytes of scratch for one thread, and for all.
  int64_t thread_scratch_bytes() const {
    return scratch_floats_ * static_cast<int64_t>(sizeof(float));
  }
  int64_t scratch_bytes() const {
    return num_threads_ * thread_scratch_bytes();
  }
  std::string variant() const;

  // Computes the product. `scratch` has scratch_bytes(). REQUIRES: y and x do
  // not overlap.
  void Run(ThreadPool* threads, const Operands& operands, void* scratch) const;

  // One half of a block of pairs: `count` rows, beginning with row `x_row` of
  // x, and with row `y_row` of y and the addend.
  struct Rows {
    int64_t x_row, y_row;
    int64_t count;
  };
  // Computes one block of pairs on the calling thread. first.count is
  // second.count, or one less if another pair writes the last row of `first`.
  // REQUIRES: there are no more pairs than max_pairs.
  void RunPairs(const Operands& operands, const Rows& first, const Rows& second,
                void* thread_scratch) const;
  // Sets the maximum number of pairs that RunPairs may be given, and the size
  // of the scratch for it.
  void SetMaxPairs(int64_t max_pairs);

 private:
  // Half the columns of a block's rows, packed or not: of a, and of c.
  struct Quarter {
    const float* at;
    int64_t stride;
  };
  struct Output {
    float* at;
    int64_t stride;
  };
  struct Block;

  // Return whether a row has an outlier.
  bool FindQuarters(const float* x, int64_t x_row, int64_t m, float* to,
                    float* row_copies, Quarter* left, Quarter* right) const;
  bool FindPacked(const float* x, int64_t x_row, int64_t m, int64_t k0,
                  float* to, float* row_copies) const;
  // Returns whether one of m rows of k_ elements has an outlier.
  bool AnyOutlier(const float* rows, int64_t stride, int64_t m) const;
  // Computes the pairs with outliers; `copies` has room for two rows of a.
  void ComputeDirectly(const Block& block, float* copies) const;
  void ComputeRow(const Block& block, const float* a, float* y) const;
  // to = f(a, b)
  Quarter Sum(BinaryF32Fn* f, int64_t m, const Quarter& a, const Quarter& b,
              float* to) const;
  // Computes the panels that begin at `column` of each half of the columns, for
  // all rows.
  void RunPanel(const Block& block, int64_t column) const;
  // to = a[product] * b[product] + bias + addend, clamped if `activate`. The
  // rows of the addend are contiguous.
  void Multiply(const Block& block, int product, int64_t column,
                const float* bias, const float* addend, bool activate,
                const Output& to) const;
  // to = a + b, clamped if `activate`. The rows of a and b are contiguous.
  void AddRows(int64_t m, int64_t n, const float* a, const float* b,
               bool activate, const Output& to) const;
  static void CopyRows(const Output& from, int64_t m, int64_t n,
                       const Output& to);
  void Finish(const Operands& at, const Rows& rows) const;
  int64_t RowCopyFloats() const;  // rows that are copied before packing
  int64_t QuarterFloats(int64_t pairs) const;  // of a
  int64_t num_pairs() const { return (rows_ + 1) / 2; }

  ConvGemm::Spec spec_;
  RowFinish finish_;
  BinaryF32Fn* add_ = nullptr;
  BinaryF32Fn* subtract_ = nullptr;
  MagnitudeF32Fn* magnitude_ = nullptr;
  int num_threads_ = 1;
  int64_t rows_ = 0;
  int64_t k_ = 0, n_ = 0;  // of a quarter
  bool packs_rows_ = false;
  bool reads_in_place_ = false;
  int64_t block_ = 0;      // pairs of a task
  int64_t max_pairs_ = 0;  // of a block
  int64_t a_stride_ = 0;   // of sums and copies
  int64_t scratch_floats_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_STRASSEN_H_
