// What the loader accepts and, mostly, what it refuses.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/model.h"

#include <gtest/gtest.h>

#include <functional>

#include "mace/base/hash.h"
#include "mace/model/testing/sample.h"

namespace mace {
namespace {

TEST(LoadModel, Sound) {
  Sample sample;
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  const Graph& graph = model->graph;
  ASSERT_EQ(graph.values.size(), 3u);
  EXPECT_EQ(graph.values[0].data, sample.data.get() + 64) << "copied";
  EXPECT_EQ(ToString(graph.values[1].type), "f32[1,16]");
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<int>{1, 0}));
  EXPECT_EQ(ToString(model->declared.at(2)), "f32[1,16]");
}

TEST(LoadModel, WithoutItsWeightsSaysSo) {
  Sample sample;
  sample.data_size = 0;
  const Status status = sample.Load().status();
  EXPECT_EQ(status.code(), Status::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find("the model needs 128 bytes of weights "
                                      "and was given none; give its weights "
                                      "file"),
            std::string::npos)
      << status.information();
}

TEST(IsGraph, TellsGraphsFromWeights) {
  const Sample sample;
  const std::string graph = sample.net.SerializeAsString();
  const auto* bytes = reinterpret_cast<const uint8_t*>(graph.data());
  EXPECT_TRUE(IsGraph(bytes, graph.size()));
  EXPECT_FALSE(IsGraph(bytes, 0));
  EXPECT_FALSE(IsGraph(sample.data.get(), sample.data_size));
}

TEST(LoadModel, KeepsStoredFp16) {
  for (const auto& [type, want] :
       {std::pair(proto::DT_HALF, DataType::kF16),
        std::pair(proto::DT_BFLOAT16, DataType::kBF16)}) {
    Sample sample;
    sample.net.mutable_tensors(0)->set_stored_type(type);
    const auto model = sample.Load();
    ASSERT_TRUE(model.ok()) << model.status().information();
    const Value& w = model->graph.values[0];
    EXPECT_EQ(ToString(w.type), "f32[16]");
    EXPECT_EQ(w.stored, want);
    EXPECT_EQ(w.data, sample.data.get() + 64) << "copied";
  }
}

// It has half the bytes of float: 32 more would lie outside.
TEST(LoadModel, StoredFp16MayEndWhereTheArrayDoes) {
  Sample sample;
  auto* w = sample.net.mutable_tensors(0);
  w->set_dims(0, 32);
  w->set_data_size(32);
  w->set_stored_type(proto::DT_HALF);
  EXPECT_TRUE(sample.Load().ok());
  w->clear_stored_type();
  EXPECT_FALSE(sample.Load().ok());
}

TEST(LoadModel, KeepsQuantizedWeights) {
  for (const auto& [type, want] : {std::pair(proto::DT_INT8, DataType::kI8),
                                   std::pair(proto::DT_UINT8, DataType::kU8)}) {
    Sample sample;
    auto* w = sample.net.mutable_tensors(0);
    w->set_offset(0);
    w->set_dims(0, 4);
    w->add_dims(4);
    w->set_stored_type(type);
    const auto model = sample.Load();
    ASSERT_TRUE(model.ok()) << model.status().information();
    EXPECT_EQ(ToString(model->graph.values[0].type), "f32[4,4]");
    EXPECT_EQ(model->graph.values[0].stored, want);
  }
}

// They end where the array does, as there are no scales behind them.
TEST(LoadModel, KeepsTheQuantizationOfStoredWeights) {
  Sample sample;
  auto* w = sample.net.mutable_tensors(0);
  w->set_dims(0, 4);
  w->add_dims(16);
  w->set_data_size(64);
  w->set_stored_type(proto::DT_INT8);
  EXPECT_FALSE(sample.Load().ok());
  auto* quantization = w->mutable_quantization();
  quantization->add_scales(0.5f);
  quantization->add_zero_points(-7);
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  const Value& value = model->graph.values[0];
  EXPECT_EQ(ToString(value.type), "f32[4,16]");
  EXPECT_EQ(ToString(value.stored_quantization), " (scale 0.5, zero point -7)");
  quantization->set_zero_points(0, 128);
  EXPECT_NE(sample.Load().status().information().find(
                "the zero point 128, which is no i8"),
            std::string::npos);
  w->set_stored_type(proto::DT_UINT8);
  EXPECT_NE(
      sample.Load().status().information().find("f32 cannot be quantized"),
      std::string::npos);
}

// w packed in the first 64 bytes, followed by w itself.
struct PackedSample : Sample {
  proto::PackedWeights& all = *net.mutable_packed_weights();

  PackedSample() {
    all.set_version(7);
    all.set_head_bytes(64);
    all.set_head_xxh3(Hash64(data.get(), 64));
    all.set_tail_xxh3(Hash64(data.get() + 64, 64));
    auto* one = all.add_weights();
    one->set_tensor(0);
    one->set_how("panels");
    one->set_offset(0);
    one->set_bytes(60);
  }
};

TEST(LoadPacked, Sound) {
  PackedSample sample;
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  EXPECT_EQ(model->packing_version, 7u);
  ASSERT_EQ(model->packed.size(), 1u);
  EXPECT_EQ(model->packed[0].how, "panels");
  EXPECT_EQ(model->packed[0].data, sample.data.get());
  EXPECT_EQ(model->packed[0].bytes, 60u);
  EXPECT_TRUE(VerifyTail(*model).ok());
}

TEST(LoadPacked, DamageIsFoundInTheHeadAtOnceAndInTheTailWhenRead) {
  PackedSample sample;
  sample.data.get()[70] ^= 1;
  const auto model = sample.Load();
  ASSERT_TRUE(model.ok()) << model.status().information();
  EXPECT_EQ(VerifyTail(*model).code(), Status::MACE_INVALID_MODEL);
  sample.data.get()[5] ^= 1;
  EXPECT_EQ(sample.Load().status().code(), Status::MACE_INVALID_MODEL);
  EXPECT_TRUE(sample.Load(false).ok());
}

struct BadPacked {
  const char* name;
  std::function<void(proto::PackedWeights&)> spoil;
  const char* message;  // a part of it
};

const BadPacked kBadPacked[] = {
    {"NoVersion", [](auto& all) { all.clear_version(); }, "have no version"},
    {"HeadTooLong", [](auto& all) { all.set_head_bytes(129); },
     "head_bytes is 129, the weights are 128 bytes"},
    {"HeadNegative", [](auto& all) { all.set_head_bytes(-1); }, "is -1"},
    {"NoSuchWeight", [](auto& all) { all.mutable_weights(0)->set_tensor(1); },
     "there is no weight 1 of 1"},
    {"NegativeWeight",
     [](auto& all) { all.mutable_weights(0)->set_tensor(-1); }, "no weight -1"},
    {"Outside", [](auto& all) { all.mutable_weights(0)->set_bytes(65); },
     "weight 'w' packed as 'panels': lies at byte 0 with 65 bytes, outside the "
     "first 64"},
    {"FarOutside",
     [](auto& all) { all.mutable_weights(0)->set_offset(INT64_MAX - 63); },
     "outside"},
    {"NegativeOffset",
     [](auto& all) { all.mutable_weights(0)->set_offset(-64); }, "outside"},
    {"NegativeBytes", [](auto& all) { all.mutable_weights(0)->set_bytes(-1); },
     "outside"},
    {"Misaligned",
     [](auto& all) {
       all.mutable_weights(0)->set_offset(4);
       all.mutable_weights(0)->set_bytes(4);
     },
     "not a multiple of 64"},
    {"Twice", [](auto& all) { *all.add_weights() = all.weights(0); }, "twice"},
    {"TooManyWays",
     [](auto& all) {
       for (int i = 0; i < 64; ++i) {
         *all.add_weights() = all.weights(0);
         all.mutable_weights()->rbegin()->set_how(std::to_string(i));
       }
     },
     "weight 'w' packed as '63': it is packed in more than 64 ways"},
    {"PlainInTail", [](auto& all) { all.clear_weights(); },
     "weight 'w': it is not packed and lies behind the first 64"},
};

TEST(LoadPacked, Bad) {
  for (const BadPacked& c : kBadPacked) {
    SCOPED_TRACE(c.name);
    PackedSample sample;
    c.spoil(sample.all);
    const auto model = sample.Load(false);
    EXPECT_EQ(model.status().code(), Status::MACE_INVALID_MODEL);
    EXPECT_NE(model.status().information().find(c.message), std::string::npos)
        << model.status().information();
  }
}

struct BadCase {
  const char* name;
  std::function<void(Sample&)> spoil;
  const char* message;  // a part of it
};

const BadCase kBadCases[] = {
    {"ShortWeights", [](Sample& s) { s.data_size = 100; }, "cut short"},
    {"DamagedWeights", [](Sample& s) { s.data.get()[5] ^= 1; }, "checksum"},
    {"WeightOutside",
     [](Sample& s) { s.net.mutable_tensors(0)->set_offset(128); },
     "weight 'w': lies at byte 128 with 64 bytes, outside the 128"},
    {"WeightFarOutside",
     [](Sample& s) { s.net.mutable_tensors(0)->set_offset(INT64_MAX - 63); },
     "outside"},
    {"WeightNegativeOffset",
     [](Sample& s) { s.net.mutable_tensors(0)->set_offset(-64); }, "outside"},
    {"WeightMisaligned",
     [](Sample& s) { s.net.mutable_tensors(0)->set_offset(4); },
     "not a multiple of 64"},
    {"WeightCount",
     [](Sample& s) { s.net.mutable_tensors(0)->set_data_size(15); },
     "has 15 elements, its shape [16] needs 16"},
    {"StoredAsFloat",
     [](Sample& s) {
       s.net.mutable_tensors(0)->set_stored_type(proto::DT_FLOAT);
     },
     "weight 'w': f32[16] stored as f32; only f32 is stored as another type"},
    {"VectorStoredQuantized",
     [](Sample& s) {
       s.net.mutable_tensors(0)->set_stored_type(proto::DT_INT8);
     },
     "weight 'w': f32[16] stored as i8; only f32 is stored as another type, "
     "f16 or bf16, or with two axes and more quantized"},
    {"ValuesOutside",
     [](Sample& s) {
       auto* w = s.net.mutable_tensors(0);
       w->set_dims(0, 1);
       w->add_dims(64);
       w->set_data_size(64);
       w->set_stored_type(proto::DT_INT8);
     },
     "lies at byte 64 with 68 bytes, outside the 128 bytes of weights"},
    {"TooManyRows",
     [](Sample& s) {
       s.net.set_format_version(3);
       auto* w = s.net.mutable_tensors(0);
       w->set_dims(0, int64_t{1} << 58);
       w->add_dims(1);
       w->set_data_size(int64_t{1} << 58);
       w->set_stored_type(proto::DT_INT8_BLOCKS);
     },
     "weight 'w': has 288230376151711744 rows, more than 1125899906842624"},
    {"EmptyButLong",
     [](Sample& s) {
       auto* w = s.net.mutable_tensors(0);
       w->set_dims(0, int64_t{1} << 56);
       w->add_dims(0);
       w->set_data_size(0);
     },
     "weight 'w': has no elements, and dimensions [72057594037927936,0]"},
    {"StoredFp16OfInt",
     [](Sample& s) {
       s.net.mutable_tensors(0)->set_data_type(proto::DT_INT32);
       s.net.mutable_tensors(0)->set_stored_type(proto::DT_HALF);
     },
     "weight 'w': i32[16] stored as f16"},
    {"WeightOverflow",
     [](Sample& s) {
       for (int i = 0; i < 3; ++i) {
         s.net.mutable_tensors(0)->add_dims(int64_t{1} << 40);
       }
     },
     "too large"},
    {"WeightNegativeExtent",
     [](Sample& s) { s.net.mutable_tensors(0)->set_dims(0, -16); },
     "negative extent"},
    {"WeightRank",
     [](Sample& s) {
       for (int i = 0; i < 9; ++i) s.net.mutable_tensors(0)->add_dims(1);
     },
     "rank 10 is above 8"},
    {"DuplicateTensor",
     [](Sample& s) { s.net.mutable_input_info(0)->set_name("w"); },
     "a tensor named 'w' is there already"},
    {"DuplicateNode",
     [](Sample& s) {
       *s.net.add_op() = s.net.op(0);
       s.net.mutable_op(1)->set_output(0, "z");
     },
     "node 'add': a node of that name is there already"},
    {"Dangling", [](Sample& s) { s.net.mutable_op(0)->set_input(1, "v"); },
     "node 'add': reads 'v', which no weight, input or earlier node makes"},
    {"Cycle", [](Sample& s) { s.net.mutable_op(0)->set_input(1, "y"); },
     "reads 'y'"},
    {"NoOutput", [](Sample& s) { s.net.mutable_op(0)->clear_output(); },
     "has no output"},
    {"NoModelOutput", [](Sample& s) { s.net.clear_output_info(); },
     "the model has no outputs"},
    {"UnknownModelOutput",
     [](Sample& s) { s.net.mutable_output_info(0)->set_name("q"); },
     "model output 'q': nothing in the model makes it"},
    {"TwiceOutput", [](Sample& s) { s.net.add_output_info()->set_name("y"); },
     "twice"},
    {"UntypedAttribute",
     [](Sample& s) { s.net.mutable_op(0)->mutable_arg(0)->clear_type(); },
     "attribute 'type' has no type"},
    {"TwiceAttribute",
     [](Sample& s) { *s.net.mutable_op(0)->add_arg() = s.net.op(0).arg(0); },
     "given twice"},
    {"TensorNameNoText",
     [](Sample& s) { s.net.mutable_op(0)->set_output(0, "y\xff"); },
     "node 'add': a tensor's name is not UTF-8"},
    {"NodeNameNoText",
     [](Sample& s) { s.net.mutable_op(0)->set_name("\xc0\xaf"); },
     "node '\\xc0\\xaf': the name is not UTF-8"},
    {"AttributeNameNoText",
     [](Sample& s) {
       s.net.mutable_op(0)->mutable_arg(0)->set_name("\xed\xa0\x80");
     },
     "node 'add': an attribute's name is not UTF-8"},
    {"ModelNameNoText", [](Sample& s) { s.net.set_name("\x80"); },
     "the model's name is not UTF-8"},
    {"NoOp", [](Sample& s) { s.net.mutable_op(0)->clear_type(); }, "has no op"},
    {"TypesBeyondOutputs",
     [](Sample& s) { s.net.mutable_op(0)->add_output_type(proto::DT_FLOAT); },
     "declares more types"},
};

TEST(LoadModel, Bad) {
  for (const BadCase& c : kBadCases) {
    SCOPED_TRACE(c.name);
    Sample sample;
    c.spoil(sample);
    const auto model = sample.Load();
    EXPECT_EQ(model.status().code(), Status::MACE_INVALID_MODEL);
    EXPECT_NE(model.status().information().find(c.message), std::string::npos)
        << model.status().information();
  }
}

TEST(LoadModel, ChecksumCanBeSkipped) {
  Sample sample;
  sample.data.get()[5] ^= 1;
  EXPECT_TRUE(sample.Load(false).ok());
}

TEST(LoadModel, EveryTruncation) {
  Sample sample;
  const std::string bytes = sample.net.SerializeAsString();
  for (size_t n = 0; n < bytes.size(); ++n) {
    // Parsing may succeed on a prefix. It must then be refused as well, because
    // format_version is near the end.
    const auto model = LoadModel(reinterpret_cast<const uint8_t*>(bytes.data()),
                                 n, {sample.data, sample.data_size}, {});
    EXPECT_FALSE(model.ok()) << n << " of " << bytes.size() << " bytes";
  }
}

// The graph of `sample` with its checksum.
std::string WithChecksum(const Sample& sample) {
  std::string bytes = sample.net.SerializeAsString();
  proto::NetDef checksum;
  checksum.set_graph_xxh3(Hash64(bytes.data(), bytes.size()));
  return bytes + checksum.SerializeAsString();
}

TEST(LoadModel, EveryBitFlipOfAGraphWithAChecksum) {
  Sample sample;
  const std::string bytes = WithChecksum(sample);
  const auto load = [&](const std::string& graph) {
    return LoadModel(reinterpret_cast<const uint8_t*>(graph.data()),
                     graph.size(), {sample.data, sample.data_size}, {})
        .status();
  };
  ASSERT_TRUE(load(bytes).ok()) << load(bytes).information();
  const size_t tag = bytes.size() - 10;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    // With another tag it is no checksum any more, but the graph is whole.
    if (bit / 8 == tag || bit / 8 == tag + 1) continue;
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(load(flipped).code(), Status::MACE_INVALID_MODEL) << bit;
  }
  // Fields after it are not in the checksum.
  proto::NetDef more;
  more.set_version("other");
  EXPECT_NE(load(bytes + more.SerializeAsString())
                .information()
                .find("the graph does not have the checksum"),
            std::string::npos);
}

TEST(LoadModel, EveryBitFlip) {
  Sample sample;
  const std::string bytes = sample.net.SerializeAsString();
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    // Either answer is right, but it must not crash (run under the sanitizers).
    (void)LoadModel(reinterpret_cast<const uint8_t*>(flipped.data()),
                    flipped.size(), {sample.data, sample.data_size}, {});
  }
}

}  // namespace
}  // namespace mace
