// One model, from its files to its outputs.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/run_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <system_error>

#include "mace/base/aligned_buffer.h"
#include "mace/base/file.h"
#include "mace/base/fp16.h"
#include "mace/graph/tensor_type.h"
#include "tools/mace_run/npy.h"

namespace mace::tools {
namespace {

double NowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

DeviceType DeviceOf(const std::string& name) {
  if (name == "GPU") return GPU;
  if (name == "HEXAGON") return HEXAGON;
  return CPU;
}

// A file of 32-bit words, lowest byte first.
Result<std::vector<int32_t>> ReadWords(const std::string& path) {
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  if (file.size() % 4 != 0) {
    return InvalidArgument("'" + path + "' has " + std::to_string(file.size()) +
                           " bytes, which are no 32-bit words");
  }
  std::vector<int32_t> words(file.size() / 4);
  for (size_t i = 0; i < file.size(); ++i) {
    words[i / 4] = static_cast<int32_t>(static_cast<uint32_t>(words[i / 4]) |
                                        static_cast<uint32_t>(file.data()[i])
                                            << 8 * (i % 4));
  }
  return words;
}

// Uniform in [lo, hi), rounded down for integers; the same on every platform.
Result<MaceTensor> RandomTensor(const MaceTensorInfo& info, const Job& job,
                                const Options& options) {
  MACE_ASSIGN_OR_RETURN(const int64_t n, CheckedNumElements(info.shape));
  const size_t bytes = SizeOf(info.data_type);
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::Create(static_cast<size_t>(n) * bytes, "a random input"));
  const auto owner = std::make_shared<AlignedBuffer>(std::move(buffer));
  const std::shared_ptr<char> data(owner, static_cast<char*>(owner->data()));
  std::mt19937 rng(options.seed);
  const auto own = job.input_ranges.find(info.name);
  const std::vector<float>& range =
      own == job.input_ranges.end() ? options.input_range : own->second;
  const float lo = range[0];
  const float width = range[1] - lo;
  for (int64_t i = 0; i < n; ++i) {
    const float v = lo + width * static_cast<float>(rng() >> 8) / (1 << 24);
    char* p = data.get() + i * bytes;
    switch (info.data_type) {
      case IDT_FLOAT:
        *reinterpret_cast<float*>(p) = v;
        break;
      case IDT_FLOAT16:
        *reinterpret_cast<uint16_t*>(p) = ToFp16(v);
        break;
      case IDT_INT16:
        *reinterpret_cast<int16_t*>(p) = std::floor(v);
        break;
      case IDT_INT32:
        *reinterpret_cast<int32_t*>(p) = std::floor(v);
        break;
      case IDT_INT64:
        *reinterpret_cast<int64_t*>(p) = std::floor(v);
        break;
      case IDT_BOOL:
        *p = v > lo + width / 2;
        break;
      case IDT_INT8:
      case IDT_UINT8:
        *p = static_cast<char>(std::floor(v));
        break;
      default:
        return InvalidArgument("input '" + info.name +
                               "' is of a type without random values; give it "
                               "with --input " +
                               info.name + "=file.npy");
    }
  }
  return MaceTensor(info.shape, std::shared_ptr<void>(data), info.data_type);
}

Status CheckFinite(const MaceTensor& tensor, const std::string& file) {
  if (tensor.data_type() != IDT_FLOAT) return Status();
  const int64_t n = NumElements(tensor.shape());
  for (int64_t i = 0; i < n; ++i) {
    if (std::isnan(tensor.data().get()[i])) {
      return InvalidArgument("'" + file + "' holds NaN, first at element " +
                             std::to_string(i) +
                             "; fix the input, or pass --allow_nan");
    }
  }
  return Status();
}

// Systems limit names of files to 255 bytes.
constexpr size_t kMaxOfName = 200;

// Its letters and digits; other bytes become '_'.
std::string PlainName(const std::string& tensor_name) {
  std::string s = tensor_name.substr(0, kMaxOfName);
  for (char& c : s) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z');
    if (!is_plain) c = '_';
  }
  return s;
}

Status WriteOutputs(const std::string& dir,
                    const std::map<std::string, MaceTensor>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    return InvalidArgument("cannot create the folder '" + dir +
                           "': " + error.message());
  }
  std::vector<std::string> names;
  for (const auto& [name, tensor] : outputs) names.push_back(name);
  for (const auto& [name, file] : FilesOf(names)) {
    MACE_RETURN_IF_ERROR(WriteNpy(dir + "/" + file, outputs.at(name)));
  }
  return Status();
}

Status LoadMapped(const std::string& graph, const std::string& weights,
                  std::shared_ptr<MaceModel>* model,
                  const MaceModelOptions& options) {
  return MaceModel::Load(graph, weights, model, options);
}

}  // namespace

std::map<std::string, std::string> FilesOf(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& n) { return PlainName(n) == n; });
  std::set<std::string> used;
  std::map<std::string, std::string> files;
  for (const std::string& name : names) {
    const std::string plain = PlainName(name);
    std::string own = plain;
    for (int n = 2; !used.insert(own).second; ++n) {
      own = plain + "_" + std::to_string(n);
    }
    files[name] = own + ".npy";
  }
  return files;
}

Result<std::shared_ptr<MaceModel>> LoadModelOf(const Job& job,
                                               const Options& options) {
  MaceModelOptions model_options;
  model_options.verify_checksum = options.verify_checksum;
  std::shared_ptr<MaceModel> model;
  MACE_RETURN_IF_ERROR(
      (options.into_memory ? MaceModel::LoadIntoMemory : LoadMapped)(
          job.model_file, job.model_data_file, &model, model_options));
  return model;
}

Result<MaceEngineConfig> ConfigOf(const Options& options) {
  MaceEngineConfig config(DeviceOf(options.device));
  for (const auto& [name, text] : options.settings) {
    MACE_RETURN_IF_ERROR(config.Set(name, text));
  }
  if (!options.offline_memory_plan.empty()) {
    MACE_ASSIGN_OR_RETURN(const std::vector<int32_t> words,
                          ReadWords(options.offline_memory_plan));
    MACE_RETURN_IF_ERROR(config.SetOfflineMemoryPlan(words));
  }
  GPUContextBuilder gpu;
  gpu.SetStoragePath(options.gpu_storage_path)
      .SetOpenCLBinaryPaths(options.opencl_binary_files);
  MACE_RETURN_IF_ERROR(config.SetGPUContext(gpu.Finalize()));
  return config;
}

Result<Session> Session::Open(const Job& job, const Options& options) {
  Session session;
  const double begin = NowMs();
  MACE_ASSIGN_OR_RETURN(session.model_, LoadModelOf(job, options));
  MACE_ASSIGN_OR_RETURN(const MaceEngineConfig config, ConfigOf(options));
  MACE_RETURN_IF_ERROR(MaceEngine::Create(session.model_, {}, job.outputs,
                                          config, &session.engine_));
  session.init_ms_ = NowMs() - begin;
  session.deadline_ms_ = options.deadline_ms;
  MACE_RETURN_IF_ERROR(session.LoadInputs(job, options));
  return session;
}

Status Session::LoadInputs(const Job& job, const Options& options) {
  std::map<std::string, MaceTensorInfo> infos;
  std::string names;
  for (const MaceTensorInfo& info : engine_->inputs()) {
    infos[info.name] = info;
    names += (names.empty() ? "'" : ", '") + info.name + "'";
  }
  const auto check_name = [&](const std::string& name) {
    return infos.count(name)
               ? Status()
               : InvalidArgument("there is no input named '" + name +
                                 "'; the inputs are " + names);
  };
  for (const auto& [name, shape] : job.input_shapes) {
    MACE_RETURN_IF_ERROR(check_name(name));
    infos[name].shape = shape;
  }
  for (const auto& [name, file] : job.inputs) {
    MACE_RETURN_IF_ERROR(check_name(name));
    MACE_ASSIGN_OR_RETURN(inputs_[name], ReadNpy(file));
    if (!options.allow_nan) {
      MACE_RETURN_IF_ERROR(CheckFinite(inputs_[name], file));
    }
  }
  for (const auto& [name, info] : infos) {
    if (inputs_.count(name)) continue;
    MACE_ASSIGN_OR_RETURN(inputs_[name], RandomTensor(info, job, options));
  }
  return Status();
}

Result<double> Session::Run(RunMetadata* metadata) {
  const double begin = NowMs();
  if (deadline_ms_ == 0) {
    MACE_RETURN_IF_ERROR(engine_->Run(inputs_, &outputs_, metadata));
  } else {
    const MaceDeadline deadline(static_cast<int64_t>(deadline_ms_ * 1000));
    MACE_RETURN_IF_ERROR(engine_->Run(inputs_, &outputs_, deadline, metadata));
  }
  return NowMs() - begin;
}

Result<RunResult> RunModel(const Job& job, const Options& options) {
  MACE_ASSIGN_OR_RETURN(Session session, Session::Open(job, options));
  RunResult result;
  result.init_ms = session.init_ms();
  MaceEngine& engine = session.engine();
  MACE_RETURN_IF_ERROR(engine.GetDeviceCounts(&result.created));
  for (int i = 0; i < options.warmup; ++i) {
    MACE_ASSIGN_OR_RETURN(const double ms, session.Run());
    if (i == 0) result.warmup_ms = ms;
  }
  for (int i = 0; i < options.round; ++i) {
    MACE_RETURN_IF_ERROR(engine.GetDeviceCounts(&result.before_last));
    MACE_ASSIGN_OR_RETURN(const double ms, session.Run());
    result.run_ms.push_back(ms);
  }
  MACE_RETURN_IF_ERROR(engine.GetDeviceCounts(&result.after_last));
  result.inputs = engine.inputs();
  result.outputs = engine.outputs();
  result.output_tensors = session.outputs();
  if (!options.json_file.empty()) {
    MACE_RETURN_IF_ERROR(engine.Dump("memory_json", &result.memory_json));
  }
  if (!job.output_dir.empty()) {
    MACE_RETURN_IF_ERROR(WriteOutputs(job.output_dir, result.output_tensors));
  }
  return result;
}

}  // namespace mace::tools
