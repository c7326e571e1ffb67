// The cost model of convolutions: the work of each method, and a table of what
// each kind of work costs on a CPU with given instruction sets.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_COST_H_
#define MACE_CPU_CONV_CONV_COST_H_

#include "mace/base/cpu_features.h"
#include "mace/cpu/common/cache_sizes.h"
#include "mace/cpu/reference/conv.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8_table.h"

namespace mace::cpu {

// The work of a convolution by one method, on any number of threads. A filter
// that does not stay in the second-level cache is read again for each block of
// rows.
struct ConvWork {
  double products = 0;      // multiply-adds of the GEMM micro-kernels
  double filter_bytes = 0;  // of the packed filter, as often as it is read
  // Loads, stores and arithmetic of one float in the transforms of Winograd.
  double transforms = 0;
  double sums = 0;  // the same in Strassen's sums
};

// Returns the work as a matrix product of patches and filters.
ConvWork DirectWork(const ConvShape& shape, const CacheSizes& caches);

// Returns the work by Winograd's F(m, 3), where m is 2, 4 or 6. REQUIRES:
// Winograd::Fits(shape).
ConvWork WinogradWork(const ConvShape& shape, int m, const CacheSizes& caches);

// Return the work of a convolution of quantized values: as a matrix product,
// and by Winograd's algorithm with `micro`. ConvWork::transforms then counts
// what micro.costs.input and micro.costs.output cost.
ConvWork DirectWorkQ8(const ConvShape& shape, const CacheSizes& caches);
ConvWork WinogradWorkQ8(const ConvShape& shape, const WinogradQ8& micro,
                        const CacheSizes& caches);

// Returns the work by one level of Strassen's method. REQUIRES: shape.group is
// 1.
ConvWork StrassenWork(const ConvShape& shape, const CacheSizes& caches);

// What a unit of each kind of work costs, in multiply-adds at the peak of the
// widest vectors in `isa`.
struct ConvCosts {
  CpuFeatures isa;
  double product;
  double filter_byte;
  double transform;
  double sum;
};

// Returns the costs for the best instruction set among `features`, or those of
// plain C++.
const ConvCosts& CostsOf(CpuFeatures features);

// Returns the predicted cost of `work`, in the unit of ConvCosts.
double Cost(const ConvWork& work, const ConvCosts& costs);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_COST_H_
