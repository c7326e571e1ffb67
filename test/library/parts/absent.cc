// Calls what a library may have been built without, and prints what comes back.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: absent GRAPH.pb WEIGHTS.data WAITING.pb WAITING.data FOLDER
// The second model has a plan that waits for data. Writes into the folder.

#include <cstdio>
#include <functional>
#include <string>

#include "mace/public/mace.h"
#include "mace/public/mace_image.h"

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
  inputs["input"] = mace::MaceTensor(
      {1, 1, 8, 8},
      std::shared_ptr<float>(new float[64](), std::default_delete<float[]>()));
  if (status.ok()) status = engine->Run(inputs, &outputs);
  if (status.ok() && dump != nullptr) status = engine->Dump("plan", dump);
  return status;
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

// Whether a value can be written to a file of the folder; the log says why not.
bool CanStore(const std::string& folder) {
  const auto storage = mace::FileStorageFactory(folder).CreateStorage("store");
  return storage->Insert("key", {1}) && storage->Flush() == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  std::shared_ptr<mace::MaceModel> model;
  mace::MaceStatus status = mace::MaceModel::Load(argv[1], argv[2], &model);
  const auto nothing = [](mace::MaceEngineConfig*) {
    return mace::MaceStatus();
  };
  if (status.ok()) status = Run(model, nothing, nullptr);
  Print("run", status);

  std::shared_ptr<mace::MaceModel> waiting;
  std::shared_ptr<mace::MaceEngine> engine;
  status = mace::MaceModel::Load(argv[3], argv[4], &waiting);
  if (status.ok()) {
    status = mace::MaceEngine::Create(waiting, {}, {}, mace::MaceEngineConfig(),
                                      &engine);
  }
  Print("control_flow", status);

  std::string dump;
  Print("dumps", Run(model, nothing, &dump));
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
  Print("memory_usage", ReportMemory(model));
  Print("states", ResetState(model));
  mace::MaceOpResolver resolver;
  Print("custom_ops", resolver.AddCustom<Copy>("Copy"));
  mace::MaceImageInput input;
  input.width = input.height = 8;
  std::unique_ptr<mace::MaceImageConverter> converter;
  Print("pictures", mace::MaceImageConverter::Create(input, &converter));
  mace::SetLogCallback(PrintMessage, nullptr, mace::MACE_LOG_WARNING);
  const mace::Capability capability = mace::GetCapability(mace::CPU, 0);
  std::printf("capability %d\n", capability.supported ? 0 : 3);
  std::printf("storage %d\n", CanStore(argv[5]) ? 0 : 3);
  // Bytes that are no sealed model: with the part, that is what is wrong.
  status = mace::MaceModel::LoadSealed(
      reinterpret_cast<const unsigned char*>("plain"), 5,
      [](const std::string&, unsigned char*) { return mace::MaceStatus(); },
      &model);
  const bool refused = status.code() == mace::MaceStatus::MACE_INVALID_MODEL;
  Print("sealed", refused ? mace::MaceStatus() : status);
  return 0;
}
