// The enums of mace.proto. Numbers that have no name here are not known.
// SPDX-License-Identifier: Apache-2.0
//
// Names and numbers are those of mace.proto, so that a search finds both. The
// functions IsKnown are found by the type of their argument: Convert
// (message.h) calls them for any enum.
#ifndef MACE_PROTO_ENUMS_H_
#define MACE_PROTO_ENUMS_H_

namespace mace::stored {

// Element types of tensors; 5, 9 and 10 have no name. DT_INT8_BLOCKS and
// DT_UINT4_BLOCKS are of ConstTensor::stored_type alone.
enum DataType : int {
  DT_INVALID = 0,
  DT_FLOAT = 1,
  DT_UINT8 = 2,
  DT_HALF = 3,
  DT_INT32 = 4,
  DT_BFLOAT16 = 6,
  DT_INT16 = 7,
  DT_INT8 = 8,
  DT_BOOL = 11,
  DT_INT64 = 12,
  DT_INT8_BLOCKS = 13,
  DT_UINT4_BLOCKS = 14,
};

// Returns whether the number has a name. Files may have any number of 32 bits.
constexpr bool IsKnown(DataType type) {
  return (type >= DT_INVALID && type <= DT_INT8 && type != 5) ||
         (type >= DT_BOOL && type <= DT_UINT4_BLOCKS);
}

// How the source framework orders the dimensions of an input or output.
enum DataFormat : int { DF_NONE = 0, DF_NHWC = 1, DF_NCHW = 2 };

constexpr bool IsKnown(DataFormat format) {
  return format >= DF_NONE && format <= DF_NCHW;
}

}  // namespace mace::stored

#endif  // MACE_PROTO_ENUMS_H_
