// Each mutation changes the model, and the same number gives the same
// mutations.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mace/ops/common/op.h"
#include "test/fuzz/cases.h"
#include "test/fuzz/exercise.h"
#include "test/fuzz/new_nodes.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

// A graph of x + w, and the concatenation of x and that sum.
Seed Sample() {
  Seed seed = EmptySeed();
  seed.name = "sample";
  seed.weights = AllocateWeights(64);
  seed.bytes = 64;
  seed.net.set_data_bytes(64);
  proto::ConstTensor* w = seed.net.add_tensors();
  w->set_name("w");
  w->add_dims(4);
  w->set_data_size(4);
  w->set_offset(0);
  proto::TensorInfo* x = seed.net.add_input_info();
  x->set_name("x");
  x->add_dims(2);
  x->add_dims(4);
  proto::OperatorDef* add = seed.net.add_op();
  add->set_type("Eltwise");
  add->set_name("add");
  add->add_input("x");
  add->add_input("w");
  add->add_output("sum");
  proto::Argument* type = add->add_arg();
  type->set_name("type");
  type->set_type(proto::Argument::STRING);
  type->set_s("SUM");
  proto::OperatorDef* concat = seed.net.add_op();
  concat->set_type("Concat");
  concat->set_name("joined");
  concat->add_input("x");
  concat->add_input("sum");
  concat->add_output("y");
  seed.net.add_output_info()->set_name("y");
  EXPECT_TRUE(InferTypes(&seed));
  return seed;
}

// A quantized sum, x + w.
Seed QuantizedSample() {
  Seed seed = Sample();
  proto::NetDef& net = seed.net;
  net.mutable_op()->RemoveLast();
  const auto quantize = [](float scale, proto::Quantization* q) {
    q->add_scales(scale);
    q->add_zero_points(3);
  };
  proto::ConstTensor* w = net.mutable_tensors(0);
  w->set_data_type(proto::DT_INT8);
  quantize(0.25f, w->mutable_quantization());
  proto::TensorInfo* x = net.mutable_input_info(0);
  x->set_data_type(proto::DT_INT8);
  quantize(0.5f, x->mutable_quantization());
  proto::OperatorDef* add = net.mutable_op(0);
  quantize(0.5f, add->add_output_quantization());
  net.mutable_output_info(0)->set_name("sum");
  seed.types = {{"sum", {DataType::kI8, {2, 4}}}};
  Redeclare(seed.types, &net);
  EXPECT_TRUE(InferTypes(&seed));
  return seed;
}

// As mutations of their inputs make them: no op infers from sizes that
// overflow.
TEST(Mutate, SubgraphsWithHugeInputs) {
  Seed seed = Sample();
  proto::Subgraph* subgraph = seed.net.add_subgraphs();
  subgraph->set_name("branch");
  *subgraph->mutable_input_info() = seed.net.input_info();
  *subgraph->mutable_output_info() = seed.net.output_info();
  subgraph->mutable_input_info(0)->set_dims(0, int64_t{1} << 62);
  seed.types.clear();
  int mutated = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    Draft draft(seed);
    Random random(i);
    mutated += Mutate({&seed}, &draft, random).empty() ? 0 : 1;
  }
  EXPECT_GT(mutated, 900);
}

TEST(PlausibleAttr, IsOneOfTheChoices) {
  Random random(1);
  for (const Op* op : AllOps()) {
    for (const AttrInfo& attr : op->attrs) {
      if (attr.choices.empty()) continue;
      std::set<std::string> names;
      for (int i = 0; i < 400; ++i) {
        const Attr value = PlausibleAttr(attr, random);
        const auto found = std::find_if(
            attr.choices.begin(), attr.choices.end(),
            [&value](const Choice& c) { return c.value == value; });
        if (found != attr.choices.end()) {
          names.insert(found->name);
        } else {
          EXPECT_EQ(value, attr.initial) << op->name << " " << attr.name;
        }
      }
      EXPECT_EQ(names.size(), attr.choices.size()) << op->name << attr.name;
    }
  }
}

TEST(Mutate, SampleRuns) {
  const Seed seed = Sample();
  Draft draft(seed);
  const Outcome outcome =
      Exercise(draft.Serialize(1), seed.weights, 64, 1, Limits());
  EXPECT_EQ(outcome.stage, Outcome::kRun) << outcome.status.information();
  EXPECT_EQ(outcome.ops, (std::set<std::string>{"Eltwise", "Concat"}));
}

TEST(Mutate, SameNumberSameModel) {
  const std::vector<Seed> seeds = {Sample()};
  const Seed empty = EmptySeed();
  const SeedUrn urn(seeds);
  std::set<std::string> graphs;
  for (int64_t number = 0; number < 200; ++number) {
    const Case a = MakeCase(urn, empty, 7, number);
    const std::vector<uint8_t> weights(a.weights.get(),
                                       a.weights.get() + a.weight_bytes);
    MakeCase(urn, empty, 7, number + 1);
    const Case b = MakeCase(urn, empty, 7, number);
    EXPECT_EQ(a.graph, b.graph) << number;
    EXPECT_EQ(a.settings, b.settings) << number;
    EXPECT_EQ(weights, std::vector<uint8_t>(b.weights.get(),
                                            b.weights.get() + b.weight_bytes));
    graphs.insert(a.graph);
  }
  EXPECT_GT(graphs.size(), 195u) << "numbers make the same models";
}

// Each mutation applies to the sample and changes it, although not always at
// the first attempt.
TEST(Mutate, EachMutationChangesTheModel) {
  const auto check = [](const Seed& seed,
                        const std::vector<NamedMutation>& list) {
    const std::string before = Draft(seed).Serialize(0);
    for (const NamedMutation& mutation : list) {
      bool changed = false;
      Random random(3);
      for (int i = 0; i < 100 && !changed; ++i) {
        Draft draft(seed);
        const bool applied = mutation.apply({&seed}, &draft, random);
        changed = applied && draft.Serialize(0) != before;
      }
      EXPECT_TRUE(changed) << mutation.name;
    }
  };
  check(Sample(), NodeMutations());
  check(Sample(), ModelMutations());
  check(Sample(), FormatMutations());
  check(QuantizedSample(), QuantizationMutations());
}

// As the fuzzer does: what a mutation leaves is the next one's model and donor.
TEST(Mutate, MutatesItsOwnResults) {
  int mutated = 0;
  for (uint64_t chain = 0; chain < 100; ++chain) {
    std::string graph =
        Draft(chain % 2 ? Sample() : QuantizedSample()).Serialize(0);
    for (uint64_t step = 0; step < 60; ++step) {
      Seed seed;
      int64_t settings = 0;
      if (!ReadCase(reinterpret_cast<const uint8_t*>(graph.data()),
                    graph.size(), &seed, &settings)) {
        break;
      }
      std::string next = MutateCase(seed, chain * 1000 + step).graph;
      mutated += next != graph;
      graph = std::move(next);
    }
  }
  EXPECT_GT(mutated, 4000);
}

// Quantized nodes must declare their types, which mutations change.
TEST(Mutate, MostMutatedQuantizedModelsRun) {
  const std::vector<Seed> seeds = {QuantizedSample()};
  const Seed empty = EmptySeed();
  const SeedUrn urn(seeds);
  int quantized = 0, run = 0;
  for (int64_t number = 0; number < 400; ++number) {
    const Case c = MakeCase(urn, empty, 3, number);
    if (!c.quantized) continue;
    ++quantized;
    run += Exercise(c.graph, c.weights, c.weight_bytes, c.settings, Limits())
               .stage == Outcome::kRun;
  }
  EXPECT_GT(quantized, 200);
  EXPECT_GT(run, quantized / 4);
}

// The file holds the weights that mutations add, whatever their bytes are.
TEST(Mutate, AddedWeightsAreNoReasonToRefuse) {
  const Seed seed = Sample();
  Draft draft(seed);
  std::string bytes(64, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(251 * i);
  }
  EXPECT_EQ(FromHex(ToHex(bytes)), bytes);
  draft.SetContents(bytes, draft.net.mutable_tensors(0));
  std::copy(bytes.begin(), bytes.end(), seed.weights.get() + 64);
  const Outcome outcome =
      Exercise(draft.Serialize(1), seed.weights, 128, 1, Limits());
  EXPECT_EQ(outcome.stage, Outcome::kRun) << outcome.status.information();
}

// Among the mutated models is a variadic op with an absent operand in the
// middle.
TEST(Mutate, MakesAbsentOperands) {
  const std::vector<Seed> seeds = {Sample()};
  const Seed empty = EmptySeed();
  const SeedUrn urn(seeds);
  int found = 0;
  for (int64_t number = 0; number < 1000; ++number) {
    proto::NetDef net;
    if (!net.ParseFromString(MakeCase(urn, empty, 1, number).graph)) continue;
    for (const proto::OperatorDef& op : net.op()) {
      const bool variadic = op.type() == "Concat" || op.type() == "Stack";
      if (!variadic) continue;
      for (int i = 0; i + 1 < op.input_size(); ++i) {
        found += op.input(i).empty();
      }
    }
  }
  EXPECT_GT(found, 0);
}

// A few ops are too particular for random operands and attributes, such as
// Proposal. The summary of a long series names the ops that never ran.
TEST(GrowModel, SoundNodesOfMostOps) {
  const Seed empty = EmptySeed();
  std::set<std::string> missing;
  for (const Op* op : AllOps()) missing.insert(op->name);
  // Random nodes have no branches, and no 20 operands of the right scales.
  for (const char* op : {"If", "Loop", "QuantizedLstm"}) missing.erase(op);
  for (uint64_t number = 0; number < 600; ++number) {
    Random random(number);
    const Draft draft = GrowModel(empty, 10, random);
    for (const proto::OperatorDef& op : draft.net.op()) {
      // Inference accepted the node if it knows the type of its output.
      if (draft.types.count(op.output(0))) missing.erase(op.type());
    }
  }
  std::string names;
  for (const std::string& name : missing) names += name + " ";
  EXPECT_LE(missing.size(), 11u) << names;
}

TEST(FuzzCase, FileCarriesWhatMutationsAdd) {
  const Seed seed = Sample();
  Random random(5);
  Draft draft(seed);
  for (int i = 0; i < 20; ++i) AppendRandomNode(&draft, random);
  ASSERT_FALSE(draft.added().empty());
  const std::string file = draft.Serialize(1234);
  Seed read;
  int64_t settings = 0;
  ASSERT_TRUE(ReadCase(reinterpret_cast<const uint8_t*>(file.data()),
                       file.size(), &read, &settings));
  EXPECT_EQ(settings, 1234);
  EXPECT_EQ(read.added, draft.added());
  EXPECT_EQ(read.bytes, 64);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(read.weights.get()) + 64,
                        draft.added().size()),
            draft.added());
  // A further mutation keeps them.
  EXPECT_EQ(MutateCase(read, 1).weight_bytes % 64, 0u);
  EXPECT_GE(MutateCase(read, 1).weight_bytes, 64 + draft.added().size());
}

}  // namespace
}  // namespace mace::fuzz
