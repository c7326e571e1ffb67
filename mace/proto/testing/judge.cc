// Comparing messages with those of protobuf, by its reflection.
// SPDX-License-Identifier: Apache-2.0

#include "mace/proto/testing/judge.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "mace/proto/mace.pb.h"
#include "mace/proto/mace_full.pb.h"
#include "mace/proto/messages.h"

namespace mace {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using stored::Fixed64;
using stored::kIsMessage;
using stored::Member;
using stored::Repeated;

constexpr std::pair<int, int> kEnumerators[] = {
    {stored::DT_INVALID, proto::DT_INVALID},
    {stored::DT_FLOAT, proto::DT_FLOAT},
    {stored::DT_UINT8, proto::DT_UINT8},
    {stored::DT_HALF, proto::DT_HALF},
    {stored::DT_INT32, proto::DT_INT32},
    {stored::DT_BFLOAT16, proto::DT_BFLOAT16},
    {stored::DT_INT16, proto::DT_INT16},
    {stored::DT_INT8, proto::DT_INT8},
    {stored::DT_BOOL, proto::DT_BOOL},
    {stored::DT_INT64, proto::DT_INT64},
    {stored::DT_INT8_BLOCKS, proto::DT_INT8_BLOCKS},
    {stored::DT_UINT4_BLOCKS, proto::DT_UINT4_BLOCKS},
    {stored::DF_NONE, proto::DF_NONE},
    {stored::DF_NHWC, proto::DF_NHWC},
    {stored::DF_NCHW, proto::DF_NCHW},
    {stored::Argument::NONE, proto::Argument::NONE},
    {stored::Argument::FLOAT, proto::Argument::FLOAT},
    {stored::Argument::INT, proto::Argument::INT},
    {stored::Argument::STRING, proto::Argument::STRING},
    {stored::Argument::FLOATS, proto::Argument::FLOATS},
    {stored::Argument::INTS, proto::Argument::INTS},
    {stored::Argument::SUBGRAPH, proto::Argument::SUBGRAPH},
};

// What protobuf calls the type of a field that is read as a T.
template <typename T>
bool IsOfType(FieldDescriptor::Type type) {
  if constexpr (kIsMessage<T>) return type == FieldDescriptor::TYPE_MESSAGE;
  if constexpr (std::is_enum_v<T>) return type == FieldDescriptor::TYPE_ENUM;
  switch (type) {
    case FieldDescriptor::TYPE_INT64:
      return std::is_same_v<T, int64_t>;
    case FieldDescriptor::TYPE_INT32:
      return std::is_same_v<T, int32_t>;
    case FieldDescriptor::TYPE_UINT64:
      return std::is_same_v<T, uint64_t>;
    case FieldDescriptor::TYPE_UINT32:
      return std::is_same_v<T, uint32_t>;
    case FieldDescriptor::TYPE_FIXED64:
      return std::is_same_v<T, Fixed64>;
    case FieldDescriptor::TYPE_BOOL:
      return std::is_same_v<T, bool>;
    case FieldDescriptor::TYPE_FLOAT:
      return std::is_same_v<T, float>;
    case FieldDescriptor::TYPE_DOUBLE:
      return std::is_same_v<T, double>;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
      return std::is_same_v<T, std::string_view>;
    default:
      return false;
  }
}

// An element of a field of protobuf's message, or its only value.
struct Theirs {
  const Message& message;
  const FieldDescriptor* field;
  int index = -1;

  template <typename One, typename Element>
  auto Get(One one, Element element) const {
    const Reflection& reflection = *message.GetReflection();
    return index < 0 ? (reflection.*one)(message, field)
                     : (reflection.*element)(message, field, index);
  }
  const Message& GetMessage() const {
    const Reflection& reflection = *message.GetReflection();
    return index < 0 ? reflection.GetMessage(message, field)
                     : reflection.GetRepeatedMessage(message, field, index);
  }
};

bool SameBits(const void* a, const void* b, size_t size) {
  return std::memcmp(a, b, size) == 0;  // NaN is itself
}

bool Same(int64_t ours, const Theirs& theirs) {
  return ours ==
         theirs.Get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64);
}
bool Same(int32_t ours, const Theirs& theirs) {
  return ours ==
         theirs.Get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32);
}
bool Same(uint64_t ours, const Theirs& theirs) {
  return ours ==
         theirs.Get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64);
}
bool Same(uint32_t ours, const Theirs& theirs) {
  return ours ==
         theirs.Get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32);
}
bool Same(Fixed64 ours, const Theirs& theirs) {
  return Same(ours.value, theirs);
}
bool Same(bool ours, const Theirs& theirs) {
  return ours == theirs.Get(&Reflection::GetBool, &Reflection::GetRepeatedBool);
}
bool Same(float ours, const Theirs& theirs) {
  const float value =
      theirs.Get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat);
  return SameBits(&ours, &value, sizeof(value));
}
bool Same(double ours, const Theirs& theirs) {
  const double value =
      theirs.Get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble);
  return SameBits(&ours, &value, sizeof(value));
}
bool Same(std::string_view ours, const Theirs& theirs) {
  return ours ==
         theirs.Get(&Reflection::GetString, &Reflection::GetRepeatedString);
}
template <typename T, typename = std::enable_if_t<std::is_enum_v<T>>>
bool Same(T ours, const Theirs& theirs) {
  return ours == theirs.Get(&Reflection::GetEnumValue,
                            &Reflection::GetRepeatedEnumValue);
}

// A visitor of fields that compares them with those of protobuf's message.
class Comparer {
 public:
  explicit Comparer(const Message& message) : message_(message) {}

  template <typename T>
  void operator()(uint32_t number, T& value) {
    Compare(number, value);
  }
  template <typename T>
  void operator()(uint32_t number, std::optional<T>& field) {
    T value = field.value_or(T());
    if (Has(number) != field.has_value()) {
      Differ(number, "is not set in both");
    } else if (field.has_value()) {
      Compare(number, value);
    }
  }
  template <typename T>
  void operator()(uint32_t number, Repeated<T>& list) {
    const Reflection& reflection = *message_.GetReflection();
    const int size = reflection.FieldSize(message_, FieldOf(number));
    if (list.size() != static_cast<size_t>(size)) {
      return Differ(number, "has another size");
    }
    int i = 0;
    for (T element : list) {
      if (i == size) return Differ(number, "has more elements than its size");
      Compare(number, element, i++);
    }
    if (i != size) Differ(number, "has fewer elements than its size");
  }
  template <typename T, typename Variant>
  void operator()(uint32_t number, Member<T, Variant> member) {
    T* value = std::get_if<T>(member.of);
    if (Has(number) != (value != nullptr)) {
      Differ(number, "is not set in both");
    } else if (value != nullptr) {
      Compare(number, *value);
    }
  }

  const std::string& difference() const { return difference_; }

 private:
  const FieldDescriptor* FieldOf(uint32_t number) const {
    return message_.GetDescriptor()->FindFieldByNumber(
        static_cast<int>(number));
  }
  bool Has(uint32_t number) const {
    return message_.GetReflection()->HasField(message_, FieldOf(number));
  }
  void Differ(uint32_t number, const std::string& how) {
    if (difference_.empty()) difference_ = FieldOf(number)->name() + " " + how;
  }

  template <typename T>
  void Compare(uint32_t number, T& value, int index = -1) {
    const Theirs theirs{message_, FieldOf(number), index};
    if constexpr (kIsMessage<T>) {
      Comparer inner(theirs.GetMessage());
      value.Fields(inner);
      if (!inner.difference().empty()) {
        Differ(number, "> " + inner.difference());
      }
    } else if (!Same(value, theirs)) {
      Differ(number, "has another value");
    }
  }

  const Message& message_;
  std::string difference_;
};

template <typename M>
std::string CompareDefinition(const Descriptor* descriptor);

// A visitor of fields that compares their definitions.
class DefinitionComparer {
 public:
  explicit DefinitionComparer(const Descriptor* descriptor)
      : descriptor_(descriptor) {}

  template <typename T>
  void operator()(uint32_t number, T&) {
    Compare<T>(number, false, false);
  }
  template <typename T>
  void operator()(uint32_t number, std::optional<T>&) {
    Compare<T>(number, false, false);
  }
  template <typename T>
  void operator()(uint32_t number, Repeated<T>&) {
    Compare<T>(number, true, false);
  }
  template <typename T, typename Variant>
  void operator()(uint32_t number, Member<T, Variant>) {
    Compare<T>(number, false, true);
  }

  std::string Finish() {
    if (num_fields_ != descriptor_->field_count()) {
      Differ("has " + std::to_string(num_fields_) + " fields of " +
             std::to_string(descriptor_->field_count()));
    }
    return difference_;
  }

 private:
  void Differ(const std::string& how) {
    if (difference_.empty()) difference_ = descriptor_->name() + " " + how;
  }

  template <typename T>
  void Compare(uint32_t number, bool repeated, bool of_oneof) {
    const std::string what = "field " + std::to_string(number) + ": ";
    const auto* field =
        descriptor_->FindFieldByNumber(static_cast<int>(number));
    if (static_cast<int>(number) <= last_) Differ(what + "is out of order");
    last_ = static_cast<int>(number);
    ++num_fields_;
    if (field == nullptr) return Differ(what + "is not in mace.proto");
    if (field->is_repeated() != repeated ||
        (field->containing_oneof() != nullptr) != of_oneof) {
      Differ(what + "is repeated or of a oneof in one of them only");
    }
    if (!IsOfType<T>(field->type())) {
      return Differ(what + "is " + field->type_name());
    }
    if constexpr (std::is_enum_v<T>) {
      for (int i = -10; i < 1000; ++i) {
        const bool known = field->enum_type()->FindValueByNumber(i) != nullptr;
        if (IsKnown(static_cast<T>(i)) == known) continue;
        Differ(what + "the number " + std::to_string(i));
      }
    } else if constexpr (kIsMessage<T>) {
      const auto inner = CompareDefinition<T>(field->message_type());
      if (!inner.empty()) Differ(what + inner);
    }
  }

  const Descriptor* descriptor_;
  std::string difference_;
  int num_fields_ = 0;
  int last_ = 0;
};

template <typename M>
std::string CompareDefinition(const Descriptor* descriptor) {
  M message;
  DefinitionComparer comparer(descriptor);
  message.Fields(comparer);
  std::string difference = comparer.Finish();
  if (!difference.empty()) return difference;
  Comparer defaults(
      *google::protobuf::MessageFactory::generated_factory()->GetPrototype(
          descriptor));
  message.Fields(defaults);
  if (defaults.difference().empty()) return "";
  return descriptor->name() + ": the default of " + defaults.difference();
}

}  // namespace

Verdict Judge(const std::string& bytes) {
  // Only the full runtime complains about text that is not UTF-8.
  const google::protobuf::LogSilencer silencer;
  Verdict verdict;
  proto::NetDef lite;
  full::NetDef theirs;
  stored::NetDef ours;
  verdict.accepted = lite.ParseFromString(bytes);
  const bool accepted = stored::Read(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &ours);
  if (accepted != verdict.accepted) {
    verdict.difference = accepted ? "only protobuf refuses the bytes"
                                  : "only protobuf accepts the bytes";
  } else if (theirs.ParseFromString(bytes) != accepted) {
    verdict.difference = "protobuf and its lite runtime differ";
  } else if (accepted) {
    Comparer comparer(theirs);
    ours.Fields(comparer);
    verdict.difference = comparer.difference();
  }
  return verdict;
}

std::string CompareDefinitions() {
  for (const auto& [ours, theirs] : kEnumerators) {
    if (ours != theirs) return "the enumerator " + std::to_string(theirs);
  }
  if (full::DataType_descriptor()->value_count() +
          full::DataFormat_descriptor()->value_count() +
          full::Argument::Type_descriptor()->value_count() !=
      static_cast<int>(std::size(kEnumerators))) {
    return "an enumerator that kEnumerators lacks";
  }
  return CompareDefinition<stored::NetDef>(full::NetDef::descriptor());
}

}  // namespace mace
