// Values that tend to reveal errors: for attributes, extents and contents of
// tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_VALUES_H_
#define TEST_FUZZ_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"
#include "mace/ops/common/attr_info.h"
#include "mace/proto/mace.pb.h"
#include "test/fuzz/random.h"

namespace mace::fuzz {

// Mostly small numbers, sometimes one near the limits of a type.
int64_t AnyInt(Random& random);
float AnyFloat(Random& random);

// a * b + c modulo 2^64, for when any value will do.
int64_t Wrapped(int64_t a, int64_t b, int64_t c);

// Sizes as valid models have them: mostly 1 to 8, seldom 0 or around a multiple
// of vector widths. Of a shape, only the last three are so; the others are 1 to
// 3.
int64_t SmallExtent(Random& random);
Shape SmallShape(Random& random, int rank);

// A value that the attribute may have in a valid model: its default, one of its
// choices if it has any, else one of its type.
Attr PlausibleAttr(const AttrInfo& attr, Random& random);

// Writes an attribute into `arg`, in the format of model files.
void SetAttr(const std::string& name, const Attr& value, proto::Argument* arg);

// Changes the value of an attribute, slightly or completely; a text mostly
// becomes one that an attribute of this name may have in some op.
void MutateAttr(Random& random, proto::Argument* arg);

proto::DataType ToProto(DataType type);  // DT_INVALID for kInvalid
DataType AnyType(Random& random);        // mostly f32 and integers

// Returns `count` elements of the type, as bytes: small numbers, and for some
// tensors NaN, infinities and extremes.
std::string AnyContents(DataType type, int64_t count, Random& random);
// Bytes as text, since settings are text: two digits for each.
std::string ToHex(const std::string& bytes);
std::string FromHex(const std::string& digits);  // other text: any bytes
// Returns the bytes of `values` as i32 or i64.
std::string IntContents(DataType type, const std::vector<int64_t>& values);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_VALUES_H_
