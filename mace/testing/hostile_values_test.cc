// Attributes and integers of operands that are zero, negative, huge or NaN: the
// node is refused with a reason that names it, or it runs on every path.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/ops/common/op.h"
#include "mace/testing/check_paths.h"
#include "mace/testing/op_samples.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr int64_t kMaxI32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kMinI32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMaxI64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinI64 = std::numeric_limits<int64_t>::min();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// What may run here: a hostile size is fine if it is refused, or if nothing of
// that size is allocated before the memory limit of an engine is asked.
constexpr int64_t kMaxBytes = 1 << 20;
constexpr int64_t kMaxMacs = 1 << 24;

const Ints kInts = {0,       -1,      1,           kMaxI32, kMaxI32 + 1,
                    kMinI32, kMaxI64, kMaxI64 - 7, kMinI64, int64_t{1} << 32};
const Floats kFloats = {0,     -1,         kNan,   kInfinity,
                        3e38f, -kInfinity, 1e-45f, -3e38f};

// The values that an attribute of this type and default gets, its type being
// the variant's.
std::vector<Attr> HostileValues(const Attr& like) {
  std::vector<Attr> values;
  if (std::holds_alternative<int64_t>(like)) {
    for (int64_t v : kInts) values.push_back(v);
  } else if (std::holds_alternative<float>(like)) {
    for (float v : kFloats) values.push_back(v);
  } else if (std::holds_alternative<std::string>(like)) {
    values = {std::string(), std::string("no such \"value\"\n"),
              std::string(100000, 'x'), std::string("\xff\0\x80", 3)};
  } else if (const Ints* ints = std::get_if<Ints>(&like)) {
    for (int64_t v : kInts) {
      for (size_t i = 0; i < ints->size(); ++i) {
        Ints list = *ints;
        list[i] = v;
        values.push_back(list);
      }
      for (size_t size : {1u, 2u, 3u, 4u, 6u}) values.push_back(Ints(size, v));
    }
    values.push_back(Ints());
    values.push_back(Ints(10000, 1));
  } else if (const Floats* floats = std::get_if<Floats>(&like)) {
    for (float v : kFloats) {
      values.push_back(Floats(std::max<size_t>(1, floats->size()), v));
    }
    values.push_back(Floats());
    values.push_back(Floats(10000, 1));
  }
  return values;
}

std::string Shown(const Attr& attr) {
  const auto listed = [](const auto& list) {
    std::string text = std::to_string(list.size()) + " numbers:";
    for (size_t i = 0; i < list.size() && i < 8; ++i) {
      text += " " + std::to_string(list[i]);
    }
    return text;
  };
  if (auto* v = std::get_if<int64_t>(&attr)) return std::to_string(*v);
  if (auto* v = std::get_if<float>(&attr)) return std::to_string(*v);
  if (auto* v = std::get_if<Ints>(&attr)) return listed(*v);
  if (auto* v = std::get_if<Floats>(&attr)) return listed(*v);
  return std::get<std::string>(attr).substr(0, 40);
}

struct Counts {
  int refused = 0;      // by shape inference
  int unsupported = 0;  // by the device, or larger than this test runs
  int failed = 0;       // in Run
  int ran = 0;
};

void ExpectNamesNode(const Status& status, const OpCase& c) {
  const std::string& text = status.information();
  EXPECT_NE(text.find(c.op + " 'test'"), std::string::npos) << text;
  EXPECT_LT(text.size(), 2000u) << text;
}

bool IsSmall(const Node& node) {
  int64_t sum = 0;
  for (const TensorType& type : node.outputs) {
    const auto bytes = CheckedBytes(type);
    EXPECT_TRUE(bytes.ok())
        << "an accepted output whose bytes overflow: " << ToString(type);
    if (!bytes.ok() || *bytes > kMaxBytes - sum) return false;
    sum += *bytes;
  }
  return true;
}

// Runs it on one path. The memory of operands and results ends where the
// tensors end, for the sanitizers.
Status Run(const OpCase& c, const Node& node, Kernel& kernel) {
  RunArgs args;
  std::vector<std::vector<uint8_t>> memory;
  for (const TestTensor& t : c.inputs) memory.push_back(t.bytes);
  for (const TensorType& type : node.outputs) {
    memory.emplace_back(static_cast<size_t>(Bytes(type)), 0xff);
  }
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const bool absent = c.inputs[i].type.dtype == DataType::kInvalid;
    args.inputs.push_back({absent ? nullptr : memory[i].data()});
  }
  for (size_t i = c.inputs.size(); i < memory.size(); ++i) {
    args.outputs.push_back({memory[i].data()});
  }
  auto scratch = AlignedBuffer::Create(kernel.scratch_bytes());
  EXPECT_TRUE(scratch.ok());
  if (!scratch.ok()) return scratch.status();
  std::memset(scratch->data(), 0xff, scratch->size());
  args.scratch = {scratch->data()};
  return kernel.Run(args);
}

void Check(const OpCase& c, Counts* counts) {
  Node node = MakeNode(c);
  const Status inferred = Infer(node);
  if (!inferred.ok()) {
    EXPECT_EQ(inferred, Status::MACE_INVALID_MODEL) << inferred.information();
    ExpectNamesNode(inferred, c);
    ++counts->refused;
    return;
  }
  if (!IsSmall(node)) {
    ++counts->unsupported;
    return;
  }
  for (const CpuOptions& options :
       {CpuOptions{1, 0, true}, CpuOptions{2, DetectCpuFeatures(), false}}) {
    auto device = CpuDevice::Create(options, std::make_shared<PackedWeights>());
    ASSERT_TRUE(device.ok());
    auto kernel = (*device)->Prepare(node);
    ExpectAgreement((*device)->Supports(node), kernel);
    if (!kernel.ok()) {
      EXPECT_NE(kernel.status(), Status::MACE_INTERNAL_ERROR);
      ExpectNamesNode(kernel.status(), c);
      ++counts->unsupported;
      return;
    }
    if ((*kernel)->macs() > kMaxMacs ||
        (*kernel)->scratch_bytes() > 16 * kMaxBytes) {
      ++counts->unsupported;
      return;
    }
    const Status status = Run(c, node, **kernel);
    if (!status.ok()) {
      EXPECT_EQ(status, Status::MACE_INVALID_ARGS);
      ExpectNamesNode(status, c);
      ++counts->failed;
      return;
    }
  }
  ++counts->ran;
}

TEST(HostileValues, OfEveryAttribute) {
  Counts counts;
  for (const OpCase& sample : OpSamples()) {
    const Op* op = FindOp(sample.op);
    ASSERT_NE(op, nullptr);
    for (const AttrInfo& info : op->attrs) {
      const auto given = sample.attrs.find(info.name);
      const Attr like =
          given != sample.attrs.end() ? given->second : info.initial;
      for (const Attr& value : HostileValues(like)) {
        SCOPED_TRACE(sample.op + ": " + info.name + " = " + Shown(value));
        OpCase c = sample;
        c.attrs[info.name] = value;
        Check(c, &counts);
      }
    }
  }
  EXPECT_GT(counts.refused, 1000);
  EXPECT_GT(counts.ran, 500);
  std::printf("attributes: %d refused, %d not run, %d failed, %d ran\n",
              counts.refused, counts.unsupported, counts.failed, counts.ran);
}

// Operands of floats in which none, some or all are NaN or infinite.
OpCase WithFloats(OpCase c, const Floats& pattern) {
  for (TestTensor& t : c.inputs) {
    if (t.type.dtype != DataType::kF32) continue;
    for (size_t at = 0; at < t.bytes.size() / 4; ++at) {
      const float value = pattern[at % pattern.size()];
      if (value != 0) std::memcpy(t.bytes.data() + 4 * at, &value, 4);
    }
  }
  return c;
}

const std::vector<Floats> kPatterns = {
    {kNan},     {kNan, 0},
    {0, kNan},  {kNan, kInfinity, -kInfinity},
    {-kNan, 0}, {0, 0, kNan, 0, 0, 0, 0, -kInfinity}};

TEST(HostileValues, NanInEveryFloatOperand) {
  Counts counts;
  for (const OpCase& sample : OpSamples()) {
    for (const Floats& pattern : kPatterns) {
      SCOPED_TRACE(sample.op + ": " + Shown(pattern));
      Check(WithFloats(sample, pattern), &counts);
    }
  }
  EXPECT_GT(counts.ran, 300);
  std::printf("floats: %d refused, %d not run, %d failed, %d ran\n",
              counts.refused, counts.unsupported, counts.failed, counts.ran);
}

// What orders elements has the same order on every path, and never one that is
// no order: std::sort reads outside of its range then.
TEST(HostileValues, NanThroughEverySorter) {
  constexpr size_t kCount = 4000;  // beyond what is sorted by insertion
  for (const Floats& pattern : kPatterns) {
    Floats x(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      const float value = pattern[i % pattern.size()];
      x[i] = value != 0 ? value : static_cast<float>((i * 7919) % 1009);
    }
    const TestTensor row = F32({kCount}, x);
    for (const int64_t largest : {0, 1}) {
      for (const int64_t k : {int64_t{1}, int64_t{100}, int64_t{kCount}}) {
        SCOPED_TRACE("TopK " + std::to_string(k) + ": " + Shown(pattern));
        CheckOp({"TopK", {{"k", k}, {"largest", largest}}, {row}, 2});
      }
    }
    SCOPED_TRACE(Shown(pattern));
    CheckOp({"ArgMax", {}, {row}});
    CheckOp({"Unique", {}, {row}, 4});
  }
}

// A value as the attribute's type, but of another one.
TEST(HostileValues, OfAnotherType) {
  const std::vector<Attr> kOthers = {int64_t{1}, 0.5f, std::string("1"),
                                     Ints{1}, Floats{0.5f}};
  for (const OpCase& sample : OpSamples()) {
    for (const AttrInfo& info : FindOp(sample.op)->attrs) {
      for (const Attr& value : kOthers) {
        const bool same = value.index() == info.initial.index();
        const bool number = std::holds_alternative<float>(info.initial) &&
                            std::holds_alternative<int64_t>(value);
        if (same || number) continue;
        SCOPED_TRACE(sample.op + ": " + info.name + " = " + Shown(value));
        OpCase c = sample;
        c.attrs[info.name] = value;
        ExpectInferError(c, info.name);
      }
    }
  }
}

// The sample with element `at` of input `i` replaced.
OpCase WithElement(OpCase c, size_t i, size_t at, int64_t value) {
  TestTensor& t = c.inputs[i];
  if (t.type.dtype == DataType::kI64) {
    std::memcpy(t.bytes.data() + 8 * at, &value, 8);
  } else {
    const auto narrow = static_cast<int32_t>(value);
    std::memcpy(t.bytes.data() + 4 * at, &narrow, 4);
  }
  return c;
}

// Shapes, axes, bounds, counts and indices, those that are known when the model
// is planned and those that are computed while it runs.
TEST(HostileValues, OfEveryIntegerOperand) {
  Counts counts;
  for (const OpCase& sample : OpSamples()) {
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      const DataType dtype = sample.inputs[i].type.dtype;
      if (dtype != DataType::kI32 && dtype != DataType::kI64) continue;
      const int64_t count = NumElements(sample.inputs[i].type.shape);
      for (int64_t at = 0; at < count; ++at) {
        for (int64_t value : kInts) {
          SCOPED_TRACE(sample.op + ": element " + std::to_string(at) +
                       " of input " + std::to_string(i) + " = " +
                       std::to_string(value));
          OpCase c = WithElement(sample, i, static_cast<size_t>(at), value);
          Check(c, &counts);
          c.inputs[i].constant = !c.inputs[i].constant;
          Check(c, &counts);
        }
      }
    }
  }
  EXPECT_GT(counts.refused, 200);
  EXPECT_GT(counts.failed, 50);
  std::printf("operands: %d refused, %d not run, %d failed, %d ran\n",
              counts.refused, counts.unsupported, counts.failed, counts.ran);
}

}  // namespace
}  // namespace mace::testing
