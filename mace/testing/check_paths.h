// The part of CheckOp that depends on the device under test.
// SPDX-License-Identifier: Apache-2.0
//
// A test links one definition of CheckPaths: that of cpu_paths.cc or that of
// gpu_paths.cc (the test `..._gpu`).
#ifndef MACE_TESTING_CHECK_PATHS_H_
#define MACE_TESTING_CHECK_PATHS_H_

#include <vector>

#include "mace/cpu/cpu_device.h"
#include "mace/testing/check_op.h"

namespace mace::testing {

// Runs the node on every path of the device and expects the outputs of the
// reference. On the CPU, paths are 1 and 2 threads, each with scalar loops,
// with AVX2 and FMA if the CPU has them, and with all instruction sets that it
// has; the last must give the same bits for both numbers of threads.
void CheckPaths(const OpCase& c, const std::vector<TestTensor>& reference,
                float tolerance);

// Returns the node of the case, its types not yet inferred. Points into `c`,
// which must outlive it.
Node MakeNode(const OpCase& c);

// Infers the node of the case and runs it on the CPU. Each error fails the
// test; after one of Infer or Prepare the result is empty.
std::vector<TestTensor> RunOn(const OpCase& c, const CpuOptions& options);

// Expects that Supports and Prepare of a device agree on a node: the same
// error, or the same work.
void ExpectAgreement(const Result<NodeWork>& work,
                     const Result<KernelPtr>& kernel);

// Expects equal types, and values as CheckOp does; reports up to five elements
// of each output.
void ExpectSame(const std::vector<TestTensor>& got,
                const std::vector<TestTensor>& want, float tolerance);

}  // namespace mace::testing

#endif  // MACE_TESTING_CHECK_PATHS_H_
