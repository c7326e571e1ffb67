// SelfTest: whether a micro-kernel computes a small known case as it should.
// SPDX-License-Identifier: Apache-2.0
//
// One function for each type of rows, which runs the functions of a row and
// returns whether every result is right. Where operands are packed as a row
// says, plain loops compute the case here; otherwise sums of its results are
// known, which follow from the definitions of the functions in double precision
// (Python). The numbers are small integers wherever their sums, products and
// quotients are exact, so that every order of additions gives the same result.
// Most cases have whole vectors of the widest kind and a rest.
//
// The functions run in a probe (mace/base/probe.h), where a crash counts as a
// failed test: nothing may be allocated, locked or logged. The row's
// instruction set must be among the CPU's features. `memory` is fresh for the
// type of the row, and is overwritten. Choosing a row (common/choose.h) calls
// them; a library built with --define=self_test=false has none of them.
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

// Returns whether the row's name starts with `begin`, which tells apart tables
// with rows of one type.
template <typename Row>
bool IsOf(const Row& row, const char* begin) {
  return __builtin_strncmp(row.name, begin, __builtin_strlen(begin)) == 0;
}

// gemm_cases.cc: tiles with packed and unpacked rows.
bool SelfTest(const GemmUkernel& row, TestMemory& memory);
// The same for rows whose weights are in blocks: they have the type of the rows
// above, and are in another table.
bool SelfTestOfBlocks(const GemmUkernel& row, TestMemory& memory);
// float_cases.cc, quantized_cases.cc: matrix times vector, in floats and with
// int8 and int4 weights.
bool SelfTest(const GemvF32& row, TestMemory& memory);
bool SelfTest(const GemvQ8& row, TestMemory& memory);
// conv_cases.cc: lines of depthwise convolutions; floats are clamped, of 8-bit
// values there are sums only. uint16_t is fp16.
bool SelfTest(const Dwconv<float>& row, TestMemory& memory);
bool SelfTest(const Dwconv<uint16_t>& row, TestMemory& memory);
bool SelfTest(const DwconvQ8& row, TestMemory& memory);
// float_cases.cc, quantized_cases.cc: max, mean and, of floats, L2 of windows.
// The tables of 8-bit maxima and means have rows of one type: the row's name
// tells which result is right.
bool SelfTest(const PoolRow<float>& row, TestMemory& memory);
bool SelfTest(const PoolRow<uint16_t>& row, TestMemory& memory);
bool SelfTest(const PoolQ8& row, TestMemory& memory);
// conv_cases.cc: the transforms of a tile and back.
bool SelfTest(const WinogradF32& row, TestMemory& memory);
bool SelfTest(const WinogradQ8& row, TestMemory& memory);
// float_cases.cc: element-wise functions of two operands, either of which may
// be a single element. A set may lack functions; a BinaryOne has one, the sum
// or the difference.
bool SelfTest(const BinaryRow<float, BinarySet<float>>& row,
              TestMemory& memory);
bool SelfTest(const BinaryRow<uint16_t, BinarySet<uint16_t>>& row,
              TestMemory& memory);
bool SelfTest(const BinaryRow<float, BinaryOne<float>>& row,
              TestMemory& memory);
bool SelfTest(const BinaryRow<uint16_t, BinaryOne<uint16_t>>& row,
              TestMemory& memory);
// float_cases.cc: functions of one operand, and of rows.
bool SelfTest(const ActivateF32& row, TestMemory& memory);
bool SelfTest(const ClampF32& row, TestMemory& memory);
bool SelfTest(const RowOf<RowF32Set>& row, TestMemory& memory);
bool SelfTest(const RowOf<SoftmaxF32Set>& row, TestMemory& memory);
bool SelfTest(const MagnitudeF32Row& row, TestMemory& memory);
// float_cases.cc, quantized_cases.cc: of benchmarks (common/machine_limits.h).
bool SelfTest(const PeakF32& row, TestMemory& memory);
bool SelfTest(const PeakQ8& row, TestMemory& memory);
// float_cases.cc: queries times rows of a KV cache, in each of its types.
bool SelfTest(const KvRowsF32Kernel& row, TestMemory& memory);
// quantized_cases.cc. Rows of requantization that round once and those that
// round twice have one type: the row's name tells which result is right.
bool SelfTest(const RequantizeQ8& row, TestMemory& memory);
bool SelfTest(const AddQ8& row, TestMemory& memory);
bool SelfTest(const LutQ8& row, TestMemory& memory);
bool SelfTest(const QuantizeQ8& row, TestMemory& memory);
bool SelfTest(const DequantizeRowsQ8& row, TestMemory& memory);

}  // namespace mace::cpu

#endif  // MACE_CPU_SELF_TEST_SELF_TEST_H_
