// Values that find faults: for attributes, extents and contents of tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_VALUES_H_
#define TEST_FUZZ_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"
#include "mace/proto/mace.pb.h"
#include "test/fuzz/random.h"

namespace mace::fuzz {

// Mostly small, sometimes at the edge of what a type holds.
int64_t AnyInt(Random& random);
float AnyFloat(Random& random);

// a * b + c modulo 2^64, where a sum that overflows is as good as another.
int64_t Wrapped(int64_t a, int64_t b, int64_t c);

// An extent as sound models have it.
int64_t SmallExtent(Random& random);
Shape SmallShape(Random& random, int rank);

// A value of the type of `initial` for the attribute `name`, such as a sound
// model may have; strings are among those that the ops know.
Attr PlausibleAttr(const std::string& name, const Attr& initial,
                   Random& random);

// An attribute as the model file writes it.
void SetAttr(const std::string& name, const Attr& value, proto::Argument* arg);

// Changes the value of an attribute a little or beyond reason.
void MutateAttr(Random& random, proto::Argument* arg);

proto::DataType ToProto(DataType type);  // DT_INVALID for kInvalid
DataType AnyType(Random& random);        // mostly f32 and integers

// `count` elements: small numbers, and for some tensors NaN, infinities and
// extremes.
std::string AnyContents(DataType type, int64_t count, Random& random);
// `values` as i32 or i64.
std::string IntContents(DataType type, const std::vector<int64_t>& values);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_VALUES_H_
