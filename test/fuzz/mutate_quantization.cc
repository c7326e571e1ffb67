// Mutations of scales and zero points, and of quantized weights.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "test/fuzz/mutate.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

constexpr float kScales[] = {0.0f,
                             -0.5f,
                             1e-45f,
                             1e-40f,
                             0x1p-126f,
                             0x1p-40f,
                             0x1p-20f,
                             1.0f,
                             0x1p20f,
                             0x1p40f,
                             3e38f,
                             std::numeric_limits<float>::max(),
                             std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};

constexpr int32_t kZeroPoints[] = {
    0, 1, -128, -129, 127, 128, 255, 256, -32768, 32767, INT32_MIN, INT32_MAX};

// Scales of more indices are not written.
constexpr int64_t kMaxExtent = 4096;

float PowerOfTwo(Random& random) {
  return std::ldexp(1.0f, static_cast<int>(random.Between(-48, 48)));
}

float AnyScale(float scale, Random& random) {
  if (random.Percent(60)) return scale * PowerOfTwo(random);
  return kScales[random.Below(std::size(kScales))];
}

void ChangeScales(const TensorType&, Random& random, proto::Quantization* q) {
  if (random.Percent(40)) {
    const float factor = PowerOfTwo(random);
    for (float& scale : *q->mutable_scales()) scale *= factor;
    return;
  }
  const int i = static_cast<int>(random.Below(q->scales_size()));
  q->set_scales(i, AnyScale(q->scales(i), random));
}

// Often a value at the end of the type's range, which is valid.
int32_t AnyZeroPoint(DataType type, Random& random) {
  const bool low = random.Percent(50);
  if (random.Percent(70)) {
    if (type == DataType::kI8) return low ? -128 : 127;
    if (type == DataType::kU8) return low ? 0 : 255;
    if (type == DataType::kI16) return low ? -32768 : 32767;
    if (type == DataType::kI32) return low ? INT32_MIN : INT32_MAX;
  }
  return kZeroPoints[random.Below(std::size(kZeroPoints))];
}

void ChangeZeroPoints(const TensorType& type, Random& random,
                      proto::Quantization* q) {
  if (q->zero_points_size() == 0) {
    q->mutable_zero_points()->Resize(q->scales_size(), 0);
  }
  const int i = static_cast<int>(random.Below(q->zero_points_size()));
  q->set_zero_points(i, AnyZeroPoint(type.dtype, random));
}

template <typename List>
void SetSize(int size, List* list) {
  if (list->empty()) return;
  const auto first = list->Get(0);  // Resize takes it by reference
  list->Resize(size, first);
}

// From one scale to one for each index of an axis, or of another, or back.
void ChangeAxis(const TensorType& type, Random& random,
                proto::Quantization* q) {
  int64_t size = 1;
  if (q->has_axis() && random.Percent(50)) {
    q->clear_axis();
  } else {
    const bool valid = type.rank() > 0 && random.Percent(85);
    const int64_t axis = valid ? random.Below(type.rank()) : AnyInt(random);
    q->set_axis(static_cast<int32_t>(axis));
    if (valid) size = std::clamp<int64_t>(type.shape[axis], 0, kMaxExtent);
  }
  if (random.Percent(10)) return;  // with a wrong number of scales
  SetSize(static_cast<int>(size), q->mutable_scales());
  SetSize(static_cast<int>(size), q->mutable_zero_points());
}

void ChangeCount(const TensorType&, Random& random, proto::Quantization* q) {
  const bool more = random.Percent(50);
  if (random.Percent(50)) {
    more ? q->add_scales(0.5f) : q->mutable_scales()->RemoveLast();
  } else if (more || q->zero_points_size() == 0) {
    q->add_zero_points(static_cast<int32_t>(AnyInt(random)));
  } else {
    q->mutable_zero_points()->RemoveLast();
  }
}

void Drop(const TensorType&, Random&, proto::Quantization* q) { q->Clear(); }

// Changes the quantization of a tensor, wherever the model says it; often also
// that of all tensors that are quantized alike, because ops that move values
// take no others.
template <void (*Change)(const TensorType&, Random&, proto::Quantization*)>
bool ChangeQuantized(const Donors&, Draft* draft, Random& random) {
  const std::vector<Quantized> all = QuantizationsOf(&draft->net);
  if (all.empty()) return false;
  const Quantized& any = random.Of(all);
  const std::string before = any.quantization->SerializeAsString();
  proto::Quantization changed = *any.quantization;
  Change(draft->OperandOf(any.name).type, random, &changed);
  const bool others = random.Percent(70);
  for (const Quantized& q : all) {
    if (q.name == any.name ||
        (others && q.quantization->SerializeAsString() == before)) {
      *q.quantization = changed;
    }
  }
  return true;
}

// Returns the quantization of any tensor, which may be empty, or null.
proto::Quantization* AnyPlace(Draft* draft, Random& random) {
  proto::NetDef* net = &draft->net;
  switch (random.Below(4)) {
    case 0: {
      auto* tensor = AnyOf(net->mutable_tensors(), random);
      return tensor == nullptr ? nullptr : tensor->mutable_quantization();
    }
    case 1: {
      auto* info = AnyOf(net->mutable_input_info(), random);
      return info == nullptr ? nullptr : info->mutable_quantization();
    }
    case 2: {
      auto* info = AnyOf(net->mutable_output_info(), random);
      return info == nullptr ? nullptr : info->mutable_quantization();
    }
    default: {
      auto* op = AnyOf(net->mutable_op(), random);
      if (op == nullptr || op->output_size() == 0) return nullptr;
      while (op->output_quantization_size() < op->output_size()) {
        op->add_output_quantization();
      }
      return op->mutable_output_quantization(0);
    }
  }
}

bool AddQuantization(const Donors&, Draft* draft, Random& random) {
  proto::Quantization* q = AnyPlace(draft, random);
  if (q == nullptr) return false;
  q->Clear();
  for (int64_t n = random.Percent(80) ? 1 : random.Below(4); n > 0; --n) {
    q->add_scales(AnyScale(0.5f, random));
  }
  if (random.Percent(50)) q->add_zero_points(AnyZeroPoint({}, random));
  if (random.Percent(20)) q->set_axis(static_cast<int32_t>(AnyInt(random)));
  return true;
}

bool ExchangeQuantizations(const Donors&, Draft* draft, Random& random) {
  const std::vector<Quantized> all = QuantizationsOf(&draft->net);
  if (all.size() < 2) return false;
  proto::Quantization* one = random.Of(all).quantization;
  proto::Quantization* other = random.Of(all).quantization;
  if (random.Percent(50)) {
    std::swap(*one, *other);
  } else {
    *one = *other;
  }
  return true;
}

// Returns values that are all the smallest or the largest, or any of the two.
std::string ExtremeValues(DataType type, int64_t count, Random& random) {
  const size_t width = SizeOf(type);
  const bool is_signed = type != DataType::kU8;
  std::string least(width, '\0'), most(width, '\xff');
  if (is_signed) {
    least.back() = '\x80';
    most.back() = '\x7f';
  }
  static const std::vector<int> kShares = {0, 0, 50, 100, 100};
  const int share = random.Of(kShares);
  std::string values;
  for (int64_t i = 0; i < count; ++i) {
    values += random.Percent(share) ? most : least;
  }
  return values;
}

bool ChangeQuantizedValues(const Donors&, Draft* draft, Random& random) {
  for (int tries = 0; tries < 8; ++tries) {
    proto::ConstTensor* weight = AnyOf(draft->net.mutable_tensors(), random);
    if (weight == nullptr) return false;
    // Biases of 64 bits have no scales.
    const bool is_bias = weight->data_type() == proto::DT_INT64;
    if (weight->quantization().scales_size() == 0 && !is_bias) continue;
    const TensorType type = draft->OperandOf(weight->name()).type;
    if (type.dtype == DataType::kInvalid || !draft->HasSpace(type)) {
      continue;
    }
    draft->SetContents(
        ExtremeValues(type.dtype, NumElements(type.shape), random), weight);
    return true;
  }
  return false;
}

}  // namespace

const std::vector<NamedMutation>& QuantizationMutations() {
  static const auto* mutations = new std::vector<NamedMutation>{
      {"scale", 16, ChangeQuantized<ChangeScales>},
      {"zero_point", 8, ChangeQuantized<ChangeZeroPoints>},
      {"scale_axis", 3, ChangeQuantized<ChangeAxis>},
      {"scale_count", 1, ChangeQuantized<ChangeCount>},
      {"scale_drop", 1, ChangeQuantized<Drop>},
      {"scale_add", 1, AddQuantization},
      {"scale_other", 3, ExchangeQuantizations},
      {"values", 6, ChangeQuantizedValues},
  };
  return *mutations;
}

}  // namespace mace::fuzz
