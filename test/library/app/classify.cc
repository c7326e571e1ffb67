// The smallest app: classifies a picture of a digit with the bundled model.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: classify GRAPH.pb WEIGHTS.data < 64 floats. With -DFROM_CODE the model
// is compiled in: classify MODEL [WEIGHTS.data].

#include <cstdio>
#include <functional>

#ifdef FROM_CODE
#include "mace/public/mace_engine_factory.h"
#endif
#include "mace/public/mace.h"

// An app derives from classes of the library.
class Store : public mace::KVStorageFactory {
 public:
  std::unique_ptr<mace::KVStorage> CreateStorage(const std::string&) override {
    return nullptr;
  }
};

int main(int argc, char** argv) {
  std::shared_ptr<float> pixels(new float[64], std::default_delete<float[]>());
  if (argc < 2 || std::fread(pixels.get(), 4, 64, stdin) != 64) return 2;
  mace::SetKVStorageFactory(std::make_shared<Store>());
  std::shared_ptr<mace::MaceEngine> engine;
  const char* data = argc > 2 ? argv[2] : nullptr;
#ifdef FROM_CODE
  mace::MaceStatus status = mace::CreateMaceEngineFromCode(
      argv[1], data, {"input"}, {"probabilities"}, mace::CPU, &engine);
#else
  std::shared_ptr<mace::MaceModel> model;
  mace::MaceStatus status = mace::MaceModel::Load(argv[1], data, &model);
  if (status.ok()) {
    status = mace::MaceEngine::Create(model, {}, {}, mace::MaceEngineConfig(),
                                      &engine);
  }
#endif
  std::map<std::string, mace::MaceTensor> inputs, outputs;
  inputs["input"] = mace::MaceTensor({1, 1, 8, 8}, pixels);
  if (status.ok()) status = engine->Run(inputs, &outputs);
  if (!status.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 1;
  }
  const float* p = outputs["probabilities"].data().get();
  for (int i = 0; i < 10; ++i) std::printf("%a ", static_cast<double>(p[i]));
  return 0;
}
