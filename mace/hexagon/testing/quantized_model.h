// A small model of int8 for engines on a DSP, and what runs it.
// SPDX-License-Identifier: Apache-2.0
//
// Shared by test/hexagon/engine_test.cc (the executor in the emulator) and
// vendor_engine_test.cc (hexagon_nn's stand-in). The model:
//
//   x [1,8,8,4] --Conv2d w--> a
//                              SUM --> c --Reverse--> t --Conv2d v--> d --> p
//   z [1,8,8,4] --Conv2d w--> b        |   (or none)           Flatten [1,4096]
//                                      output                          output
//
// All images but the inputs are [1,8,8,64]; convolutions are 3x3 with SAME
// padding. Reverse is in no DSP's list of ops, so it cuts the graph into two
// regions with the CPU between them.
#ifndef MACE_HEXAGON_TESTING_QUANTIZED_MODEL_H_
#define MACE_HEXAGON_TESTING_QUANTIZED_MODEL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/testing/model_builder.h"

namespace mace::hexagon::testing {

using mace::testing::ModelBuilder;

// Sets quantization per tensor.
inline void SetQuantization(float scale, int32_t zero_point,
                            proto::Quantization* q) {
  q->add_scales(scale);
  q->add_zero_points(zero_point);
}

// The model of the drawing. The convolution by v is large enough that the DSP
// pays. Loaded once, in the constructor; engines keep the model alive.
class QuantizedModel {
 public:
  explicit QuantizedModel(bool with_reverse) {
    Input("x");
    Input("z");
    const std::vector<int64_t> same = {1, 1};
    Filter("w", {64, 4, 3, 3});
    Filter("v", {64, 64, 3, 3});
    Op("Conv2d", {"x", "w"}, "a", 0.05f,
       {{"strides", same}, {"padding", int64_t{1}}});
    Op("Conv2d", {"z", "w"}, "b", 0.05f,
       {{"strides", same}, {"padding", int64_t{1}}});
    Op("Eltwise", {"a", "b"}, "c", 0.08f, {{"type", std::string("SUM")}});
    std::string last = "c";
    if (with_reverse) {
      Op("Reverse", {"c"}, "t", 0.08f, {{"axis", std::vector<int64_t>{1}}});
      last = "t";
    }
    Op("Conv2d", {last, "v"}, "d", 0.4f,
       {{"strides", same}, {"padding", int64_t{1}}});
    Op("Flatten", {"d"}, "p", 0.4f, {{"axis", int64_t{1}}});
    b_.Output("p").Output("c");
    model_ = b_.Load();
  }

  const std::shared_ptr<MaceModel>& model() const { return model_; }

 private:
  // An int8 input of the graph.
  void Input(const std::string& name) {
    b_.Input(name, {1, 8, 8, 4});
    auto* info = b_.net().mutable_input_info(b_.net().input_info_size() - 1);
    info->set_data_type(proto::DT_INT8);
    SetQuantization(0.03f, -5, info->mutable_quantization());
  }

  // A constant int8 filter, OIHW, of pseudo-random values that are the same in
  // every run. The builder knows int32 weights: four values are written as a
  // word, and then the tensor gets its type and shape. REQUIRES: a number of
  // elements that is a multiple of 4.
  void Filter(const std::string& name, const Shape& shape) {
    const int64_t n = NumElements(shape);
    std::vector<int32_t> words(static_cast<size_t>(n / 4));
    uint32_t random = 12345;
    for (int32_t& word : words) {
      random = random * 1664525 + 1013904223;
      word = static_cast<int32_t>(random ^ (random >> 11));
    }
    b_.WeightI32(name, words);
    auto* tensor = b_.net().mutable_tensors(b_.net().tensors_size() - 1);
    tensor->set_data_type(proto::DT_INT8);
    tensor->set_data_size(n);
    tensor->clear_dims();
    for (const int64_t extent : shape) tensor->add_dims(extent);
    SetQuantization(0.002f, 0, tensor->mutable_quantization());
  }

  // A node with one int8 output of the zero point 3 and this scale. Its shape
  // is that of the drawing.
  void Op(const std::string& op, const std::vector<std::string>& inputs,
          const std::string& output, float scale, const AttrMap& attrs) {
    b_.Op(op, inputs, {output}, attrs);
    auto* added = b_.net().mutable_op(b_.net().op_size() - 1);
    added->clear_output_type();
    added->add_output_type(proto::DT_INT8);
    added->clear_output_shape();
    auto* shape = added->add_output_shape();
    const Shape extents =
        op == "Flatten" ? Shape{1, 8 * 8 * 64} : Shape{1, 8, 8, 64};
    for (const int64_t extent : extents) shape->add_dims(extent);
    SetQuantization(scale, 3, added->add_output_quantization());
  }

  ModelBuilder b_;
  std::shared_ptr<MaceModel> model_;
};

// An int8 tensor that owns its values, which are pseudo-random and the same for
// a seed. The upper bits are taken, as the lower ones of such a generator
// repeat (Numerical Recipes, "Quick and Dirty Generators").
inline MaceTensor RandomQuantized(const std::vector<int64_t>& shape,
                                  uint32_t seed) {
  const auto n = static_cast<size_t>(NumElements(shape));
  const std::shared_ptr<int8_t> data(new int8_t[n],
                                     std::default_delete<int8_t[]>());
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 1664525 + 1013904223;
    data.get()[i] = static_cast<int8_t>(seed >> 24);
  }
  return MaceTensor(shape, std::shared_ptr<void>(data), IDT_INT8);
}

// Values of the outputs by name.
using Outputs = std::map<std::string, std::vector<int8_t>>;

// Runs the engine on inputs x and z from `seed` and `seed` + 1, and copies its
// outputs to `*found`, which is empty after an error. `shape` is that of both
// inputs. `metadata` may be null.
inline MaceStatus RunOn(MaceEngine& engine, const std::vector<int64_t>& shape,
                        uint32_t seed, Outputs* found,
                        RunMetadata* metadata = nullptr) {
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status =
      engine.Run({{"x", RandomQuantized(shape, seed)},
                  {"z", RandomQuantized(shape, seed + 1)}},
                 &outputs, metadata);
  found->clear();
  for (const auto& [name, tensor] : outputs) {
    const auto* data = static_cast<const int8_t*>(tensor.raw_data().get());
    if (!status.ok()) break;
    (*found)[name].assign(data, data + NumElements(tensor.shape()));
  }
  return status;
}

// Creates engines under memory limits from too little to more than enough, 4 KB
// to 1 MB in steps of a quarter, and runs those that there are. Either memory
// ran out with MACE_OUT_OF_RESOURCES, or `check` gets the engine and what it
// computed: null if the run found no memory. So no limit makes wrong results, a
// crash or another error. Returns how many engines were refused.
template <typename Check>
inline int UnderMemoryLimits(const QuantizedModel& model,
                             const std::vector<int64_t>& shape, uint32_t seed,
                             MaceEngineConfig config, const Check& check) {
  int refused = 0;
  for (size_t limit = 4096; limit < 1 << 20; limit += limit / 4) {
    config.SetMemoryLimit(limit);
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(model.model(), {}, {}, config, &engine);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
      ++refused;
      continue;
    }
    Outputs found;
    const MaceStatus ran = RunOn(*engine, shape, seed, &found);
    if (!ran.ok()) {  // the outputs have no room any more
      EXPECT_EQ(ran.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
    }
    check(*engine, ran.ok() ? &found : nullptr);
  }
  return refused;
}

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_QUANTIZED_MODEL_H_
