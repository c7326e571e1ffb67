// Tables of values that tend to reveal errors, and random choices from them.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/values.h"

#include <cstring>
#include <limits>
#include <map>
#include <variant>

#include "mace/ops/common/op.h"

namespace mace::fuzz {
namespace {

constexpr int64_t kInts[] = {0,
                             1,
                             2,
                             3,
                             4,
                             5,
                             7,
                             8,
                             9,
                             15,
                             16,
                             17,
                             31,
                             32,
                             63,
                             64,
                             65,
                             100,
                             127,
                             128,
                             255,
                             256,
                             1000,
                             1024,
                             4096,
                             65535,
                             65536,
                             1000000,
                             1 << 24,
                             INT32_MAX,
                             INT32_MIN,
                             INT64_MAX,
                             INT64_MIN,
                             -1,
                             -2,
                             -3,
                             -8,
                             -128,
                             -65536,
                             1ll << 31,
                             1ll << 32,
                             1ll << 33,
                             (1ll << 40) + 1,
                             1ll << 61,
                             1ll << 62,
                             -(1ll << 31) - 1};

constexpr float kFloats[] = {0.0f,
                             -0.0f,
                             1.0f,
                             -1.0f,
                             0.5f,
                             2.0f,
                             6.0f,
                             1e-3f,
                             1e-7f,
                             1e-40f,
                             1e10f,
                             -1e10f,
                             65504.0f,
                             65536.0f,
                             std::numeric_limits<float>::max(),
                             std::numeric_limits<float>::lowest(),
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};

const std::vector<DataType> kTypes = {
    DataType::kF32, DataType::kF16, DataType::kBF16,
    DataType::kI32, DataType::kI64, DataType::kI16,
    DataType::kI8,  DataType::kU8,  DataType::kBool};

// The texts that attributes of each name may have, in any op.
const std::map<std::string, std::vector<std::string>>& Words() {
  static const auto* words = [] {
    auto* all = new std::map<std::string, std::vector<std::string>>;
    for (const Op* op : AllOps()) {
      for (const AttrInfo& attr : op->attrs) {
        for (const Choice& choice : attr.choices) {
          const auto* text = std::get_if<std::string>(&choice.value);
          if (text != nullptr) (*all)[attr.name].push_back(*text);
        }
      }
    }
    return all;
  }();
  return *words;
}

std::vector<int64_t> PlausibleInts(const std::vector<int64_t>& initial,
                                   Random& random) {
  const int64_t size = !initial.empty() && random.Percent(70)
                           ? static_cast<int64_t>(initial.size())
                           : random.Below(5);
  std::vector<int64_t> ints;
  for (int64_t i = 0; i < size; ++i) {
    ints.push_back(random.Percent(80) ? random.Between(0, 3)
                                      : random.Between(-3, 8));
  }
  return ints;
}

template <typename Field>
void MutateList(Random& random, Field* list) {
  using T = typename Field::value_type;
  const auto value = [&]() -> T {
    if constexpr (std::is_same_v<T, float>) return AnyFloat(random);
    return static_cast<T>(AnyInt(random));
  };
  switch (random.Below(list->empty() ? 2 : 6)) {
    case 0:
      list->Add(value());
      break;
    case 1:
      list->Clear();
      for (int64_t n = random.Below(9); n > 0; --n) list->Add(value());
      break;
    case 2:
      list->RemoveLast();
      break;
    default: {
      const int i = static_cast<int>(random.Below(list->size()));
      T changed = value();
      if (random.Percent(50)) {
        if constexpr (std::is_same_v<T, float>) {
          changed = 1 - list->Get(i);
        } else {
          changed = Wrapped(list->Get(i), -1, 1);
        }
      }
      list->Set(i, changed);
    }
  }
}

template <typename T>
void Append(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

int64_t Wrapped(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                                  static_cast<uint64_t>(b) +
                              static_cast<uint64_t>(c));
}

int64_t AnyInt(Random& random) {
  if (random.Percent(50)) return random.Between(-2, 9);
  return kInts[random.Below(std::size(kInts))];
}

float AnyFloat(Random& random) {
  if (random.Percent(40)) return random.Unit();
  return kFloats[random.Below(std::size(kFloats))];
}

int64_t SmallExtent(Random& random) {
  if (random.Percent(75)) return random.Between(1, 8);
  static const std::vector<int64_t> kExtents = {0, 9, 12, 15, 16, 17, 33, 64};
  return random.Of(kExtents);
}

Shape SmallShape(Random& random, int rank) {
  Shape shape;
  for (int d = 0; d < rank; ++d) shape.push_back(SmallExtent(random));
  // The innermost extents determine which kernels run; the others only cost
  // time.
  for (int d = 0; d + 3 < rank; ++d) shape[d] = random.Between(1, 3);
  return shape;
}

Attr PlausibleAttr(const AttrInfo& attr, Random& random) {
  const Attr& initial = attr.initial;
  if (random.Percent(10)) return initial;
  if (!attr.choices.empty()) return random.Of(attr.choices).value;
  if (std::holds_alternative<int64_t>(initial)) {
    return random.Percent(75) ? random.Between(0, 3) : random.Between(-3, 8);
  }
  if (std::holds_alternative<float>(initial)) {
    return random.Percent(80) ? random.Unit() * 3 : AnyFloat(random);
  }
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&initial)) {
    return PlausibleInts(*ints, random);
  }
  if (std::holds_alternative<std::vector<float>>(initial)) {
    std::vector<float> floats;
    for (int64_t n = random.Below(4); n > 0; --n) {
      floats.push_back(std::abs(random.Unit()) * 3);
    }
    return floats;
  }
  return initial;
}

void SetAttr(const std::string& name, const Attr& value, proto::Argument* arg) {
  arg->Clear();
  arg->set_name(name);
  if (const auto* i = std::get_if<int64_t>(&value)) {
    arg->set_type(proto::Argument::INT);
    arg->set_i(*i);
  } else if (const auto* f = std::get_if<float>(&value)) {
    arg->set_type(proto::Argument::FLOAT);
    arg->set_f(*f);
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    arg->set_type(proto::Argument::STRING);
    arg->set_s(*s);
  } else if (const auto* is = std::get_if<std::vector<int64_t>>(&value)) {
    arg->set_type(proto::Argument::INTS);
    arg->mutable_ints()->Add(is->begin(), is->end());
  } else if (const auto* fs = std::get_if<std::vector<float>>(&value)) {
    arg->set_type(proto::Argument::FLOATS);
    arg->mutable_floats()->Add(fs->begin(), fs->end());
  }
}

void MutateAttr(Random& random, proto::Argument* arg) {
  switch (arg->type()) {
    case proto::Argument::FLOAT:
      arg->set_f(AnyFloat(random));
      break;
    case proto::Argument::STRING: {
      const auto found = Words().find(arg->name());
      if (found != Words().end() && random.Percent(70)) {
        arg->set_s(random.Of(found->second));
      } else {
        arg->set_s(random.Percent(50) ? Name(AnyType(random)) : "");
      }
      break;
    }
    case proto::Argument::FLOATS:
      MutateList(random, arg->mutable_floats());
      break;
    case proto::Argument::INTS:
      MutateList(random, arg->mutable_ints());
      break;
    default:
      arg->set_i(random.Percent(20) ? Wrapped(arg->i(), -1, 0)
                                    : AnyInt(random));
  }
}

proto::DataType ToProto(DataType type) {
  switch (type) {
    case DataType::kF32:
      return proto::DT_FLOAT;
    case DataType::kF16:
      return proto::DT_HALF;
    case DataType::kBF16:
      return proto::DT_BFLOAT16;
    case DataType::kI32:
      return proto::DT_INT32;
    case DataType::kI64:
      return proto::DT_INT64;
    case DataType::kI16:
      return proto::DT_INT16;
    case DataType::kI8:
      return proto::DT_INT8;
    case DataType::kU8:
      return proto::DT_UINT8;
    case DataType::kBool:
      return proto::DT_BOOL;
    case DataType::kI8Blocks:  // no tensor has them
    case DataType::kU4Blocks:
    case DataType::kInvalid:
      break;
  }
  return proto::DT_INVALID;
}

DataType AnyType(Random& random) {
  if (random.Percent(50)) return DataType::kF32;
  if (random.Percent(50)) {
    return random.Percent(50) ? DataType::kI32 : DataType::kI64;
  }
  return random.Of(kTypes);
}

std::string AnyContents(DataType type, int64_t count, Random& random) {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(count) * SizeOf(type));
  const bool extreme = random.Percent(10);
  for (int64_t i = 0; i < count; ++i) {
    switch (type) {
      case DataType::kF32:
        Append(extreme ? AnyFloat(random) : random.Unit(), &bytes);
        break;
      case DataType::kI32:
        Append(static_cast<int32_t>(extreme ? AnyInt(random)
                                            : random.Between(-1, 6)),
               &bytes);
        break;
      case DataType::kI64:
        Append(extreme ? AnyInt(random) : random.Between(-1, 6), &bytes);
        break;
      case DataType::kBool:
        Append(static_cast<uint8_t>(random.Below(2)), &bytes);
        break;
      default:
        // Floats of 16 bits between 2^-14 and 2, or any bits.
        for (size_t k = 0; k < SizeOf(type); ++k) {
          Append(static_cast<uint8_t>(random.Next() & (extreme ? 0xff : 0x3f)),
                 &bytes);
        }
    }
  }
  return bytes;
}

std::string ToHex(const std::string& bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    digits += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

std::string FromHex(const std::string& digits) {
  const auto value = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>((value(digits[i]) & 15) << 4 |
                               (value(digits[i + 1]) & 15));
  }
  return bytes;
}

std::string IntContents(DataType type, const std::vector<int64_t>& values) {
  std::string bytes;
  for (int64_t value : values) {
    if (type == DataType::kI32) {
      Append(static_cast<int32_t>(value), &bytes);
    } else {
      Append(value, &bytes);
    }
  }
  return bytes;
}

}  // namespace mace::fuzz
