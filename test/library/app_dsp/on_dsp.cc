// An app that asks for the DSP: prints what the plan says of devices, and then
// the answer to a picture.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: on_dsp GRAPH.pb WEIGHTS.data LIBRARY < 64 floats, where LIBRARY is the
// vendor's.

#include <cstdio>
#include <string>

#include "mace/public/mace.h"

int main(int argc, char** argv) {
  std::shared_ptr<float> pixels(new float[64], std::default_delete<float[]>());
  if (argc != 4 || std::fread(pixels.get(), 4, 64, stdin) != 64) return 2;
  mace::MaceEngineConfig config(mace::HEXAGON);
  mace::MaceStatus status = config.Set("dsp_library", argv[3]);
  if (status.ok()) status = config.Set("dsp_takes_all", "1");
  std::shared_ptr<mace::MaceModel> model;
  if (status.ok()) status = mace::MaceModel::Load(argv[1], argv[2], &model);
  std::shared_ptr<mace::MaceEngine> engine;
  if (status.ok()) {
    status = mace::MaceEngine::Create(model, {}, {}, config, &engine);
  }
  std::map<std::string, mace::MaceTensor> inputs, outputs;
  inputs["input"] = mace::MaceTensor({1, 1, 8, 8}, pixels);
  if (status.ok()) status = engine->Run(inputs, &outputs);
  std::string plan;
  if (status.ok()) status = engine->Dump("plan", &plan);
  if (!status.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 1;
  }
  const float* p = outputs["probabilities"].data().get();
  for (int i = 0; i < 10; ++i) std::printf("%a ", static_cast<double>(p[i]));
  std::printf("\n%s", plan.c_str());
  return 0;
}
