// Floats given for quantized inputs and outputs.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

void SetQuantization(float scale, int32_t zero_point, proto::Quantization* q) {
  q->add_scales(scale);
  q->add_zero_points(zero_point);
}

// y, i8 with scale 1 and zero point 0, has the values that are nearest to x, u8
// with scale 0.5 and zero point 10.
std::shared_ptr<MaceEngine> Requantizer() {
  ModelBuilder b;
  b.Input("x", {1, 4}).Op("Quantize", {"x"}, {"y"}).Output("y");
  auto* x = b.net().mutable_input_info(0);
  x->set_data_type(proto::DT_UINT8);
  SetQuantization(0.5f, 10, x->mutable_quantization());
  auto* op = b.net().mutable_op(0);
  op->clear_output_shape();
  op->add_output_shape()->add_dims(1);
  op->mutable_output_shape(0)->add_dims(4);
  op->clear_output_type();
  op->add_output_type(proto::DT_INT8);
  SetQuantization(1, 0, op->add_output_quantization());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

template <typename T>
MaceTensor QuantizedTensor(const std::vector<T>& values, IDataType type) {
  std::shared_ptr<void> data(new T[values.size()],
                             [](void* p) { delete[] static_cast<T*>(p); });
  std::memcpy(data.get(), values.data(), values.size() * sizeof(T));
  return MaceTensor({1, static_cast<int64_t>(values.size())}, data, type);
}

std::vector<int> ValuesIn(const MaceTensor& tensor) {
  const auto* values = static_cast<const int8_t*>(tensor.raw_data().get());
  return {values[0], values[1], values[2], values[3]};
}

TEST(FloatIo, InfosHaveTheScale) {
  const auto engine = Requantizer();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->inputs()[0].data_type, IDT_UINT8);
  EXPECT_EQ(engine->inputs()[0].scale, 0.5f);
  EXPECT_EQ(engine->inputs()[0].zero_point, 10);
  EXPECT_EQ(engine->outputs()[0].data_type, IDT_INT8);
  EXPECT_EQ(engine->outputs()[0].scale, 1);
  EXPECT_EQ(engine->outputs()[0].zero_point, 0);
}

TEST(FloatIo, MisalignedFloatsAreRefused) {
  const auto engine = Requantizer();
  ASSERT_NE(engine, nullptr);
  const auto memory = std::make_shared<std::array<char, 32>>();
  const MaceTensor shifted(
      {1, 4}, std::shared_ptr<void>(memory, memory->data() + 2), IDT_FLOAT);
  std::map<std::string, MaceTensor> outputs;
  EXPECT_NE(engine->Run({{"x", shifted}}, &outputs)
                .information()
                .find("input 'x' begins inside an element"),
            std::string::npos);
  outputs = {{"y", shifted}};
  EXPECT_NE(engine->Run({{"x", FloatTensor({1, 4}, {1, 2, 3, 4})}}, &outputs)
                .information()
                .find("output 'y' begins inside an element"),
            std::string::npos);
}

TEST(FloatIo, InputsAreQuantized) {
  const auto engine = Requantizer();
  ASSERT_NE(engine, nullptr);
  // Quantized: 14, 9 (half away from zero), 255 and 0.
  const MaceTensor floats = FloatTensor(
      {1, 4}, {2, -0.25f, 1e9f, -std::numeric_limits<float>::infinity()});
  const MaceTensor quantized =
      QuantizedTensor<uint8_t>({14, 9, 255, 0}, IDT_UINT8);
  std::map<std::string, MaceTensor> of_floats, of_quantized;
  ASSERT_TRUE(engine->Run({{"x", floats}}, &of_floats).ok());
  ASSERT_TRUE(engine->Run({{"x", quantized}}, &of_quantized).ok());
  EXPECT_EQ(of_floats["y"].data_type(), IDT_INT8);
  EXPECT_EQ(ValuesIn(of_floats["y"]), (std::vector<int>{2, 0, 123, -5}));
  EXPECT_EQ(ValuesIn(of_floats["y"]), ValuesIn(of_quantized["y"]));
}

TEST(FloatIo, OutputsAreDequantized) {
  const auto engine = Requantizer();
  ASSERT_NE(engine, nullptr);
  const MaceTensor x = QuantizedTensor<uint8_t>({14, 9, 255, 0}, IDT_UINT8);
  const MaceTensor y = FloatTensor({1, 4}, {9, 9, 9, 9});
  std::map<std::string, MaceTensor> outputs = {{"y", y}};
  ASSERT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
  EXPECT_EQ(Values(y), (std::vector<float>{2, 0, 123, -5}));
  EXPECT_EQ(outputs["y"].raw_data(), y.raw_data());
}

TEST(FloatIo, OfAnotherShape) {
  const auto engine = Requantizer();
  ASSERT_NE(engine, nullptr);
  const MaceTensor y = FloatTensor({1, 2}, {7, 8});
  std::map<std::string, MaceTensor> outputs = {{"y", y}};
  // A batch of two is planned for.
  const MaceTensor x = FloatTensor({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  const MaceStatus wrong = engine->Run({{"x", x}}, &outputs);
  EXPECT_EQ(wrong.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(wrong.information().find("output 'y': expected [2,4], the tensor "
                                     "given has [1,2]"),
            std::string::npos)
      << wrong.information();
  EXPECT_EQ(Values(y), (std::vector<float>{7, 8}));
  const MaceTensor right = FloatTensor({2, 4}, std::vector<float>(8));
  outputs = {{"y", right}};
  ASSERT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
  EXPECT_EQ(Values(right), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(FloatIo, OtherTypesAreRefused) {
  const auto engine = Requantizer();
  ASSERT_NE(engine, nullptr);
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus wrong = engine->Run(
      {{"x", QuantizedTensor<int8_t>({1, 2, 3, 4}, IDT_INT8)}}, &outputs);
  EXPECT_EQ(wrong.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(wrong.information().find("input 'x' must be u8 or, to be "
                                     "quantized, f32, got i8"),
            std::string::npos)
      << wrong.information();
}

// Floats are quantized by one scale only.
TEST(FloatIo, ScalesOfAnAxisAreRefused) {
  ModelBuilder b;
  b.Input("x", {2, 2}).Op("Identity", {"x"}, {"y"}).Output("y");
  auto* x = b.net().mutable_input_info(0);
  x->set_data_type(proto::DT_UINT8);
  SetQuantization(0.5f, 10, x->mutable_quantization());
  SetQuantization(0.25f, 0, x->mutable_quantization());
  x->mutable_quantization()->set_axis(0);
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus created =
      MaceEngine::Create(b.Load(), {}, {}, MaceEngineConfig(), &engine);
  ASSERT_TRUE(created.ok()) << created.information();
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor floats = FloatTensor({2, 2}, {1, 2, 3, 4});
  const MaceStatus input = engine->Run({{"x", floats}}, &outputs);
  EXPECT_EQ(input.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(input.information().find("input 'x'"), std::string::npos)
      << input.information();
  const MaceTensor bytes(
      {2, 2}, QuantizedTensor<uint8_t>({1, 2, 3, 4}, IDT_UINT8).raw_data(),
      IDT_UINT8);
  outputs = {{"y", floats}};
  const MaceStatus output = engine->Run({{"x", bytes}}, &outputs);
  EXPECT_EQ(output.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(output.information().find("output 'y'"), std::string::npos)
      << output.information();
}

}  // namespace
}  // namespace mace::testing
