// CheckOp's paths on the GPU: float and fp16 storage.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "mace/base/fp16.h"
#include "mace/graph/stored_weight.h"
#include "mace/opencl/driver/cl_runtime.h"
#include "mace/opencl/opencl_device.h"
#include "mace/ops/common/op.h"
#include "mace/testing/check_paths.h"
#include "mace/testing/gpu_needed.h"

namespace mace::testing {
namespace {

constexpr float kFp16Tolerance = 2e-3f;  // two roundings to 11 bits
// Of Winograd's tiles of 4x4, as docs/converter.md says it.
constexpr float kTile4Tolerance = 3e-5f;

// The most work of a case on oclgrind, which interprets every work item: the
// suite takes a minute with it and more than ten without.
constexpr int64_t kMaxWorkOnOclgrind = 6000;

// Cases of each op that has a GPU kernel: run, left to the CPU, left out.
struct Counts {
  int run = 0, refused = 0, too_large = 0;
  std::string reason;  // of the last refusal
};
std::map<std::string, Counts>& AllCounts() {
  static auto* counts = new std::map<std::string, Counts>;
  return *counts;
}

// Says at the end what the GPU did, and fails if it ran none of the cases of
// an op that it has a kernel for.
class CountsReport : public ::testing::Environment {
 public:
  void TearDown() override {
    for (const auto& [op, counts] : AllCounts()) {
      std::string line = "GPU " + op + ": " + std::to_string(counts.run) +
                         " cases run, " + std::to_string(counts.refused) +
                         " refused";
      if (counts.too_large > 0) {
        line += ", " + std::to_string(counts.too_large) + " too large";
      }
      if (counts.refused > 0) line += ", the last refused: " + counts.reason;
      std::fprintf(stderr, "%s\n", line.c_str());
      EXPECT_GT(counts.run, 0) << line;
    }
  }
};
[[maybe_unused]] const auto* const kReport =
    ::testing::AddGlobalTestEnvironment(new CountsReport);

// How kernels are chosen.
struct Choice {
  int max_winograd = 0;
  int64_t wanted_items = 0;  // OpenclOptions

  std::string ToString() const {
    return "tiles of " + std::to_string(max_winograd) + ", for " +
           std::to_string(wanted_items) + " items";
  }
};
// Kernels without teams, with teams for some of the cases, and with teams
// wherever they can have them.
constexpr int64_t kWantedItems[] = {0, 200, INT32_MAX};

// One device of each kind, or why there is none.
Result<OpenclDevice*> FindDevice(bool fp16, const Choice& choice) {
  using Made = Result<std::unique_ptr<OpenclDevice>>;
  static auto* devices = new std::map<std::tuple<bool, int, int64_t>, Made>;
  const auto key =
      std::make_tuple(fp16, choice.max_winograd, choice.wanted_items);
  auto found = devices->find(key);
  if (found == devices->end()) {
    OpenclOptions options;
    options.fp16 = fp16;
    options.max_winograd = choice.max_winograd;
    options.wanted_items = choice.wanted_items;
    options.checked = true;
    found = devices
                ->emplace(key, OpenclDevice::Create(std::move(options),
                                                    opencl::ContextOptions()))
                .first;
  }
  if (!found->second.ok()) return found->second.status();
  return found->second->get();
}

// REQUIRES: there is one.
OpenclDevice& DeviceOf(bool fp16, const Choice& choice) {
  return **FindDevice(fp16, choice);
}

bool IsOclgrind() {
  static const bool is = [] {
    const auto runtime = opencl::ClRuntime::Shared(opencl::ContextOptions());
    return runtime.ok() && (*runtime)->context().info().name.find("Oclgrind") !=
                               std::string::npos;
  }();
  return is;
}

// Multiply-adds or elements, whichever are more.
int64_t WorkOf(const Node& node, const Kernel& kernel) {
  int64_t work = kernel.macs();
  for (const TensorType& type : node.outputs) {
    work = std::max(work, NumElements(type.shape));
  }
  for (const Operand& operand : node.inputs) {
    if (operand.present() && operand.data == nullptr) {
      work = std::max(work, NumElements(operand.type.shape));
    }
  }
  return work;
}

// An image somewhat larger than its tensor, as the plan may give it, filled
// with NaN.
class TestImage {
 public:
  TestImage(OpenclDevice& device, const Extent2D& extent) : device_(device) {
    all_.dtype = DataType::kF32;
    all_.shape = {1, extent.height + 2, extent.width + 3, 4};
    auto images = device.CreateImages(
        {{{all_.shape[2], all_.shape[1]}, device.image_dtype()}});
    EXPECT_TRUE(images.ok()) << images.status().information();
    if (!images.ok()) return;
    images_ = std::move(*images);
    const std::vector<float> nan(NumElements(all_.shape), NAN);
    Convert(true, all_, const_cast<float*>(nan.data()));
  }

  Buffer buffer() const { return images_ ? images_->at(0) : Buffer(); }

  // Between `host` and the image.
  void Convert(bool upload, const TensorType& type, void* host) {
    TensorType image_type = type;
    image_type.layout = Layout::kImage;
    Node node;
    node.name = "test";
    node.op = upload ? "Upload" : "Download";
    node.inputs.push_back({upload ? type : image_type, nullptr, -1});
    node.outputs.push_back(upload ? image_type : type);
    auto kernel = device_.PrepareConvert(node);
    ASSERT_TRUE(kernel.ok()) << kernel.status().information();
    ASSERT_TRUE(device_.FinishPrepare().ok());
    RunArgs args;
    args.inputs.push_back(upload ? Buffer{host} : buffer());
    args.outputs.push_back(upload ? buffer() : Buffer{host});
    const Status status = (*kernel)->Run(args);
    EXPECT_TRUE(status.ok()) << status.information();
  }

  // Expects 0 in the components beyond the last channel, and NaN, untouched,
  // beyond the tensor.
  void CheckMargins(const TensorType& type) {
    std::vector<float> pixels(NumElements(all_.shape));
    Convert(false, all_, pixels.data());
    const opencl::Extents4 e = opencl::AsNhwc(type.shape);
    const int64_t width = all_.shape[2];
    int shown = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(pixels.size()); ++i) {
      const int64_t x = i / 4 % width, y = i / 4 / width;
      const bool outside = x >= e[2] * opencl::Blocks(e[3]) || y >= e[0] * e[1];
      const bool tail = !outside && x / e[2] * 4 + i % 4 >= e[3];
      const float v = pixels[i];
      if (outside ? std::isnan(v) : !tail || v == 0) continue;
      if (shown++ < 5) {
        ADD_FAILURE() << (outside ? "written beyond the tensor"
                                  : "not 0 beyond the last channel")
                      << ": pixel " << x << "," << y << " component " << i % 4
                      << " is " << v;
      }
    }
  }

 private:
  OpenclDevice& device_;
  TensorType all_;
  std::unique_ptr<DeviceImages> images_;
};

// The node as plans give it to the device: with weights as they are stored.
Node NodeFor(const OpCase& c, OpenclDevice& device) {
  Node node = MakeNode(c);
  EXPECT_TRUE(Infer(node).ok());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (c.inputs[i].fp16.empty() || !device.TakesFp16(node, i)) continue;
    node.inputs[i].data = c.inputs[i].fp16.data();
    node.inputs[i].stored = c.inputs[i].stored;
    node.inputs[i].stored_quantization = c.inputs[i].stored_quantization;
  }
  return node;
}

// Empty if the GPU leaves the node to the CPU, or it is too large to test.
std::vector<TestTensor> RunOnGpu(const OpCase& c, OpenclDevice& device) {
  const Node node = NodeFor(c, device);
  const auto work = device.Supports(node);
  auto prepared = device.Prepare(node);
  ExpectAgreement(work, prepared);
  Counts& counts = AllCounts()[c.op];
  if (!prepared.ok()) {
    EXPECT_EQ(prepared.status(), Status::MACE_UNSUPPORTED)
        << prepared.status().information();
    counts.reason = prepared.status().information();
    ++counts.refused;
    return {};
  }
  Kernel& kernel = **prepared;
  if (IsOclgrind() && WorkOf(node, kernel) > kMaxWorkOnOclgrind) {
    ++counts.too_large;
    return {};
  }
  ++counts.run;
  const Status finished = device.FinishPrepare();
  EXPECT_TRUE(finished.ok()) << finished.information();
  if (!finished.ok()) return {};

  RunArgs args;
  std::vector<std::unique_ptr<TestImage>> images;
  const auto add = [&](const Extent2D& extent) {
    images.push_back(std::make_unique<TestImage>(device, extent));
    return images.back()->buffer();
  };
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    args.inputs.emplace_back();
    if (kernel.input_layout(i) != Layout::kImage) continue;
    args.inputs[i] = add(*device.ImageExtentOf(c.inputs[i].type));
    auto bytes = c.inputs[i].bytes;
    images.back()->Convert(true, c.inputs[i].type, bytes.data());
  }
  for (const Extent2D& extent : kernel.scratch_images()) {
    args.images.push_back(add(extent));
  }
  const size_t first_output = images.size();
  for (const TensorType& type : node.outputs) {
    args.outputs.push_back(add(*device.ImageExtentOf(type)));
  }
  std::vector<TestTensor> outputs;
  if (!kernel.renames_only()) {
    const Status run = kernel.Run(args);
    EXPECT_TRUE(run.ok()) << run.information();
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    TestImage& image = *images[kernel.renames_only() ? 0 : first_output + i];
    TestTensor t;
    t.type = node.outputs[i];
    t.bytes.resize(Bytes(t.type));
    image.Convert(false, t.type, t.bytes.data());
    image.CheckMargins(t.type);
    outputs.push_back(std::move(t));
  }
  return outputs;
}

void RoundToFp16(TestTensor& t) {
  if (t.type.dtype != DataType::kF32) return;
  auto* values = reinterpret_cast<float*>(t.bytes.data());
  const int64_t n = NumElements(t.type.shape);
  if (t.constant && !FitsFp16(values, n)) return;
  for (int64_t i = 0; i < n; ++i) values[i] = FromFp16(ToFp16(values[i]));
}

// False if the GPU leaves the node to the CPU.
bool CheckFloat(const OpCase& c, const std::vector<TestTensor>& reference,
                float tolerance, const Choice& choice) {
  SCOPED_TRACE("GPU/float, " + choice.ToString());
  const auto outputs = RunOnGpu(c, DeviceOf(false, choice));
  if (outputs.empty()) return false;
  ExpectSame(outputs, reference, tolerance);
  return true;
}

// Whether the kernel in fp16 reads the quantized weights.
bool Reads8Bits(const OpCase& c, const Choice& choice) {
  OpenclDevice& device = DeviceOf(true, choice);
  const Node node = NodeFor(c, device);
  const auto kernel = device.Prepare(node);
  return kernel.ok() &&
         (*kernel)->variant().find(", weights i8") != std::string::npos;
}

void CheckFp16(const OpCase& c, float tolerance, const Choice& choice) {
  SCOPED_TRACE("GPU/fp16, " + choice.ToString());
  // The reference sees the inputs as the GPU does, which may read int8.
  const bool reads_int8 = Reads8Bits(c, choice);
  OpCase rounded = c;
  for (TestTensor& t : rounded.inputs) {
    if (!reads_int8 || !IsStoredQuantized(t.stored)) RoundToFp16(t);
  }
  CpuOptions reference;
  reference.reference = true;
  auto expected = RunOn(rounded, reference);
  for (TestTensor& t : expected) RoundToFp16(t);
  ExpectSame(RunOnGpu(rounded, DeviceOf(true, choice)), expected,
             std::max(tolerance, kFp16Tolerance));
}

// With MACE_TEST_GRID=small each variant of an op's kernel runs on its first
// cases only, since drivers on a CPU compile a kernel for each group size.
constexpr int kCasesInSmallGrid = 2;

bool IsBeyondGrid(const std::string& op, const std::string& variant) {
  static const bool is_small = [] {
    const char* grid = std::getenv("MACE_TEST_GRID");
    return grid != nullptr && std::string(grid) == "small";
  }();
  static auto* cases = new std::map<std::string, int>;
  return is_small && (*cases)[op + " " + variant]++ >= kCasesInSmallGrid;
}

// The kernel that such a device prepares; empty: none.
std::string VariantOf(const OpCase& c, const Choice& choice) {
  Node node = MakeNode(c);
  EXPECT_TRUE(Infer(node).ok());
  const auto kernel = DeviceOf(false, choice).Prepare(node);
  return kernel.ok() ? (*kernel)->variant() : "";
}

}  // namespace

void CheckPaths(const OpCase& c, const std::vector<TestTensor>& reference,
                float tolerance) {
  const auto device = FindDevice(false, Choice());
  if (!device.ok()) {
    FailOrSkipWithoutGpu(device.status().information());
    return;
  }
  if (!OpenclDevice::HasKernel(c.op)) return;
  std::set<std::string> seen;
  for (const int max_winograd : {0, 2}) {
    if (max_winograd > 0 && c.op != "Conv2d") continue;
    for (const int64_t wanted_items : kWantedItems) {
      const Choice choice = {max_winograd, wanted_items};
      const bool is_first = seen.empty();
      const std::string variant = VariantOf(c, choice);
      if (!seen.insert(variant).second && !is_first) continue;
      if (IsBeyondGrid(c.op, variant)) continue;
      if (!CheckFloat(c, reference, tolerance, choice)) return;
      CheckFp16(c, tolerance, choice);
      if (max_winograd == 0) continue;
      CheckFloat(c, reference, std::max(tolerance, kTile4Tolerance),
                 {4, wanted_items});
    }
  }
}

}  // namespace mace::testing
