// An app with two ops of its own, one in C++ and one in C.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: app GRAPH.pb WEIGHTS.data OPS < 24 floats. OPS is "all" or names the
// only op to register.

#include <cstdio>
#include <functional>
#include <string>

#include "running_sum.h"

extern "C" mace_op_registration_t ThresholdOp(void);

int main(int argc, char** argv) {
  std::shared_ptr<float> x(new float[24], std::default_delete<float[]>());
  if (argc < 4 || std::fread(x.get(), 4, 24, stdin) != 24) return 2;
  const std::string ops = argv[3];
  mace::MaceOpResolver resolver;
  mace::MaceStatus status;
  if (ops == "all" || ops == "RunningSum") {
    status = resolver.AddCustom<RunningSum>("com.acme.RunningSum");
  }
  if (status.ok() && (ops == "all" || ops == "Threshold")) {
    status = resolver.AddCustom(ThresholdOp());
  }
  mace::MaceEngineConfig config;
  config.SetOpResolver(resolver);
  std::shared_ptr<mace::MaceModel> model;
  std::shared_ptr<mace::MaceEngine> engine;
  if (status.ok()) status = mace::MaceModel::Load(argv[1], argv[2], &model);
  if (status.ok()) {
    status = mace::MaceEngine::Create(model, {}, {}, config, &engine);
  }
  std::map<std::string, mace::MaceTensor> inputs, outputs;
  inputs["x"] = mace::MaceTensor({1, 2, 3, 4}, x);
  if (status.ok()) status = engine->Run(inputs, &outputs);
  if (!status.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 1;
  }
  const float* y = outputs["y"].data().get();
  for (int i = 0; i < 24; ++i) std::printf("%a ", static_cast<double>(y[i]));
  return 0;
}
