// The versions of the format, settings, and parts of the format that no engine
// runs yet.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mace/model/testing/sample.h"

namespace mace {
namespace {

proto::Setting* Add(Sample& sample, const std::string& name) {
  proto::Setting* setting = sample.net.add_settings();
  setting->set_name(name);
  return setting;
}

TEST(Format, ReadsVersions1And2) {
  for (uint32_t version : {1u, 2u}) {
    Sample sample;
    sample.net.set_format_version(version);
    const auto model = sample.Load();
    EXPECT_TRUE(model.ok()) << model.status().information();
  }
}

TEST(Format, SettingsOfVersion1) {
  Sample sample;
  sample.net.set_format_version(1);
  auto* arg = sample.net.add_arg();
  arg->set_name("winograd");
  arg->set_type(proto::Argument::INT);
  arg->set_i(2);
  sample.net.add_arg()->set_name("of_another_release");
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  ASSERT_EQ(model->settings.size(), 1u);
  EXPECT_EQ(model->settings[0].name, "winograd");
  EXPECT_TRUE(model->settings[0].changes_results);
  EXPECT_EQ(model->settings[0].value, SettingValue(int64_t{2}));
}

TEST(Format, SettingsHaveTypes) {
  Sample sample;
  Add(sample, "a")->set_i(-3);
  Add(sample, "b")->set_f(0.5);
  Add(sample, "c")->set_s("");
  Add(sample, "d")->mutable_strings();
  Add(sample, "e")->mutable_strings()->add_items("x,y");
  sample.net.mutable_settings(1)->set_changes_results(true);
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  const std::vector<SettingValue> want = {int64_t{-3}, 0.5, std::string(),
                                          std::vector<std::string>(),
                                          std::vector<std::string>{"x,y"}};
  ASSERT_EQ(model->settings.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(model->settings[i].name, std::string(1, char('a' + i)));
    EXPECT_EQ(model->settings[i].value, want[i]);
    EXPECT_EQ(model->settings[i].changes_results, i == 1);
  }
}

TEST(Format, NamesThatFixTheInputShapes) {
  Sample sample;
  sample.net.add_fixed_input_shapes("If 'a'");
  sample.net.add_fixed_input_shapes("If 'b'");
  EXPECT_EQ(sample.Load()->fixed_input_shapes, "If 'a', If 'b'");
}

// A branch that reads the weight and an input of its own. The only node of the
// model uses it.
struct SubgraphSample : Sample {
  proto::Subgraph& branch = *net.add_subgraphs();

  SubgraphSample() {
    branch.set_name("then");
    *branch.add_input_info() = net.input_info(0);
    *branch.add_op() = net.op(0);
    branch.add_output_info()->set_name("y");
    Use("then");
  }
  void Use(const std::string& name) {
    auto* arg = net.mutable_op(0)->add_arg();
    arg->set_name("branch");
    arg->set_s(name);
    arg->set_type(proto::Argument::SUBGRAPH);
  }
};

// A state that keeps the model's output for the next run, and begins as a
// weight.
struct VariableSample : Sample {
  proto::Variable& state = *net.add_variables();

  VariableSample() {
    auto* tensor = state.mutable_tensor();
    tensor->set_name("state");
    tensor->add_dims(16);
    state.set_initial("w");
    state.set_next("n");
    auto* identity = net.add_op();
    identity->set_type("Identity");
    identity->set_name("n");
    identity->add_input("y");
    identity->add_output("n");
    net.mutable_op(0)->set_input(0, "state");
    net.mutable_op(0)->clear_output_shape();
    net.mutable_op(0)->clear_output_type();
  }
};

// A weight of bytes in two rows of eight, with a scale for each row.
struct QuantizedSample : Sample {
  proto::ConstTensor& w = *net.mutable_tensors(0);
  proto::Quantization& q = *w.mutable_quantization();

  QuantizedSample() {
    w.set_data_type(proto::DT_INT8);
    w.set_dims(0, 2);
    w.add_dims(8);
    q.add_scales(0.5f);
    q.add_scales(0.25f);
    q.add_zero_points(-128);
    q.add_zero_points(127);
    q.set_axis(0);
  }
};

template <typename S>
struct Case {
  const char* name;
  std::function<void(S&)> change;
  const char* message;  // a part of it
};

template <typename S, size_t n>
void Expect(const Case<S> (&cases)[n], Status::Code code) {
  for (const Case<S>& c : cases) {
    SCOPED_TRACE(c.name);
    S sample;
    c.change(sample);
    const auto model = sample.Load();
    EXPECT_EQ(model.status().code(), code);
    EXPECT_NE(model.status().information().find(c.message), std::string::npos)
        << model.status().information();
  }
}

TEST(Format, SubgraphsHaveWeightsOfTheirOwn) {
  SubgraphSample s;
  auto* outer = s.net.add_subgraphs();
  *outer = s.net.subgraphs(0);
  outer->set_name("outer");
  *outer->mutable_op(0)->add_arg() = s.net.op(0).arg(1);
  const auto model = s.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  ASSERT_NE(model->graph.subgraphs, nullptr);
  EXPECT_EQ(model->graph.subgraphs->size(), 2u);
  const Graph& branch = model->graph.subgraphs->at("then");
  ASSERT_EQ(branch.inputs.size(), 1u);
  ASSERT_EQ(branch.outputs.size(), 1u);
  int weights = 0;
  for (const Value& value : branch.values) {
    if (value.weight_id < 0) continue;
    ++weights;
    EXPECT_EQ(value.name, "w");
    EXPECT_NE(value.data, nullptr);
  }
  EXPECT_EQ(weights, 1);
}

TEST(Format, StatedOutputs) {
  Sample sample;
  sample.net.mutable_output_info(0)->clear_dims();
  sample.net.mutable_output_info(0)->add_dims(-1);
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  EXPECT_EQ(model->stated_outputs.at(model->graph.outputs[0]).shape, Shape{-1});
  sample.net.mutable_output_info(0)->set_dims(0, -2);
  EXPECT_NE(sample.Load().status().information().find("the extent -2"),
            std::string::npos);
}

TEST(Format, Variables) {
  VariableSample sample;
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  ASSERT_EQ(model->states.size(), 1u);
  const StateVariable& state = model->states[0];
  const auto& values = model->graph.values;
  EXPECT_EQ(values[state.value].name, "state");
  EXPECT_EQ(values[state.next].name, "n");
  EXPECT_EQ(values[state.initial].name, "w");
  EXPECT_EQ(model->graph.inputs.size(), 1u);  // x
  VariableSample zeros;
  zeros.state.clear_initial();
  EXPECT_EQ(zeros.Load()->states[0].initial, -1);
}

TEST(Format, QuantizationOfEveryPart) {
  QuantizedSample s;
  auto* of_input = s.net.mutable_input_info(0)->mutable_quantization();
  s.net.mutable_input_info(0)->set_data_type(proto::DT_UINT8);
  of_input->add_scales(0.125f);
  of_input->add_zero_points(255);
  s.net.mutable_op(0)->set_output_type(0, proto::DT_INT16);
  s.net.mutable_op(0)->add_output_quantization()->add_scales(2);
  const auto model = s.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  const Graph& graph = model->graph;
  const Quantization input = {{0.125f}, {255}, -1};
  EXPECT_EQ(*graph.values[graph.inputs[0]].type.quantization, input);
  const Quantization output = {{2}, {0}, -1};
  ASSERT_EQ(graph.nodes[0].node.output_quantization.size(), 1u);
  EXPECT_EQ(*graph.nodes[0].node.output_quantization[0], output);
  const Quantization weight = {{0.5f, 0.25f}, {-128, 127}, 0};
  bool found = false;
  for (const Value& value : graph.values) {
    if (value.name != "w") continue;
    found = true;
    EXPECT_EQ(*value.type.quantization, weight);
  }
  EXPECT_TRUE(found);
}

TEST(Format, BadSubgraphs) {
  const Case<SubgraphSample> cases[] = {
      {"NoName", [](auto& s) { s.branch.clear_name(); },
       "a subgraph has no name"},
      {"Twice", [](auto& s) { *s.net.add_subgraphs() = s.net.subgraphs(0); },
       "subgraph 'then': one of that name is there already"},
      {"Dangling",
       [](auto& s) { s.branch.mutable_op(0)->set_input(0, "outside"); },
       "subgraph 'then': node 'add': reads 'outside', which no weight"},
      {"HidesAWeight",
       [](auto& s) { s.branch.mutable_input_info(0)->set_name("w"); },
       "subgraph 'then': input 'w': a tensor named 'w' is there already"},
      {"NoOutputs", [](auto& s) { s.branch.clear_output_info(); },
       "subgraph 'then': it has no outputs"},
      {"UnknownOutput",
       [](auto& s) { s.branch.mutable_output_info(0)->set_name("z"); },
       "output 'z': nothing in it makes it"},
      {"Recursive",
       [](auto& s) { *s.branch.mutable_op(0)->add_arg() = s.net.op(0).arg(1); },
       "names the subgraph 'then', which is not there or comes later"},
      {"Unknown",
       [](auto& s) { s.net.mutable_op(0)->mutable_arg(1)->set_s("q"); },
       "node 'add': attribute 'branch' names the subgraph 'q'"}};
  Expect(cases, Status::MACE_INVALID_MODEL);
}

TEST(Format, BadVariables) {
  const Case<VariableSample> cases[] = {
      {"NameOfAnother",
       [](auto& s) { s.state.mutable_tensor()->set_name("x"); },
       "variable 'x': a tensor named 'x' is there already"},
      {"InitialNoWeight", [](auto& s) { s.state.set_initial("x"); },
       "variable 'state': its first value 'x' is no weight"},
      {"InitialOfAnotherType",
       [](auto& s) { s.state.mutable_tensor()->set_dims(0, 8); },
       "variable 'state': is f32[8], its first value is f32[16]"},
      {"NoNext", [](auto& s) { s.state.clear_next(); },
       "variable 'state': nothing becomes its value"},
      {"UnknownNext", [](auto& s) { s.state.set_next("z"); },
       "variable 'state': reads 'z'"},
      {"NextOfAnotherType", [](auto& s) { s.state.set_next("x"); },
       "variable 'state': is f32[16], its next value is f32[1,16]"},
      {"NextIsItself", [](auto& s) { s.state.set_next("state"); },
       "variable 'state': its next value 'state' is made by no node; put an "
       "Identity between them"},
      {"NextIsAnOutput", [](auto& s) { s.state.set_next("y"); },
       "variable 'state': its next value 'y' is an output of the model, too; "
       "put an Identity between them"},
      {"NextOfTwo",
       [](auto& s) {
         *s.net.add_variables() = s.state;
         s.net.mutable_variables(1)->mutable_tensor()->set_name("t");
         s.net.mutable_variables(1)->set_next("n");
       },
       "variable 't': its next value 'n' is that of another variable, too"}};
  Expect(cases, Status::MACE_INVALID_MODEL);
}

TEST(Format, BadQuantization) {
  const Case<QuantizedSample> cases[] = {
      {"NoScales", [](auto& s) { s.q.clear_scales(); }, "has no scales"},
      {"Float", [](auto& s) { s.w.set_data_type(proto::DT_HALF); },
       "weight 'w': f16 cannot be quantized; i8, u8, i16 and i32 can"},
      {"AxisTooLarge", [](auto& s) { s.q.set_axis(2); },
       "the axis 2, its rank is 2"},
      {"AxisNegative", [](auto& s) { s.q.set_axis(-1); }, "the axis -1"},
      {"ScalesOfAnotherAxis", [](auto& s) { s.q.set_axis(1); },
       "has 2 scales, 8 are needed"},
      {"NoAxis", [](auto& s) { s.q.clear_axis(); },
       "has 2 scales, 1 are needed"},
      {"ScaleZero", [](auto& s) { s.q.set_scales(1, 0); },
       "scales are finite and above 0"},
      {"ScaleInfinite", [](auto& s) { s.q.set_scales(0, HUGE_VALF); },
       "scales are finite and above 0"},
      {"ZeroPointCount", [](auto& s) { s.q.add_zero_points(0); },
       "3 zero points for 2 scales"},
      {"ZeroPointRange", [](auto& s) { s.q.set_zero_points(0, 128); },
       "the zero point 128, which is no i8"},
      {"OutputCount",
       [](auto& s) {
         s.net.mutable_op(0)->add_output_quantization();
         s.net.mutable_op(0)->add_output_quantization();
       },
       "the quantization of 2 outputs of 1"},
      {"OutputWithoutType",
       [](auto& s) {
         s.net.mutable_op(0)->clear_output_type();
         s.net.mutable_op(0)->add_output_quantization()->add_scales(1);
       },
       "its quantized output 'y' has no declared type"}};
  Expect(cases, Status::MACE_INVALID_MODEL);
}

TEST(Format, BadVersionsAndSettings) {
  const Case<Sample> cases[] = {
      {"None", [](auto& s) { s.net.clear_format_version(); },
       "no format version"},
      {"Zero", [](auto& s) { s.net.set_format_version(0); },
       "format version 0"},
      {"Newer", [](auto& s) { s.net.set_format_version(4); },
       "format version 4 is not known, this library reads versions 1 to 3; "
       "update the library, or convert the model with its converter"},
      {"PartOfVersion2In1",
       [](auto& s) {
         Add(s, "winograd")->set_i(2);
         s.net.set_format_version(1);
       },
       "version 1, which has no settings; convert the model again"},
      {"BlocksIn2",
       [](auto& s) {
         s.net.mutable_tensors(0)->set_stored_type(proto::DT_UINT4_BLOCKS);
       },
       "version 2, which has no weights stored as weight"},
      {"SubgraphIn1",
       [](auto& s) {
         s.net.mutable_op(0)->mutable_arg(0)->set_type(
             proto::Argument::SUBGRAPH);
         s.net.set_format_version(1);
       },
       "version 1, which has no quantization or subgraphs"},
      {"ArgumentIn2", [](auto& s) { s.net.add_arg()->set_name("winograd"); },
       "'winograd' as an argument of the whole model, which only format "
       "version"},
      {"FixedShapesIn1",
       [](auto& s) {
         s.net.set_format_version(1);
         s.net.add_arg()->set_name("fixed_input_shapes");
       },
       "'fixed_input_shapes' must name nodes of the source model"},
      {"FixedShapesNoText",
       [](auto& s) {
         s.net.set_format_version(1);
         auto* arg = s.net.add_arg();
         arg->set_name("fixed_input_shapes");
         arg->set_type(proto::Argument::STRING);
         arg->set_s("\xff");
       },
       "the setting 'fixed_input_shapes' is not UTF-8"},
      {"NoName", [](auto& s) { Add(s, "")->set_i(1); },
       "a setting has no name"},
      {"NoValue", [](auto& s) { Add(s, "q"); },
       "setting 'q': has no value of a known type"},
      {"Twice",
       [](auto& s) {
         Add(s, "q")->set_i(1);
         Add(s, "q")->set_i(1);
       },
       "setting 'q': is given twice"},
      {"NoText",
       [](auto& s) { Add(s, "q")->mutable_strings()->add_items("\xff"); },
       "setting 'q': an item is not UTF-8"}};
  Expect(cases, Status::MACE_INVALID_MODEL);
}

}  // namespace
}  // namespace mace
