// Loading models from files and from memory.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/model/mace_model.h"

#include <cstring>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/file.h"
#include "mace/base/hash.h"
#include "mace/base/logging.h"
#include "mace/base/make_shared.h"
#include "mace/base/memory_reserve.h"
#include "mace/base/str_cat.h"
#include "mace/base/version.h"
#include "mace/graph/stored_weight.h"
#include "mace/runtime/model/node_names.h"
#include "mace/runtime/model/read_stream.h"
#include "mace/sealed/sealed_model.h"

namespace mace {
namespace {

constexpr std::pair<DataType, IDataType> kTypes[] = {
    {DataType::kF32, IDT_FLOAT},     {DataType::kF16, IDT_FLOAT16},
    {DataType::kBF16, IDT_BFLOAT16}, {DataType::kI32, IDT_INT32},
    {DataType::kI64, IDT_INT64},     {DataType::kI16, IDT_INT16},
    {DataType::kI8, IDT_INT8},       {DataType::kU8, IDT_UINT8},
    {DataType::kBool, IDT_BOOL},
};

// Returns the caller's array of weights: without a copy if it is aligned.
Result<WeightBytes> AlignedWeights(std::shared_ptr<const unsigned char> data,
                                   size_t size) {
  if (reinterpret_cast<uintptr_t>(data.get()) % kAlignment == 0) {
    return WeightBytes{std::move(data), size};
  }
  LOG(INFO) << "the weights are not at a 64-byte boundary: copying " << size
            << " bytes";
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(size, "aligned weights"));
  std::memcpy(buffer.data(), data.get(), size);
  auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  const auto* bytes = static_cast<const uint8_t*>(owner->data());
  return WeightBytes{std::shared_ptr<const uint8_t>(owner, bytes), size};
}

// Returns null if the path is empty.
Result<std::shared_ptr<const MappedFile>> Map(const std::string& path) {
  if (path.empty()) return std::shared_ptr<const MappedFile>();
  MACE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  return std::shared_ptr<const MappedFile>(
      MakeShared<MappedFile>(std::move(file)));
}

// Weights in memory of the process; none if the path is empty.
Result<WeightBytes> ReadWeights(const std::string& path) {
  if (path.empty()) return WeightBytes();
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        ReadIntoMemory(path, "a copy of the weights"));
  auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  const auto* bytes = static_cast<const uint8_t*>(owner->data());
  return WeightBytes{std::shared_ptr<const uint8_t>(owner, bytes),
                     owner->size()};
}

WeightBytes WeightsOf(const std::shared_ptr<const MappedFile>& file) {
  if (file == nullptr) return WeightBytes();
  return {std::shared_ptr<const uint8_t>(file, file->data()), file->size()};
}

// Returns why the two files do not load: `status`, or that they were swapped.
Status OfFiles(const std::string& graph_file, const AlignedBuffer& graph,
               const std::string& weights_file, const WeightBytes& weights,
               const Status& status) {
  const auto* bytes = static_cast<const uint8_t*>(graph.data());
  if (weights.size > 0 && !IsGraph(bytes, graph.size()) &&
      IsGraph(weights.data.get(), weights.size)) {
    return InvalidArgument("the graph and its weights are swapped: '",
                           weights_file, "' is a graph, '", graph_file,
                           "' is none; give the graph (.pb) first");
  }
  std::string message =
      StrCat("model '", graph_file, "': ", status.information());
  if (!weights_file.empty() && weights.size == 0 &&
      status.code() == Status::MACE_INVALID_ARGS) {
    message += StrCat("; '", weights_file, "' is empty");
  }
  return {status.code(), message};
}

// `open` is null for an input whose extents are all fixed.
std::vector<MaceDimension> DimensionsOf(const Shape& shape,
                                        const OpenDims* open) {
  std::vector<MaceDimension> dimensions;
  for (size_t d = 0; d < shape.size(); ++d) {
    MaceDimension dimension = {"", shape[d], shape[d]};
    if (open != nullptr) {
      if (d < open->names.size()) dimension.name = open->names[d];
      if (shape[d] < 0 && d < open->most.size()) {
        dimension.largest = open->most[d];
      }
    }
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

Result<std::unique_ptr<MaceModel::Impl>> MakeImpl(
    const uint8_t* graph, size_t graph_size, WeightBytes weights,
    const MaceModelOptions& options) {
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  if (IsSealed(graph, graph_size)) {
    return InvalidArgument(
        "the model is sealed: load it by MaceModel::LoadSealed, in C by "
        "mace_model_load_sealed, which need its key");
  }
  auto impl = std::make_unique<MaceModel::Impl>();
  MACE_ASSIGN_OR_RETURN(impl->model,
                        LoadModel(graph, graph_size, std::move(weights),
                                  {options.verify_checksum}));
  impl->hash = Hash64(graph, graph_size);
  impl->packed = MakeShared<PackedWeights>();
  impl->device_weights = MakeShared<DeviceWeights>();
  const Model& model = impl->model;
  MACE_ASSIGN_OR_RETURN(impl->settings, ReadModelSettings(model.settings));
  const Status names =
      CheckNodeNames(model.graph, impl->settings.values.float32_nodes);
  if (!names.ok()) return InvalidModel(names.information());
  MACE_RETURN_IF_ERROR(
      UsePrepacked(model, options.verify_checksum, impl->packed.get()));
  for (int id : model.graph.inputs) {
    const Value& value = model.graph.values[id];
    impl->inputs.push_back({value.name, value.type.shape,
                            ToPublic(value.type.dtype),
                            ToPublic(model.input_order.at(id)),
                            ScaleOf(value.type), ZeroPointOf(value.type)});
    const auto found = model.open_dims.find(id);
    const OpenDims* open =
        found == model.open_dims.end() ? nullptr : &found->second;
    if (open != nullptr) impl->inputs.back().shape = open->dims;
    impl->dimensions.push_back(DimensionsOf(impl->inputs.back().shape, open));
  }
  for (int id : model.graph.outputs) {
    MaceTensorInfo info;
    info.name = model.graph.values[id].name;
    info.data_format = ToPublic(model.output_order.at(id));
    const auto declared = model.declared.find(id);
    if (declared != model.declared.end()) {
      info.shape = declared->second.shape;
      info.data_type = ToPublic(declared->second.dtype);
      info.scale = ScaleOf(declared->second);
      info.zero_point = ZeroPointOf(declared->second);
    } else if (const auto stated = model.stated_outputs.find(id);
               stated != model.stated_outputs.end()) {
      info.shape = stated->second.shape;
      info.data_type = ToPublic(stated->second.dtype);
    }
    impl->outputs.push_back(std::move(info));
  }
  return impl;
}

// Makes a model of two files that were read.
Result<std::unique_ptr<MaceModel::Impl>> FromFiles(
    const std::string& graph_file, const AlignedBuffer& graph,
    const std::string& weights_file, const WeightBytes& weights,
    const MaceModelOptions& options) {
  auto impl = MakeImpl(static_cast<const uint8_t*>(graph.data()), graph.size(),
                       weights, options);
  if (impl.ok()) return impl;
  return OfFiles(graph_file, graph, weights_file, weights, impl.status());
}

// Makes a model of what a sealed one holds.
Result<std::unique_ptr<MaceModel::Impl>> MakeSealed(
    const uint8_t* bytes, size_t size, const MaceKeyCallback& get_key,
    const MaceModelOptions& options) {
  MACE_ASSIGN_OR_RETURN(UnsealedModel unsealed, Unseal(bytes, size, get_key));
  auto owner = MakeShared<AlignedBuffer>(std::move(unsealed.weights));
  const auto* weights = static_cast<const uint8_t*>(owner->data());
  return MakeImpl(static_cast<const uint8_t*>(unsealed.graph.data()),
                  unsealed.graph_bytes, {{owner, weights}, owner->size()},
                  options);
}

// The model's weights are those of a file, whose pages need not stay.
void UseFile(const std::shared_ptr<const MappedFile>& weights,
             MaceModel::Impl* impl) {
  impl->file = weights;
  if (weights == nullptr) return;
  // What the checksum read is not needed until it is packed, nor after.
  if (!impl->uses_prepacked()) weights->Release();
  impl->packed->SetRelease([weights] { weights->Release(); });
}

}  // namespace

IDataType ToPublic(DataType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == type) return theirs;
  }
  return IDT_INVALID;
}

DataType FromPublic(IDataType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  return DataType::kInvalid;
}

DataFormat ToPublic(DimensionOrder order) {
  switch (order) {
    case DimensionOrder::kNhwc:
      return DataFormat::NHWC;
    case DimensionOrder::kNchw:
      return DataFormat::NCHW;
    case DimensionOrder::kNone:
      return DataFormat::NONE;
  }
  return DataFormat::NONE;
}

float ScaleOf(const TensorType& type) {
  return type.is_quantized() ? type.quantization->scale() : 0;
}

int32_t ZeroPointOf(const TensorType& type) {
  return type.is_quantized() ? type.quantization->zero_point() : 0;
}

void MaceModel::Impl::ForgetPackedWeights() const {
  // The system calls cost more than smaller weights are worth.
  constexpr int64_t kMinBytes = 64 * 1024;
  if (file == nullptr) return;
  for (const Value& value : model.graph.values) {
    const int64_t bytes = StoredBytes(value);
    if (value.weight_id < 0 || bytes < kMinBytes) continue;
    if (packed->Has(value.weight_id)) file->Forget(value.data, bytes);
  }
}

std::shared_ptr<MaceModel> MaceModel::Impl::Wrap(std::unique_ptr<Impl> impl) {
  return std::shared_ptr<MaceModel>(new MaceModel(std::move(impl)));
}

MaceModel::MaceModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MaceModel::~MaceModel() = default;

MaceStatus MaceModel::Load(const std::string& model_file,
                           const std::string& model_data_file,
                           std::shared_ptr<MaceModel>* model,
                           const MaceModelOptions& options) {
  if (model == nullptr) return InvalidArgument("MaceModel::Load: null model");
  MACE_ASSIGN_OR_RETURN(const AlignedBuffer graph,
                        ReadIntoMemory(model_file, "a graph"));
  MACE_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> weights,
                        Map(model_data_file));
  MACE_ASSIGN_OR_RETURN(auto impl, FromFiles(model_file, graph, model_data_file,
                                             WeightsOf(weights), options));
  UseFile(weights, impl.get());
  model->reset(new MaceModel(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceModel::LoadIntoMemory(const std::string& model_file,
                                     const std::string& model_data_file,
                                     std::shared_ptr<MaceModel>* model,
                                     const MaceModelOptions& options) {
  if (model == nullptr) return InvalidArgument("LoadIntoMemory: null model");
  MACE_ASSIGN_OR_RETURN(const AlignedBuffer graph,
                        ReadIntoMemory(model_file, "a graph"));
  MACE_ASSIGN_OR_RETURN(const WeightBytes weights,
                        ReadWeights(model_data_file));
  MACE_ASSIGN_OR_RETURN(auto impl, FromFiles(model_file, graph, model_data_file,
                                             weights, options));
  model->reset(new MaceModel(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceModel::Load(const unsigned char* model_graph,
                           size_t model_graph_size,
                           const std::string& model_data_file,
                           std::shared_ptr<MaceModel>* model,
                           const MaceModelOptions& options) {
  if (model == nullptr || (model_graph == nullptr && model_graph_size > 0)) {
    return InvalidArgument("MaceModel::Load: null argument");
  }
  MACE_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> weights,
                        Map(model_data_file));
  MACE_ASSIGN_OR_RETURN(auto impl, MakeImpl(model_graph, model_graph_size,
                                            WeightsOf(weights), options));
  UseFile(weights, impl.get());
  model->reset(new MaceModel(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceModel::Load(MaceStream* model_graph, MaceStream* model_data,
                           std::shared_ptr<MaceModel>* model,
                           const MaceModelOptions& options) {
  if (model == nullptr || model_graph == nullptr) {
    return InvalidArgument("MaceModel::Load: null argument");
  }
  MACE_ASSIGN_OR_RETURN(const WeightBytes graph,
                        ReadStream(*model_graph, "the stream of the graph"));
  WeightBytes weights;
  if (model_data != nullptr) {
    MACE_ASSIGN_OR_RETURN(weights,
                          ReadStream(*model_data, "the stream of the weights"));
  }
  MACE_ASSIGN_OR_RETURN(auto impl, MakeImpl(graph.data.get(), graph.size,
                                            std::move(weights), options));
  model->reset(new MaceModel(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceModel::Load(const unsigned char* model_graph,
                           size_t model_graph_size,
                           std::shared_ptr<const unsigned char> model_data,
                           size_t model_data_size,
                           std::shared_ptr<MaceModel>* model,
                           const MaceModelOptions& options) {
  if (model == nullptr || (model_graph == nullptr && model_graph_size > 0) ||
      (model_data == nullptr && model_data_size > 0)) {
    return InvalidArgument("MaceModel::Load: null argument");
  }
  MACE_ASSIGN_OR_RETURN(WeightBytes weights,
                        AlignedWeights(std::move(model_data), model_data_size));
  MACE_ASSIGN_OR_RETURN(auto impl, MakeImpl(model_graph, model_graph_size,
                                            std::move(weights), options));
  model->reset(new MaceModel(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceModel::LoadSealed(const std::string& sealed_file,
                                 const MaceKeyCallback& get_key,
                                 std::shared_ptr<MaceModel>* model,
                                 const MaceModelOptions& options) {
  if (model == nullptr) return InvalidArgument("LoadSealed: null model");
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(sealed_file));
  auto impl = MakeSealed(file.data(), file.size(), get_key, options);
  if (!impl.ok()) {
    return {impl.status().code(),
            StrCat("model '", sealed_file, "': ", impl.status().information())};
  }
  model->reset(new MaceModel(std::move(*impl)));
  return MaceStatus();
}

MaceStatus MaceModel::LoadSealed(const unsigned char* sealed_model,
                                 size_t sealed_model_size,
                                 const MaceKeyCallback& get_key,
                                 std::shared_ptr<MaceModel>* model,
                                 const MaceModelOptions& options) {
  if (model == nullptr || (sealed_model == nullptr && sealed_model_size > 0)) {
    return InvalidArgument("LoadSealed: null argument");
  }
  MACE_ASSIGN_OR_RETURN(
      auto impl, MakeSealed(sealed_model, sealed_model_size, get_key, options));
  model->reset(new MaceModel(std::move(impl)));
  return MaceStatus();
}

const std::string& MaceModel::name() const { return impl_->model.graph.name; }
uint64_t MaceModel::hash() const { return impl_->hash; }
const std::vector<MaceTensorInfo>& MaceModel::inputs() const {
  return impl_->inputs;
}
const std::vector<MaceTensorInfo>& MaceModel::outputs() const {
  return impl_->outputs;
}
const std::vector<std::vector<MaceDimension>>& MaceModel::input_dimensions()
    const {
  return impl_->dimensions;
}

MaceTensor::MaceTensor(const std::vector<int64_t>& shape,
                       std::shared_ptr<float> data)
    : shape_(shape), data_(std::move(data)), data_type_(IDT_FLOAT) {}

MaceTensor::MaceTensor(const std::vector<int64_t>& shape,
                       std::shared_ptr<void> data, IDataType data_type)
    : shape_(shape), data_(std::move(data)), data_type_(data_type) {}

MaceTensor::MaceTensor(const std::vector<int64_t>& shape,
                       std::shared_ptr<void> memory, MemoryType memory_type)
    : shape_(shape), data_(std::move(memory)), memory_type_(memory_type) {}

const std::shared_ptr<float> MaceTensor::data() const {
  const bool is_host_float =
      data_type_ == IDT_FLOAT && memory_type_ == MemoryType::CPU_BUFFER;
  return is_host_float ? std::static_pointer_cast<float>(data_) : nullptr;
}

std::shared_ptr<float> MaceTensor::data() {
  return std::as_const(*this).data();
}

const char* MaceVersion() { return kVersion; }

}  // namespace mace
