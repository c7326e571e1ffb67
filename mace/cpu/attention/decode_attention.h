// Attention of a few queries, as in a step of a decoder: it reads keys and
// values where they are, which is what takes the time.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_ATTENTION_DECODE_ATTENTION_H_
#define MACE_CPU_ATTENTION_DECODE_ATTENTION_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/attention.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Returns whether the queries are so few that reading keys and values takes the
// time: at most 4 for each head, and at most 32 that share keys.
bool IsDecodeAttention(const AttentionShapes& s);

// Makes a kernel that reads keys and values, f32, f16 or int8, where they are.
// Results do not depend on the number of threads. REQUIRES:
// IsDecodeAttention(s).
KernelPtr MakeDecodeAttention(const Node& node, const AttentionShapes& s,
                              const ScoreRule& rule, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_ATTENTION_DECODE_ATTENTION_H_
