// LshProjection: bits that similar sets of features are likely to share.
// SPDX-License-Identifier: Apache-2.0
//
// For each seed, with a feature being a slice of x along its first axis:
//   key        = the 4 bytes of the seed, then the bytes of the feature
//   signature  = FarmHash's Fingerprint64 of the key, as a signed integer
//   bit        = 1 if the sum over all features of weight * signature, in
//                double and in the order of the features, is above 0, else 0
//
// Inputs   x       [F,...] of any type: F features, 1 or more
//          seeds   i32 [H,B]: B bits, 32 at most, for each of H hash functions
//          weight  f32 [F], optional: one for each feature; else all are 1
// Outputs  y       i32 [H*B] of 0 and 1 (DENSE): the bits; i32 [H] (SPARSE):
//                  for each hash function the number that its bits are, with
//                  the first one as the highest, plus 2^B times the number of
//                  the function, modulo 2^32
// Attrs    type    DENSE (default), SPARSE
// Errors   a scalar x, or one without features; seeds that are no matrix, or
//          more than 32 in a row; SPARSE with 32 bits for each of several hash
//          functions, whose numbers would not differ; another number of
//          weights; an unknown type
// Source   TFLite LSH_PROJECTION and Android's Neural Networks API, whose seeds
//          are floats: the i32 with the same bits. Stored as floats they could
//          be rounded, and every key would be another one

#include "mace/ops/lsh_projection.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr int64_t kMaxBits = 32;

constexpr NamedValue<LshProjectionType> kProjectionTypes[] = {
    {"DENSE", LshProjectionType::kDense},
    {"SPARSE", LshProjectionType::kSparse}};

}  // namespace

Result<LshProjectionType> LshProjectionTypeOf(const Node& node,
                                              const LshProjectionAttrs& attrs) {
  return ValueNamed(node, kProjectionTypes, "type", attrs.type);
}

namespace ops {
namespace {

Status InferLshProjection(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LshProjectionAttrs attrs,
                        ReadAttrs<LshProjectionAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const LshProjectionType type,
                        LshProjectionTypeOf(node, attrs));
  const TensorType& x = node.inputs[0].type;
  if (x.rank() == 0 || x.shape[0] == 0) {
    return NodeError(node, "x ", ToString(x),
                     " must have a first axis, of 1 feature or more");
  }
  MACE_RETURN_IF_ERROR(CheckRank(node, 1, 2, "[hash functions, bits of each]"));
  const int64_t functions = node.inputs[1].type.shape[0];
  const int64_t bits = node.inputs[1].type.shape[1];
  if (bits > kMaxBits) {
    return NodeError(node, "seeds ", ToString(node.inputs[1].type), " have ",
                     bits, " bits for each hash function; there may be ",
                     kMaxBits);
  }
  MACE_RETURN_IF_ERROR(
      CheckVector(node, 2, x.shape[0], "one weight per feature"));
  int64_t count = functions;
  if (type == LshProjectionType::kDense) {
    MACE_ASSIGN_OR_RETURN(count, CheckedMul(node, functions, bits, "y"));
  } else if (bits == kMaxBits && functions > 1) {
    return NodeError(node, "type SPARSE with ", bits, " bits for each of ",
                     functions,
                     " hash functions gives them the same numbers; "
                     "use type DENSE, or fewer bits");
  }
  node.outputs = {{DataType::kI32, {count}}};
  return Status();
}

}  // namespace

Op LshProjection() {
  return Op{
      "LshProjection", 2, 3, 1, InferLshProjection, AttrsOf<LshProjectionAttrs>}
      .Choices("type", NamesIn(kProjectionTypes))
      .Takes({AnyType(), OneOf({DataType::kI32}), Float32()})
      .ReadsMany();
}

}  // namespace ops
}  // namespace mace
