// Calls what a library may have been built without, and prints what comes back.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: absent MODELS FOLDER
// The first folder has the models digits, waiting (whose plan waits for data),
// open (whose batch each run chooses), planned (with a memory plan) and packed
// (with packed weights). Writes into the second folder.

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/public/mace_async.h"
#include "mace/public/mace_image.h"
#include "mace/public/mace_tokenizer.h"
#if __has_include("mace/public/mace_c.h")  // the library has the C API
#include "mace/public/mace_c.h"
#include "mace/public/mace_c_tokenizer.h"
#endif

namespace {

class Copy : public mace::MaceCustomOp {
 public:
  mace::MaceStatus Prepare(mace::MaceOpShapes*) override {
    return mace::MaceStatus();
  }
  mace::MaceStatus Run(const mace::MaceOpTensors&) override {
    return mace::MaceStatus();
  }
};

void Print(const char* part, const mace::MaceStatus& status) {
  std::printf("%s %d %s\n", part, static_cast<int>(status.code()),
              status.information().c_str());
}

void PrintMessage(mace::MaceLogLevel, const char* message, void*) {
  std::printf("log %s\n", message);
}

mace::MaceTensor Digit() {
  return mace::MaceTensor(
      {1, 1, 8, 8},
      std::shared_ptr<float>(new float[64](), std::default_delete<float[]>()));
}

// Creates an engine after `change` to its configuration, and runs it.
mace::MaceStatus Run(
    const std::shared_ptr<mace::MaceModel>& model,
    const std::function<mace::MaceStatus(mace::MaceEngineConfig*)>& change,
    std::string* dump) {
  mace::MaceEngineConfig config;
  mace::MaceStatus status = change(&config);
  std::shared_ptr<mace::MaceEngine> engine;
  if (status.ok()) {
    status = mace::MaceEngine::Create(model, {}, {}, config, &engine);
  }
  std::map<std::string, mace::MaceTensor> inputs, outputs;
  inputs["input"] = Digit();
  if (status.ok()) status = engine->Run(inputs, &outputs);
  if (status.ok() && dump != nullptr) status = engine->Dump("plan", dump);
  return status;
}

mace::MaceStatus RunProfiled(const std::shared_ptr<mace::MaceModel>& model) {
  std::shared_ptr<mace::MaceEngine> engine;
  mace::MaceStatus status = mace::MaceEngine::Create(
      model, {}, {}, mace::MaceEngineConfig(), &engine);
  if (!status.ok()) return status;
  std::map<std::string, mace::MaceTensor> inputs, outputs;
  inputs["input"] = Digit();
  mace::RunMetadata metadata;
  return engine->Run(inputs, &outputs, &metadata);
}

mace::MaceStatus ReportMemory(const std::shared_ptr<mace::MaceModel>& model) {
  std::shared_ptr<mace::MaceEngine> engine;
  mace::MaceStatus status = mace::MaceEngine::Create(
      model, {}, {}, mace::MaceEngineConfig(), &engine);
  mace::MaceMemoryUsage usage;
  return status.ok() ? engine->GetMemoryUsage(&usage) : status;
}

mace::MaceStatus ResetState(const std::shared_ptr<mace::MaceModel>& model) {
  std::shared_ptr<mace::MaceEngine> engine;
  mace::MaceStatus status = mace::MaceEngine::Create(
      model, {}, {}, mace::MaceEngineConfig(), &engine);
  return status.ok() ? engine->ResetState() : status;
}

mace::MaceStatus RunAsync(const std::shared_ptr<mace::MaceModel>& model) {
  std::shared_ptr<mace::MaceEngine> engine;
  mace::MaceStatus status = mace::MaceEngine::Create(
      model, {}, {}, mace::MaceEngineConfig(), &engine);
  std::shared_ptr<mace::MaceAsyncRuns> runs;
  if (status.ok()) status = mace::MaceAsyncRuns::Create(engine, 1, &runs);
  if (!status.ok()) return status;
  std::map<std::string, mace::MaceTensor> inputs;
  inputs["input"] = Digit();
  return runs->RunAsync(inputs).get().status;
}

// Loads the model of that name, and creates an engine.
mace::MaceStatus Create(const std::string& path) {
  std::shared_ptr<mace::MaceModel> model;
  mace::MaceStatus status =
      mace::MaceModel::Load(path + ".pb", path + ".data", &model);
  std::shared_ptr<mace::MaceEngine> engine;
  if (!status.ok()) return status;
  return mace::MaceEngine::Create(model, {}, {}, mace::MaceEngineConfig(),
                                  &engine);
}

// Runs a model in an arena of the app's.
mace::MaceStatus RunInArena(const std::shared_ptr<mace::MaceModel>& model) {
  size_t bytes = 0;
  mace::MaceStatus status = mace::MaceEngine::QueryArenaBytes(
      model, {}, mace::MaceEngineConfig(), &bytes);
  if (!status.ok()) return status;
  const size_t rounded = (bytes + 63) / 64 * 64;
  std::vector<char> memory(rounded + 64);
  void* arena = memory.data();
  size_t space = memory.size();
  std::align(64, rounded, arena, space);
  const auto set = [&](mace::MaceEngineConfig* config) {
    return config->SetArena(arena, rounded);
  };
  return Run(model, set, nullptr);
}

// Whether a value can be written to a file of the folder; the log says why not.
bool CanStore(const std::string& folder) {
  const auto storage = mace::FileStorageFactory(folder).CreateStorage("store");
  return storage->Insert("key", {1}) && storage->Flush() == 0;
}

// Prints what comes of each function of MaceEngineConfig.
void PrintConfigured(const std::shared_ptr<mace::MaceModel>& model) {
  const auto set_arena = [](mace::MaceEngineConfig* config) {
    alignas(64) static char buffer[1 << 22];
    return config->SetArena(buffer, sizeof(buffer));
  };
  Print("set_arena", Run(model, set_arena, nullptr));
  const auto set_plan = [](mace::MaceEngineConfig* config) {
    return config->SetOfflineMemoryPlan({});
  };
  Print("set_plan", Run(model, set_plan, nullptr));
  const auto set_guard = [](mace::MaceEngineConfig* config) {
    config->SetGuard(true);
    return mace::MaceStatus();
  };
  Print("set_guard", Run(model, set_guard, nullptr));
  const auto trace = [](mace::MaceEngineConfig* config) {
    return config->Set("tracing", "1");
  };
  Print("tracing", Run(model, trace, nullptr));

  Print("tuning",
        Run(
            model,
            [](mace::MaceEngineConfig* config) { return config->SetTuning(1); },
            nullptr));
  Print("strategies", Run(
                          model,
                          [](mace::MaceEngineConfig* config) {
                            return config->SetMemoryStrategy("SKYLINE");
                          },
                          nullptr));
  Print("check_numerics", Run(
                              model,
                              [](mace::MaceEngineConfig* config) {
                                config->SetNumericCheck(true);
                                return mace::MaceStatus();
                              },
                              nullptr));
}

// Success where a component refuses the file that it is given.
mace::MaceStatus OkIfInvalid(const mace::MaceStatus& status) {
  return status.code() == mace::MaceStatus::MACE_INVALID_MODEL
             ? mace::MaceStatus()
             : status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string models = std::string(argv[1]) + "/";
  std::shared_ptr<mace::MaceModel> model;
  mace::MaceStatus status = mace::MaceModel::Load(
      models + "digits.pb", models + "digits.data", &model);
  const auto nothing = [](mace::MaceEngineConfig*) {
    return mace::MaceStatus();
  };
  if (status.ok()) status = Run(model, nothing, nullptr);
  Print("run", status);

  Print("control_flow", Create(models + "waiting"));
  Print("open_shapes", Create(models + "open"));
  Print("memory_plans", Create(models + "planned"));
  Print("packed_weights", Create(models + "packed"));
  Print("arena", RunInArena(model));
  std::string dump;
  Print("dumps", Run(model, nothing, &dump));
  PrintConfigured(model);
  Print("profile", RunProfiled(model));
  Print("memory_usage", ReportMemory(model));
  Print("states", ResetState(model));
  Print("async", RunAsync(model));
  mace::MaceOpResolver resolver;
  Print("custom_ops", resolver.AddCustom<Copy>("Copy"));
  mace::MaceImageInput input;
  input.width = input.height = 8;
  std::unique_ptr<mace::MaceImageConverter> converter;
  Print("pictures", mace::MaceImageConverter::Create(input, &converter));
  mace::SetLogCallback(PrintMessage, nullptr, mace::MACE_LOG_WARNING);
  const mace::Capability capability = mace::GetCapability(mace::CPU, 0);
  std::printf("capability %d\n", capability.supported ? 0 : 3);
  std::printf("storage %d\n", CanStore(argv[2]) ? 0 : 3);
  // Bytes that are no sealed model: with the part, that is what is wrong.
  status = mace::MaceModel::LoadSealed(
      reinterpret_cast<const unsigned char*>("plain"), 5,
      [](const std::string&, unsigned char*) { return mace::MaceStatus(); },
      &model);
  Print("sealed", OkIfInvalid(status));
  // As little is one a tokenizer.
  const std::string plain = models + "digits.pb";
  std::shared_ptr<mace::MaceTokenizer> tokenizer;
  Print("tokenizers",
        OkIfInvalid(mace::MaceTokenizer::Load(plain, &tokenizer)));
#ifdef MACE_PUBLIC_MACE_C_H_
  mace_tokenizer_t* in_c = nullptr;
  const mace_status_t code = mace_tokenizer_load(plain.c_str(), &in_c);
  Print("tokenizers_in_c",
        OkIfInvalid(mace::MaceStatus(static_cast<mace::MaceStatus::Code>(code),
                                     mace_last_error())));
#endif
  return 0;
}
