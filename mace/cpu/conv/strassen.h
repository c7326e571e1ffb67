// StrassenGemm: a convolution's matrix product with seven eighths of the
// multiplications.
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a, its depth and the columns of b are halved, row i of the
// first half being paired with row i + rows / 2:
//
//   | a11 a12 |   | b11 b12 |   | c11 c12 |
//   | a21 a22 | * | b21 b22 | = | c21 c22 |
//
// Of the eight products of quarters, seven of sums of quarters remain. Sums of
// b are packed once; a task takes a block of pairs, sums it in the second-level
// cache, and for each panel of b computes in the first-level cache:
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
// Source: Strassen, Gaussian Elimination is not Optimal (1969), in Winograd's
// form with 15 additions. What is written twice, the middle one of an odd
// number of rows, is written by the second of its pairs only, so that results
// do not depend on the number of threads.
#ifndef MACE_CPU_CONV_STRASSEN_H_
#define MACE_CPU_CONV_STRASSEN_H_

#include <string>

#include "mace/cpu/conv/conv_gemm.h"

namespace mace::cpu {

class StrassenGemm {
 public:
  // As those of ConvGemm, of floats.
  struct Operands {
    const float* x = nullptr;
    const float* b = nullptr;
    const float* bias = nullptr;
    float* y = nullptr;
    const float* addend = nullptr;
  };

  // As that of ConvGemm, for one part. REQUIRES: Fits(spec).
  StrassenGemm(const ConvGemm::Spec& spec, const CpuContext& context);

  // Whether depth and columns can be halved, the micro-kernel is of floats, and
  // half a panel of b streams from the second-level cache.
  static bool Fits(const ConvGemm::Spec& spec, const CacheSizes& caches);

  // Floats of, and how to make, the packed sums of `b`.
  static int64_t PackedFloats(const GemmUkernel& kernel, int64_t n, int64_t k);
  static void Pack(const GemmUkernel& kernel, const GemmB& b, const float* data,
                   float* packed, ThreadPool* threads);

  int64_t thread_scratch_bytes() const {
    return scratch_floats_ * static_cast<int64_t>(sizeof(float));
  }
  int64_t scratch_bytes() const {
    return num_threads_ * thread_scratch_bytes();
  }
  std::string variant() const;

  // REQUIRES: y and x do not overlap.
  void Run(ThreadPool* threads, const Operands& operands, void* scratch) const;

  // Rows whose pairs are computed together: `count` from x's row `x_row` on,
  // which are those from `y_row` on of y and the addend.
  struct Rows {
    int64_t x_row, y_row;
    int64_t count;
  };
  // One block of pairs on this thread: count of `first` is that of `second`, or
  // one less, if its last row is written by another pair. REQUIRES: no more
  // pairs than max_pairs.
  void RunPairs(const Operands& operands, const Rows& first, const Rows& second,
                void* thread_scratch) const;
  // Makes RunPairs take that many.
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

  void FindQuarters(const float* x, int64_t x_row, int64_t m, float* to,
                    float* row_copies, Quarter* left, Quarter* right) const;
  void FindPacked(const float* x, int64_t x_row, int64_t m, int64_t k0,
                  float* to, float* row_copies) const;
  // to = f(a, b)
  Quarter Sum(BinaryF32Fn* f, int64_t m, const Quarter& a, const Quarter& b,
              float* to) const;
  // A panel's columns, from `column` of the left half on, of all rows.
  void RunPanel(const Block& block, int64_t column) const;
  // to = a * b[product] + bias + addend, clamped if it is to be activated; the
  // addend's rows follow each other.
  void Multiply(const Block& block, int product, int64_t column,
                const float* bias, const float* addend, bool activate,
                const Output& to) const;
  // to = a + b, whose rows follow each other
  void AddRows(int64_t m, int64_t n, const float* a, const float* b,
               bool activate, const Output& to) const;
  static void CopyRows(const Output& from, int64_t m, int64_t n,
                       const Output& to);
  void Finish(const Operands& at, const Rows& rows) const;
  int64_t RowCopyFloats() const;               // to pack them from
  int64_t QuarterFloats(int64_t pairs) const;  // of a
  int64_t num_pairs() const { return (rows_ + 1) / 2; }

  ConvGemm::Spec spec_;
  RowFinish finish_;
  BinaryF32Fn* add_ = nullptr;
  BinaryF32Fn* subtract_ = nullptr;
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

#endif  // MACE_CPU_CONV_STRASSEN_H_
