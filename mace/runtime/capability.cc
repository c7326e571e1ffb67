// GetCapability: measuring a device by a small network.
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/clock.h"
#include "mace/base/logging.h"
#include "mace/base/make_shared.h"
#include "mace/base/str_cat.h"
#include "mace/plan/types/one_device.h"
#include "mace/runtime/devices/devices.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/model/mace_model.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

// Enough work for a GPU to be worth its transfers: 29 million multiply-adds in
// each of three convolutions.
constexpr int64_t kExtent = 56, kChannels = 32, kTaps = 9, kLayers = 3;
const Shape& ActivationShape() {
  static const auto* shape = new Shape{1, kExtent, kExtent, kChannels};
  return *shape;
}

constexpr float kNever = std::numeric_limits<float>::infinity();
constexpr int kMaxRuns = 5;
constexpr int64_t kEnoughMicros = 100000;

// The type of all tensors: floats, or int8.
TensorType TypeOf(bool is_8_bit, const Shape& shape) {
  if (!is_8_bit) return {DataType::kF32, shape};
  auto q = MakeShared<Quantization>();
  q->scales = {1.f / 64};
  q->zero_points = {0};
  return {DataType::kI8, shape, Layout::kRowMajor, std::move(q)};
}

int AddValue(const std::string& name, const TensorType& type, Graph& graph) {
  Value value;
  value.name = name;
  value.type = type;
  graph.values.push_back(std::move(value));
  return static_cast<int>(graph.values.size()) - 1;
}

void AddConvolution(const void* weights, int64_t index, bool is_8_bit,
                    Graph& graph) {
  const std::string name = std::to_string(index);
  const TensorType y = TypeOf(is_8_bit, ActivationShape());
  const int weight = AddValue(
      StrCat("w", name), TypeOf(is_8_bit, {kChannels, kChannels, 3, 3}), graph);
  graph.values[weight].data = weights;
  graph.values[weight].weight_id = index;
  GraphNode g;
  g.node.name = StrCat("conv", name);
  g.node.op = "Conv2d";
  g.node.attrs = {{"padding", int64_t{1}}};  // SAME
  g.node.outputs.resize(1);
  g.inputs = {graph.outputs[0], weight};
  g.node.output_quantization = {y.quantization};
  g.outputs = {AddValue(g.node.name, y, graph)};
  graph.outputs = g.outputs;
  graph.nodes.push_back(std::move(g));
}

// Convolutions whose outputs are about as large as their inputs.
Result<std::shared_ptr<MaceModel>> SmallNetwork(bool is_8_bit) {
  constexpr int64_t kElements = kChannels * kChannels * kTaps;
  constexpr size_t kBytes = kLayers * kElements * sizeof(float);
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(kBytes, "weights to measure by"));
  const auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  auto* const floats = static_cast<float*>(owner->data());
  std::fill_n(floats, kLayers * kElements, 1.f / (kChannels * kTaps));
  auto impl = std::make_unique<MaceModel::Impl>();
  Graph& graph = impl->model.graph;
  graph.inputs = {AddValue("x", TypeOf(is_8_bit, ActivationShape()), graph)};
  graph.outputs = graph.inputs;
  for (int64_t i = 0; i < kLayers; ++i) {
    AddConvolution(floats + i * kElements, i, is_8_bit, graph);
  }
  impl->model.weights = {{owner, static_cast<const uint8_t*>(owner->data())},
                         kBytes};
  impl->packed = MakeShared<PackedWeights>();
  impl->device_weights = MakeShared<DeviceWeights>();
  return MaceModel::Impl::Wrap(std::move(impl));
}

// The shortest of a few runs after one that is not counted.
Result<float> MeasureMillis(MaceEngine::Impl& engine, bool is_8_bit) {
  const size_t elements = static_cast<size_t>(NumElements(ActivationShape()));
  const std::shared_ptr<float> x(new float[elements],
                                 std::default_delete<float[]>());
  std::fill_n(x.get(), elements, 1.f);
  // As bytes they are int8, too.
  const MaceTensor tensor =
      is_8_bit
          ? MaceTensor(ActivationShape(), std::shared_ptr<void>(x), IDT_INT8)
          : MaceTensor(ActivationShape(), x);
  const std::map<std::string, MaceTensor> inputs = {{"x", tensor}};
  std::map<std::string, MaceTensor> outputs;
  MACE_RETURN_IF_ERROR(engine.Run(inputs, &outputs, nullptr, nullptr));
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t all = 0;
  for (int run = 0; run < kMaxRuns && all < kEnoughMicros; ++run) {
    const int64_t begin = NowMicros();
    MACE_RETURN_IF_ERROR(engine.Run(inputs, &outputs, nullptr, nullptr));
    const int64_t micros = NowMicros() - begin;
    least = std::min(least, micros);
    all += micros;
  }
  // The clock may not have moved.
  return static_cast<float>(std::max<int64_t>(least, 1)) / 1000;
}

// Infinity: this build has no convolution.
Result<float> Measure(const MaceEngineConfig& config, bool is_8_bit) {
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<MaceModel> model,
                        SmallNetwork(is_8_bit));
  MaceEngine::Impl engine;
  const Status created = engine.Init(std::move(model), {}, {}, config);
  if (created == Status::MACE_UNSUPPORTED) return kNever;
  MACE_RETURN_IF_ERROR(created);
  if (!engine.RunsOnFirstDevice()) {
    return RuntimeError("the device failed, and the CPU took over");
  }
  return MeasureMillis(engine, is_8_bit);
}

// What the network computes on a device, as floats; on the CPU where `device`
// is CPU. Errors: those of the engine; MACE_UNSUPPORTED if the device does not
// run all of it.
Result<std::vector<float>> OutputsOn(DeviceType device, bool is_8_bit) {
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<MaceModel> model,
                        SmallNetwork(is_8_bit));
  MaceEngineConfig config(device);
  MACE_RETURN_IF_ERROR(config.Set("driver_probe", ""));
  MACE_RETURN_IF_ERROR(config.SetRequire(device, 1));
  if (device == HEXAGON) MACE_RETURN_IF_ERROR(config.Set("dsp_takes_all", "1"));
  MaceEngine::Impl engine;
  MACE_RETURN_IF_ERROR(engine.Init(std::move(model), {}, {}, config));
  const size_t elements = static_cast<size_t>(NumElements(ActivationShape()));
  const std::shared_ptr<float> x(new float[elements],
                                 std::default_delete<float[]>());
  for (size_t i = 0; i < elements; ++i) {
    x.get()[i] = static_cast<float>(i * 7 % 13) / 16 - 0.25f;
  }
  std::map<std::string, MaceTensor> outputs;
  MACE_RETURN_IF_ERROR(engine.Run({{"x", MaceTensor(ActivationShape(), x)}},
                                  &outputs, nullptr, nullptr));
  const MaceTensor& y = outputs.begin()->second;
  if (is_8_bit) {
    const auto* values = static_cast<const int8_t*>(y.raw_data().get());
    return std::vector<float>(values, values + elements);
  }
  return std::vector<float>(y.data().get(), y.data().get() + elements);
}

// "right", or what is wrong with the device.
std::string TryDevice(DeviceType device) {
  const bool is_8_bit = device == HEXAGON;
  const auto wanted = OutputsOn(CPU, is_8_bit);
  const auto found = OutputsOn(device, is_8_bit);
  for (const auto* outputs : {&wanted, &found}) {
    if (!outputs->ok()) return outputs->status().information();
  }
  // Values are at most 1 in magnitude, and fp16 has 11 bits; 8-bit values may
  // differ by one after each of the layers.
  const float most = is_8_bit ? kLayers : 0.02f;
  for (size_t i = 0; i < wanted->size(); ++i) {
    const float difference = std::fabs((*found)[i] - (*wanted)[i]);
    if (!(difference <= most)) {
      return StrCat("it computes wrongly: ", std::to_string((*found)[i]),
                    " instead of ", std::to_string((*wanted)[i]));
    }
  }
  return "right";
}

}  // namespace

int RunDriverProbe(const std::string& device) {
  if (device != "gpu" && device != "dsp") {
    LOG(ERROR) << "RunDriverProbe: '" << device << "' is not gpu or dsp";
    return 2;
  }
  if (kOneDevice) {
    LOG(ERROR) << "RunDriverProbe: this library can use no GPU and no DSP";
    return 2;
  }
  const std::string result = TryDevice(device == "gpu" ? GPU : HEXAGON);
  // For the app, which reads it from a pipe.
  const ssize_t written = write(STDOUT_FILENO, result.data(), result.size());
  const bool is_right = result == "right";
  return is_right && written == static_cast<ssize_t>(result.size()) ? 0 : 1;
}

Capability GetCapability(DeviceType device_type, float cpu_float32_exec_time) {
  Capability capability = {{kNever}, {kNever}, false};
  const MaceEngineConfig config(device_type);
  {
    const auto devices = CreateDevices(
        *config.impl(),
        {MakeShared<PackedWeights>(), MakeShared<DeviceWeights>()});
    if (!devices.ok() || !devices->note.empty()) return capability;
  }
  // A DSP computes with int8 only.
  const bool is_8_bit = device_type == HEXAGON;
  const Result<float> millis = Measure(config, is_8_bit);
  if (!millis.ok()) return capability;
  capability.supported = true;
  const bool relative = cpu_float32_exec_time > 0;  // also false for NaN
  PerformanceInfo& performance = is_8_bit ? capability.quantized8_performance
                                          : capability.float32_performance;
  performance.exec_time = *millis / (relative ? cpu_float32_exec_time : 1.f);
  return capability;
}

}  // namespace mace
