// The one file that names the concrete devices.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/devices/devices.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "mace/base/components.h"
#include "mace/base/cpu_topology.h"
#include "mace/base/kernel_tests.h"
#include "mace/base/logging.h"
#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/base/thread_pool.h"
#include "mace/base/version.h"
#include "mace/cpu/cpu_device.h"
#include "mace/runtime/devices/driver_probe.h"
#include "mace/runtime/settings/gpu_context.h"
#include "mace/runtime/settings/gpu_settings.h"
#ifdef MACE_ENABLE_OPENCL
#include "mace/opencl/opencl_device.h"
#endif
#ifdef MACE_ENABLE_HEXAGON
#include "mace/hexagon/device/hexagon_device.h"
#include "mace/hexagon/nnlib/nnlib_device.h"
#endif
#ifdef MACE_HEXAGON_EMULATOR
#include "mace/hexagon/dsp_program/emulator/emulator.h"
#endif

namespace mace {

namespace {

// The store of CPU tuning results, as kProgramStore is that of programs.
constexpr char kCpuStoreName[] = "mace_cpu_tuning.bin";
// That of what was found of drivers.
constexpr char kDriverStore[] = "mace_drivers.bin";
// That of tests of micro-kernels.
constexpr char kKernelTestStore[] = "mace_kernel_tests.bin";

// The setting winograd if its tiles are the device's choice.
constexpr int kWinogradOn = 1;
constexpr int kGpuWinograd = 4;  // with fp16 the GPU uses 2

// Where engines with this configuration store compiled programs and tuning
// results. Tuning results have a file of their own if the configuration names
// one.
struct Stores {
  GpuSettings settings;
  std::string tuning_file;
};
Stores StoresOf(const MaceEngineConfig::Impl& config) {
  Stores stores = {GetGpuSettings(), config.settings.values.tuning_file};
  if (config.gpu_context == nullptr) return stores;
  const GPUContext& given = *config.gpu_context;
  if (!given.binary_paths.empty()) {
    stores.settings.binary_paths = given.binary_paths;
  }
  if (!given.storage_path.empty()) {
    stores.settings.storage_factory =
        MakeShared<FileStorageFactory>(given.storage_path);
  }
  if (stores.tuning_file.empty()) stores.tuning_file = given.parameter_path;
  return stores;
}

cpu::TunerOptions CpuTuning(const MaceEngineConfig::Impl& config) {
  const Stores stores = StoresOf(config);
  cpu::TunerOptions tuner;
  tuner.budget_micros = int64_t{1000} * config.settings.values.tuning_ms;
  if (!stores.tuning_file.empty()) {
    tuner.storage = FileStorageFactory(stores.tuning_file).CreateStorage("");
  } else if (stores.settings.storage_factory != nullptr) {
    tuner.storage =
        stores.settings.storage_factory->CreateStorage(kCpuStoreName);
  }
  return tuner;
}

// By the CPU, as tests of another one do not count.
std::string KernelTestsKey() {
  return StrCat("kernels of ", kVersion, ", ", CpuDevice::Identity());
}

// Returns where tests of micro-kernels are kept, or null, and makes those that
// an earlier process kept there count.
std::shared_ptr<KVStorage> ReadKernelTests(
    const MaceEngineConfig::Impl& config) {
  if (!kHasSelfTest || !CanTune()) return {};  // CanTune: uses stores
  const Stores stores = StoresOf(config);
  if (stores.settings.storage_factory == nullptr) return {};
  std::shared_ptr<KVStorage> storage =
      stores.settings.storage_factory->CreateStorage(kKernelTestStore);
  if (storage == nullptr) return {};
  if (storage->Load() != 0) {
    LOG(INFO) << "the kept tests of micro-kernels cannot be read; they are run "
                 "again";
    return storage;
  }
  const std::vector<unsigned char>* kept = storage->Find(KernelTestsKey());
  if (kept != nullptr) RememberKernelTests({kept->begin(), kept->end()});
  return storage;
}

// The ones of `ids` that the process may use; those of `allowed` if there are
// none.
std::vector<int> AllowedIds(const std::vector<int>& ids,
                            const std::vector<CpuCore>& allowed) {
  std::vector<int> all, found;
  for (const CpuCore& core : allowed) all.push_back(core.id);
  for (int id : ids) {
    if (Contains(all, id)) {
      found.push_back(id);
    } else {
      LOG(WARNING) << "core " << id << " is offline or outside of the "
                   << "process's CPU mask; no thread is bound to it";
    }
  }
  return found.empty() ? all : found;
}

// `alone`: the CPU is the engine's only device.
Result<std::unique_ptr<Device>> CreateCpu(const MaceEngineConfig::Impl& config,
                                          std::shared_ptr<PackedWeights> packed,
                                          bool alone) {
  MACE_RETURN_IF_ERROR(CheckThreads(config));
  const Settings& settings = config.settings.values;
  MACE_RETURN_IF_ERROR(CheckTuning(config));
  if (settings.winograd.value_or(0) >
      std::max(kWinogradOn, CpuDevice::LargestWinograd())) {
    return AbsentComponent("the setting winograd", "winograd");
  }
  const auto policy =
      static_cast<CPUAffinityPolicy>(settings.cpu_affinity_policy);
  std::vector<CpuCore> allowed = ReadCpuCores();
  RemoveForbidden(&allowed);
  const std::vector<int> cores = config.core_ids.empty()
                                     ? SelectCores(allowed, policy)
                                     : AllowedIds(config.core_ids, allowed);
  CpuOptions options;
  SetCpuOptions(settings, &options);
  if (alone && CanTune()) options.tuner = CpuTuning(config);
  options.num_threads =
      settings.num_threads > 0
          ? settings.num_threads
          : std::min(static_cast<int>(cores.size()), ThreadPool::kMaxThreads);
  options.cores = config.core_ids.empty() && policy == AFFINITY_NONE
                      ? WorkerCores::Any(allowed, options.num_threads)
                      : WorkerCores::Only(cores);
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<CpuDevice> cpu,
                        CpuDevice::Create(options, std::move(packed)));
  return std::unique_ptr<Device>(std::move(cpu));
}

#ifdef MACE_ENABLE_OPENCL
// Kernels in flight for an engine that limits the time of its kernels and does
// not say how many.
constexpr int kDefaultQueueWindow = 16;

// Sets where compiled programs and tuning results are stored.
void SetStores(const MaceEngineConfig::Impl& config, OpenclOptions& options) {
  const auto [settings, tuning_file] = StoresOf(config);
  for (const std::string& path : settings.binary_paths) {
    options.precompiled.push_back(FileStorageFactory(path).CreateStorage(""));
  }
  if (settings.storage_factory != nullptr) {
    options.storage = settings.storage_factory->CreateStorage(kProgramStore);
  }
  if (!tuning_file.empty()) {
    options.tuning_storage = FileStorageFactory(tuning_file).CreateStorage("");
  }
}

Result<std::unique_ptr<Device>> CreateGpu(const MaceEngineConfig::Impl& config,
                                          const SharedWeights& weights,
                                          std::string* /*without_effect*/) {
  const Settings& settings = config.settings.values;
  OpenclOptions options;
  options.weights = weights.on_device;
  options.fp16 = settings.gpu_data_type == "fp16_fp32";
  options.float32_nodes = {settings.float32_nodes.begin(),
                           settings.float32_nodes.end()};
  const int winograd = settings.winograd.value_or(0);
  options.max_winograd = winograd == kWinogradOn ? kGpuWinograd : winograd;
  SetStores(config, options);
  if (config.gpu_context != nullptr) {
    options.build.progress = config.gpu_context->progress;
  }
  options.build.num_threads =
      static_cast<int>(std::thread::hardware_concurrency());
  options.tuner.budget_micros =
      int64_t{1000} * config.settings.values.tuning_ms;
  options.tuner.limit_micros = settings.gpu_kernel_micros;
  options.queue_window = settings.gpu_queue_window;
  if (options.queue_window == 0 && settings.gpu_kernel_micros > 0) {
    options.queue_window = kDefaultQueueWindow;
  }
  opencl::ContextOptions context;
  context.perf_hint = static_cast<GPUPerfHint>(settings.gpu_perf_hint);
  context.priority_hint =
      static_cast<GPUPriorityHint>(settings.gpu_priority_hint);
  if (config.gpu_context != nullptr) {
    const MaceGPUHandles& given = config.gpu_context->handles;
    if ((given.context == nullptr) != (given.device == nullptr)) {
      return InvalidArgument(
          "SetOpenCLContext: give both the cl_context and the cl_device_id");
    }
    context.context = static_cast<cl_context>(given.context);
    context.device = static_cast<cl_device_id>(given.device);
  }
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<OpenclDevice> gpu,
                        OpenclDevice::Create(std::move(options), context));
  return std::unique_ptr<Device>(std::move(gpu));
}
#else
Result<std::unique_ptr<Device>> CreateGpu(const MaceEngineConfig::Impl&,
                                          const SharedWeights&, std::string*) {
  return Unsupported(
      "this library was built without the GPU: give a model of its deployment "
      "file `runtime: gpu` (in Bazel: leave out --define=opencl=false)");
}
#endif

#ifdef MACE_ENABLE_HEXAGON
// The executor of MACE for an emulator: the one that was chosen, or that of the
// environment; empty: none.
std::string DspProgram(const Settings& settings) {
#ifdef MACE_HEXAGON_EMULATOR
  if (!settings.dsp_library.empty()) return "";
  if (!settings.dsp_program.empty()) return settings.dsp_program;
  const char* const given = std::getenv("MACE_DSP_PROGRAM");
  return given == nullptr ? "" : given;
#else
  (void)settings;
  return "";
#endif
}

// Errors: MACE_UNSUPPORTED, with the cure, if there is no emulator.
Result<std::unique_ptr<Device>> CreateEmulatedDsp(const Settings& settings) {
#ifdef MACE_HEXAGON_EMULATOR
  hexagon::EmulatorOptions options;
  options.program = DspProgram(settings);
  options.command = {settings.dsp_emulator};
  options.timeout_ms = settings.dsp_timeout_ms;
  MACE_ASSIGN_OR_RETURN(auto transport, hexagon::StartEmulator(options));
  MACE_ASSIGN_OR_RETURN(auto session,
                        hexagon::Session::Create(std::move(transport)));
  CpuOptions cpu;
  SetCpuOptions(settings, &cpu);
  cpu.num_threads = 1;
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<CpuDevice> host,
                        CpuDevice::Create(cpu, MakeShared<PackedWeights>()));
  return std::unique_ptr<Device>(std::make_unique<HexagonDevice>(
      std::move(session), std::move(host), settings.dsp_takes_all,
      settings.fc_rounding == kRoundsOnce));
#else
  (void)settings;
  return Unsupported("this build of the library has no emulator");
#endif
}

// The ones of `names` that somebody chose, of settings that `dsp` lacks.
std::string WithoutEffect(const ChosenSettings& settings, const char* dsp,
                          const std::vector<std::string>& names) {
  std::string chosen;
  for (const std::string& name : names) {
    if (!settings.is_chosen(name)) continue;
    const bool is_mode = name == "nnlib_graph_mode";
    if (is_mode && settings.values.nnlib_graph_mode == 0) continue;
    chosen += StrCat(chosen.empty() ? "" : ", ", name);
  }
  if (chosen.empty()) return chosen;
  return StrCat("no effect in ", dsp, ": ", chosen);
}

// Errors: MACE_UNSUPPORTED, with the cure, if there is no way to a DSP.
Result<std::unique_ptr<Device>> CreateVendorDsp(const ChosenSettings& chosen,
                                                std::string* without_effect) {
  const Settings& settings = chosen.values;
  hexagon::nnlib::LibraryOptions options;
  if (!settings.dsp_library.empty()) options.path = settings.dsp_library;
  options.unsigned_pd = settings.dsp_unsigned_pd;
  options.corner = settings.dsp_corner;
  options.dcvs = settings.dsp_dcvs;
  options.latency_us = static_cast<uint32_t>(settings.dsp_latency_us);
  MACE_ASSIGN_OR_RETURN(auto library, hexagon::nnlib::Library::Open(options));
  std::vector<std::string> absent;
  if (!library->has_power()) {
    absent = {"dsp_corner", "dsp_dcvs", "dsp_latency_us"};
  }
  if (!library->has_modes()) absent.emplace_back("nnlib_graph_mode");
  *without_effect = WithoutEffect(chosen, "the vendor's library", absent);
  return std::unique_ptr<Device>(std::make_unique<NnlibDevice>(
      std::move(library), settings.dsp_takes_all, settings.nnlib_graph_mode));
}

Result<std::unique_ptr<Device>> CreateDsp(const MaceEngineConfig::Impl& config,
                                          const SharedWeights&,
                                          std::string* without_effect) {
  const ChosenSettings& chosen = config.settings;
  if (DspProgram(chosen.values).empty()) {
    return CreateVendorDsp(chosen, without_effect);
  }
  *without_effect = WithoutEffect(chosen, "the DSP's emulator",
                                  {"dsp_corner", "dsp_dcvs", "dsp_latency_us",
                                   "dsp_unsigned_pd", "nnlib_graph_mode"});
  return CreateEmulatedDsp(chosen.values);
}
#else
Result<std::unique_ptr<Device>> CreateDsp(const MaceEngineConfig::Impl&,
                                          const SharedWeights&, std::string*) {
  return Unsupported(
      "this library was built without the DSP: give a model of its deployment "
      "file `runtime: dsp` (in Bazel: --define=hexagon=true)");
}
#endif

std::vector<std::string> GpuLibraries(const Settings&) {
#ifdef MACE_ENABLE_OPENCL
  return OpenclDevice::DriverLibraries();
#else
  return {};
#endif
}

std::vector<std::string> DspLibraries(const Settings& settings) {
  if (!settings.dsp_library.empty()) return {settings.dsp_library};
#ifdef MACE_ENABLE_HEXAGON
  return {hexagon::nnlib::LibraryOptions().path};
#else
  return {};
#endif
}

// A device other than the CPU, and the device type by which callers request it.
struct DeviceEntry {
  DeviceType type;
  const char* name;
  const char* probe_name;  // for the helper program that tries the driver
  // The files in which its driver is looked up.
  std::vector<std::string> (*libraries)(const Settings& settings);
  // May set as Devices::without_effect. Errors: MACE_UNSUPPORTED if this
  // machine or build lacks the device.
  Result<std::unique_ptr<Device>> (*create)(
      const MaceEngineConfig::Impl& config, const SharedWeights& weights,
      std::string* without_effect);
};
constexpr DeviceEntry kDevices[] = {
    {GPU, "GPU", "gpu", GpuLibraries, CreateGpu},
    {HEXAGON, "DSP", "dsp", DspLibraries, CreateDsp},
};

// Whether this build can use a driver at all.
#if defined(MACE_ENABLE_OPENCL) || defined(MACE_ENABLE_HEXAGON)
constexpr bool kHasDrivers = true;
#else
constexpr bool kHasDrivers = false;
#endif

// Creates a device, unless its driver fails where it is tried first.
Result<std::unique_ptr<Device>> CreateSafely(
    const DeviceEntry& entry, const MaceEngineConfig::Impl& config,
    const SharedWeights& weights, std::string* without_effect) {
  const Settings& settings = config.settings.values;
  if (kHasDrivers && !settings.driver_probe.empty()) {
    DriverProbe probe;
    probe.program = settings.driver_probe;
    probe.timeout_ms = settings.driver_probe_ms;
    probe.device = entry.probe_name;
    probe.libraries = entry.libraries(settings);
    const auto& factory = StoresOf(config).settings.storage_factory;
    MACE_RETURN_IF_ERROR(CheckDriver(
        probe,
        factory == nullptr ? nullptr : factory->CreateStorage(kDriverStore)));
  }
  return entry.create(config, weights, without_effect);
}

Result<const DeviceEntry*> FindEntry(DeviceType type) {
  std::string names;
  for (const DeviceEntry& entry : kDevices) {
    if (entry.type == type) return &entry;
    names += StrCat(" or ", entry.name);
  }
  return Unsupported("device type ", std::to_string(type),
                     " is not in this build of the library; use CPU", names);
}

// The types of the devices before the CPU, in order of preference.
std::vector<DeviceType> TypesOf(const MaceEngineConfig::Impl& config) {
  if (config.device_type == CPU) return {};
  if (config.device_type == HEXAGON && config.settings.values.dsp_with_gpu) {
    return {HEXAGON, GPU};
  }
  return {config.device_type};
}

}  // namespace

void SetCpuOptions(const Settings& settings, CpuOptions* options) {
  options->float32_nodes = {settings.float32_nodes.begin(),
                            settings.float32_nodes.end()};
  const int winograd = settings.winograd.value_or(kWinogradOn);
  if (winograd != kWinogradOn) options->max_winograd = winograd;
  options->fc_rounds_once = settings.fc_rounding == kRoundsOnce;
}

Result<Devices> CreateDevices(const MaceEngineConfig::Impl& config,
                              const SharedWeights& weights) {
  Devices devices;
  for (const DeviceType type : TypesOf(config)) {
    MACE_ASSIGN_OR_RETURN(const DeviceEntry* entry, FindEntry(type));
    auto device =
        CreateSafely(*entry, config, weights, &devices.without_effect);
    if (device.ok()) {
      devices.list.push_back(std::move(*device));
    } else if (device.status() == MaceStatus::MACE_INVALID_ARGS) {
      return device.status();
    } else {
      devices.note +=
          StrCat(devices.note.empty() ? "" : "; ", "no ", entry->name,
                 ", the CPU takes over: ", device.status().information());
    }
  }
  MACE_ASSIGN_OR_RETURN(
      std::unique_ptr<Device> cpu,
      CreateCpu(config, weights.packed, devices.list.empty()));
  devices.list.push_back(std::move(cpu));
  devices.kernel_tests = ReadKernelTests(config);
  return devices;
}

void KeepKernelTests(const Devices& devices) {
  if (!kHasSelfTest || !CanTune() || devices.kernel_tests == nullptr) return;
  KVStorage& storage = *devices.kernel_tests;
  const std::string key = KernelTestsKey(), text = WriteKernelTests();
  const std::vector<unsigned char> value(text.begin(), text.end());
  const std::vector<unsigned char>* kept = storage.Find(key);
  if (kept != nullptr && *kept == value) return;
  if (!storage.Insert(key, value) || storage.Flush() != 0) {
    LOG(INFO) << "the tests of micro-kernels cannot be kept; other processes "
                 "run them again";
  }
}

}  // namespace mace
