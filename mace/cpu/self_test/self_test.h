// SelfTest: whether a micro-kernel computes a small known case as it should.
// SPDX-License-Identifier: Apache-2.0
//
// One function for each type of rows, which runs all functions of a row. The
// numbers are small integers wherever their sums, products and quotients are
// exact, so that every order of additions gives the same result. Where operands
// are packed as a row says, plain loops compute it here; otherwise sums of it
// are known, which follow from the definitions of the functions in double
// precision (Python). They run in a probe (mace/base/probe.h): nothing may be
// allocated.
#ifndef MACE_CPU_SELF_TEST_SELF_TEST_H_
#define MACE_CPU_SELF_TEST_SELF_TEST_H_

#include <cstdint>

#include "mace/cpu/self_test/test_memory.h"

namespace mace::cpu {

struct GemmUkernel;
struct GemvF32;
struct GemvQ8;
template <typename T>
struct Dwconv;
struct DwconvQ8;
template <typename T>
struct PoolRow;
struct PoolQ8;
struct WinogradF32;
struct WinogradQ8;
template <typename T>
struct BinarySet;
template <typename T>
struct BinaryOne;
template <typename T, typename Set>
struct BinaryRow;
struct ActivateF32;
struct ClampF32;
template <typename Set>
struct RowOf;
struct RowF32Set;
struct SoftmaxF32Set;
struct MagnitudeF32Row;
struct PeakF32;
struct PeakQ8;
struct KvRowsF32Kernel;
struct RequantizeQ8;
struct AddQ8;
struct LutQ8;
struct QuantizeQ8;
struct DequantizeRowsQ8;

bool SelfTest(const GemmUkernel& row, TestMemory& memory);
// Of rows whose weights are in blocks.
bool SelfTestOfBlocks(const GemmUkernel& row, TestMemory& memory);
bool SelfTest(const GemvF32& row, TestMemory& memory);
bool SelfTest(const GemvQ8& row, TestMemory& memory);
bool SelfTest(const Dwconv<float>& row, TestMemory& memory);
bool SelfTest(const Dwconv<uint16_t>& row, TestMemory& memory);
bool SelfTest(const DwconvQ8& row, TestMemory& memory);
bool SelfTest(const PoolRow<float>& row, TestMemory& memory);
bool SelfTest(const PoolRow<uint16_t>& row, TestMemory& memory);
bool SelfTest(const PoolQ8& row, TestMemory& memory);
bool SelfTest(const WinogradF32& row, TestMemory& memory);
bool SelfTest(const WinogradQ8& row, TestMemory& memory);
bool SelfTest(const BinaryRow<float, BinarySet<float>>& row,
              TestMemory& memory);
bool SelfTest(const BinaryRow<uint16_t, BinarySet<uint16_t>>& row,
              TestMemory& memory);
bool SelfTest(const BinaryRow<float, BinaryOne<float>>& row,
              TestMemory& memory);
bool SelfTest(const BinaryRow<uint16_t, BinaryOne<uint16_t>>& row,
              TestMemory& memory);
bool SelfTest(const ActivateF32& row, TestMemory& memory);
bool SelfTest(const ClampF32& row, TestMemory& memory);
bool SelfTest(const RowOf<RowF32Set>& row, TestMemory& memory);
bool SelfTest(const RowOf<SoftmaxF32Set>& row, TestMemory& memory);
bool SelfTest(const MagnitudeF32Row& row, TestMemory& memory);
bool SelfTest(const PeakF32& row, TestMemory& memory);
bool SelfTest(const PeakQ8& row, TestMemory& memory);
bool SelfTest(const KvRowsF32Kernel& row, TestMemory& memory);
bool SelfTest(const RequantizeQ8& row, TestMemory& memory);
bool SelfTest(const AddQ8& row, TestMemory& memory);
bool SelfTest(const LutQ8& row, TestMemory& memory);
bool SelfTest(const QuantizeQ8& row, TestMemory& memory);
bool SelfTest(const DequantizeRowsQ8& row, TestMemory& memory);

}  // namespace mace::cpu

#endif  // MACE_CPU_SELF_TEST_SELF_TEST_H_
