// Lstm, Gru and Rnn: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Floats = std::vector<float>;

// Values from ONNX Runtime 1.31.1.

TEST(Lstm, HasPeepholesAndInitialStates) {
  CheckOp(
      {"Lstm",
       {},
       {F32({3, 2, 2}, {0.69f, -0.68f, 0.12f, -0.26f, -0.57f, -0.23f, -0.14f,
                        0.22f, 0.47f, -0.97f, -0.49f, 0.21f}),
        Const(F32({1, 8, 2},
                  {-0.83f, 1, 0.66f, -0.93f, 0.14f, 0.22f, -0.99f, -0.64f,
                   -0.67f, -0.08f, 0.13f, -0.1f, 0.84f, 0.63f, -0.2f, -0.59f})),
        Const(F32({1, 8, 2},
                  {-0.28f, 0.72f, -0.3f, 0.98f, 0.13f, -0.53f, 0.32f, 0.32f,
                   0.03f, -0.44f, 0.26f, -0.04f, 0.31f, 0.08f, -0.76f, 0.82f})),
        Const(F32({1, 16},
                  {-0.97f, -0.38f, -0.66f, -0.31f, 0.24f, 0.1f, 0.43f, -0.02f,
                   0.68f, -0.3f, 0.1f, 0.01f, -0.96f, -0.54f, -0.83f, -0.5f})),
        Absent(), F32({1, 2, 2}, {-0.99f, -0.41f, -0.25f, 0.29f}),
        F32({1, 2, 2}, {0.69f, -0.17f, 0.26f, 0.04f}),
        Const(F32({1, 6}, {-0.54f, -0.6f, -0.1f, 0.59f, 0.19f, 0.4f}))},
       3},
      {F32({3, 1, 2, 2},
           {0.051385242f, 0.009370304f, -0.0318067f, 0.015072169f,
            -0.098556116f, -0.04359022f, -0.08428259f, -0.052910138f,
            -0.061577376f, -0.014412763f, -0.16086563f, -0.077100836f}),
       F32({1, 2, 2},
           {-0.061577376f, -0.014412763f, -0.16086563f, -0.077100836f}),
       F32({1, 2, 2}, {-0.18506235f, -0.0321864f, -0.4613979f, -0.16282474f})});
}

TEST(Lstm, RunsBothWaysWithLengths) {
  CheckOp(
      {"Lstm",
       {{"direction", "BIDIRECTIONAL"}},
       {F32({3, 2, 2}, {0.46f, 0.24f, -0.51f, -0.12f, 0.03f, -0.98f, -0.41f,
                        -0.28f, -0.98f, 0.12f, 0.1f, -0.82f}),
        Const(F32(
            {2, 8, 2},
            {-0.5f, 0.81f,  -0.12f, -0.48f, 0.73f,  -0.09f, 0.25f,  0.81f,
             0.09f, -0.68f, 0.43f,  0.87f,  -0.16f, 0.32f,  0.75f,  -0.69f,
             0.56f, -0.05f, 0.11f,  0.85f,  0.63f,  -0.73f, -0.17f, 0.35f,
             0.62f, -0.68f, 0.4f,   0.04f,  -0.84f, 0.04f,  -0.1f,  -0.11f})),
        Const(F32(
            {2, 8, 2},
            {-0.46f, -0.27f, 0.52f,  -0.32f, 0.72f,  0.4f,   0.5f,   -0.19f,
             -0.65f, -0.98f, -0.19f, -0.07f, -0.23f, -0.79f, -0.91f, 0.76f,
             -0.22f, 0.74f,  0.67f,  0.15f,  0.73f,  0.9f,   0.27f,  -0.99f,
             0.28f,  -0.01f, 0.58f,  -0.28f, 0.39f,  -0.27f, 0.17f,  -0.1f})),
        Const(F32(
            {2, 16},
            {-0.58f, -0.36f, -0.87f, 0.25f,  0.78f,  0.19f, -0.66f, 0.08f,
             -0.48f, -0.23f, -0.99f, 0.92f,  0.05f,  0.14f, -0.81f, -0.74f,
             0.76f,  0.69f,  0.35f,  0.39f,  0.86f,  0.35f, 0.2f,   -0.7f,
             -0.54f, -0.56f, -0.91f, -0.17f, -0.91f, 0.82f, 0.25f,  -0.33f})),
        I32({2}, {3, 1})},
       3},
      {F32({3, 2, 2, 2}, {-0.038918916f,
                          -0.11513125f,
                          -0.024617795f,
                          -0.20052916f,
                          0.13384081f,
                          -0.462986f,
                          0.10228072f,
                          -0.19938421f,
                          -0.042859454f,
                          -0.03582914f,
                          0,
                          0,
                          0.22115819f,
                          -0.26199502f,
                          0,
                          0,
                          -0.033345044f,
                          -0.25368816f,
                          0,
                          0,
                          0.0754032f,
                          -0.22574669f,
                          0,
                          0}),
       F32({2, 2, 2}, {-0.033345044f, -0.25368816f, -0.024617795f, -0.20052916f,
                       0.13384081f, -0.462986f, 0.10228072f, -0.19938421f}),
       F32({2, 2, 2}, {-0.5447967f, -0.3612452f, -0.25714397f, -0.28599814f,
                       0.37563246f, -0.9318919f, 0.34112474f, -0.36818016f})});
}

TEST(Lstm, ClipsAndCouplesGates) {
  CheckOp(
      {"Lstm",
       {{"direction", "REVERSE"}, {"clip", 0.4f}, {"input_forget", int64_t{1}}},
       {F32({3, 2, 2}, {-0.47f, 0.47f, 0.8f, 0.99f, -0.83f, -0.11f, 0.95f,
                        0.17f, 0.6f, -0.23f, 0.75f, 0.93f}),
        Const(F32({1, 8, 2},
                  {-0.46f, -0.33f, -0.16f, 0.93f, -0.87f, 0.21f, 0.15f, 0.53f,
                   -0.84f, -0.68f, 0.58f, 0.89f, 0.08f, 0.03f, 0.42f, -0.6f})),
        Const(F32({1, 8, 2}, {0.65f, -0.95f, 0.26f, 0.68f, -0.74f, -0.28f,
                              -0.45f, 0.55f, -0.64f, -0.2f, 0.17f, -0.92f,
                              -0.25f, -0.65f, -0.46f, -0.66f})),
        Const(F32({1, 16}, {-0.22f, -0.92f, -0.51f, -0.57f, 0.36f, 0.38f,
                            -0.18f, -0.79f, 0.06f, 0.04f, 0.03f, -0.24f, -0.46f,
                            -0.96f, -0.74f, -0.72f}))},
       3},
      {F32({3, 1, 2, 2},
           {-0.17234603f, -0.11632586f, -0.11632586f, -0.13844378f,
            -0.15733343f, -0.09593325f, -0.09593325f, -0.10150463f,
            -0.062154446f, -0.060721543f, -0.060721543f, -0.07872835f}),
       F32({1, 2, 2}, {-0.17234603f, -0.11632586f, -0.11632586f, -0.13844378f}),
       F32({1, 2, 2}, {-0.32899702f, -0.2984174f, -0.2984174f, -0.31375903f})});
}

TEST(Gru, ResetsTheState) {
  CheckOp(
      {"Gru",
       {},
       {F32({3, 2, 2}, {-0.38f, -0.46f, -0.14f, 0.73f, 0.84f, -0.22f, 0.13f,
                        0.87f, 0.35f, -0.9f, -0.15f, 0.55f}),
        Const(F32({1, 6, 2}, {-0.21f, 0.88f, -0.56f, 0.55f, 0.34f, 0.34f,
                              -0.35f, -0.38f, -0.14f, 0.38f, -0.26f, 0.92f})),
        Const(F32({1, 6, 2}, {0.19f, -0.12f, 0.27f, -0.74f, 0.4f, -0.7f, 0.64f,
                              -0.9f, 0.34f, 0.51f, -0.6f, -0.76f})),
        Const(F32({1, 12}, {0.52f, -0.42f, 0.01f, -0.33f, -0.67f, 0.9f, -0.38f,
                            -0.05f, -0.27f, 0.64f, 0.62f, 0.74f})),
        Absent(), F32({1, 2, 2}, {-0.42f, 0.25f, -0.98f, -0.44f})},
       2},
      {F32({3, 1, 2, 2}, {-0.26208907f, 0.6710648f, -0.65398425f, 0.25075647f,
                          -0.20493937f, 0.77977306f, -0.37192428f, 0.69605213f,
                          -0.2590403f, 0.5078361f, -0.13688251f, 0.8786239f}),
       F32({1, 2, 2}, {-0.2590403f, 0.5078361f, -0.13688251f, 0.8786239f})});
}

TEST(Gru, ResetsTheProduct) {
  CheckOp(
      {"Gru",
       {{"direction", "BIDIRECTIONAL"}, {"linear_before_reset", int64_t{1}}},
       {F32({3, 2, 2}, {0.04f, -0.33f, 0.97f, 0.32f, 0.84f, -0.56f, 0.27f,
                        -0.24f, 0.34f, 0.49f, 0.44f, -0.45f}),
        Const(F32({2, 6, 2}, {0.75f, -0.25f, 0.17f,  0.89f,  0.58f,  -0.65f,
                              0.59f, -0.38f, -0.36f, -0.25f, -0.16f, 0.78f,
                              0.2f,  -0.35f, -0.48f, 0.79f,  -0.93f, -0.76f,
                              0.87f, 0.4f,   0.38f,  0.14f,  -0.83f, -0.27f})),
        Const(F32({2, 6, 2}, {-0.29f, -0.19f, -0.13f, 0.42f,  -1,     0.18f,
                              0.45f,  0.48f,  -0.86f, -0.76f, -0.75f, -0.28f,
                              -0.42f, -0.38f, -0.45f, -0.53f, 0.17f,  -0.32f,
                              -0.22f, -0.25f, 0.54f,  0.13f,  0.27f,  0.25f})),
        Const(F32({2, 12}, {-0.47f, 0.15f,  0.62f,  -0.18f, -0.32f, -0.1f,
                            -0.47f, 0.52f,  0.37f,  0.87f,  -0.43f, 0.24f,
                            0.11f,  -0.91f, -0.88f, 0.45f,  -0.72f, 0.27f,
                            0.04f,  0.48f,  -0.76f, 0.24f,  0.1f,   -0.84f})),
        I32({2}, {2, 3})},
       2},
      {F32({3, 2, 2, 2}, {-0.365939f,
                          -0.07853774f,
                          -0.45636058f,
                          0.04293144f,
                          -0.3381224f,
                          -0.44596472f,
                          -0.33504534f,
                          -0.7196393f,
                          -0.4280689f,
                          -0.15181929f,
                          -0.41708487f,
                          0.048179954f,
                          -0.16316128f,
                          -0.56783384f,
                          -0.35154986f,
                          -0.47844517f,
                          0,
                          0,
                          -0.42508417f,
                          -0.022950293f,
                          0,
                          0,
                          -0.21623358f,
                          -0.37623692f}),
       F32({2, 2, 2}, {-0.4280689f, -0.15181929f, -0.42508417f, -0.022950293f,
                       -0.3381224f, -0.44596472f, -0.33504534f, -0.7196393f})});
}

TEST(Rnn, HasItsActivation) {
  CheckOp(
      {"Rnn",
       {{"direction", "REVERSE"},
        {"cell_activation", "LEAKYRELU"},
        {"activation_alpha", std::vector<float>{0.2f}}},
       {F32({3, 2, 2}, {0.94f, -0.74f, 0.94f, -1, -0.63f, 0.19f, 0.79f, 0.9f,
                        -0.21f, -0.78f, 0.33f, 0.81f}),
        Const(F32({1, 2, 2}, {0.95f, -0.44f, -0.95f, -0.03f})),
        Const(F32({1, 2, 2}, {0.86f, 0.24f, 0.02f, 0.99f})),
        Const(F32({1, 4}, {-0.52f, -0.78f, -0.05f, 0.8f})), Absent(),
        F32({1, 2, 2}, {-0.51f, 0.12f, 0.89f, -0.77f})},
       2},
      {F32({3, 1, 2, 2},
           {0.65279937f, 0.09182018f, 0.66974574f, -0.20714903f, -0.26230985f,
            0.95744073f, -0.054409195f, -0.19359292f, -0.16722f, 0.35150003f,
            -0.0064599873f, -0.21246f}),
       F32({1, 2, 2}, {0.65279937f, 0.09182018f, 0.66974574f, -0.20714903f})});
}

TestTensor W(Shape shape, uint32_t seed) {
  return Const(RandomF32(std::move(shape), seed));
}

// A node with all operands that its op has, of `gates` gates and a state of
// `state` elements in `d` directions.
OpCase Full(const std::string& op, int64_t gates, Shape x, int64_t hidden,
            int64_t state, int64_t d) {
  const int64_t batch = x[1], inputs = x[2], rows = gates * hidden;
  std::vector<int32_t> lens(static_cast<size_t>(batch));
  for (size_t i = 0; i < lens.size(); ++i) {
    lens[i] =
        static_cast<int32_t>((x[0] + static_cast<int64_t>(i)) % (x[0] + 1));
  }
  OpCase c = {op,
              {{"direction", d == 2 ? "BIDIRECTIONAL" : "REVERSE"}},
              {RandomF32(x, 1), W({d, rows, inputs}, 2), W({d, rows, state}, 3),
               W({d, 2 * rows}, 4), I32({batch}, lens),
               RandomF32({d, batch, state}, 5)},
              op == "Lstm" ? 3 : 2};
  if (op != "Lstm") return c;
  c.inputs.push_back(RandomF32({d, batch, hidden}, 6));
  c.inputs.push_back(W({d, 3 * hidden}, 7));
  if (state != hidden) {
    c.inputs.push_back(W({d, state, hidden}, 8));
    c.inputs.push_back(W({d, state}, 9));
    c.inputs.push_back(W({d, 4 * hidden}, 10));
  }
  return c;
}

TEST(Recurrent, EveryPathComputesTheSame) {
  for (const auto& [op, gates] :
       {std::pair{"Lstm", 4}, std::pair{"Gru", 3}, std::pair{"Rnn", 1}}) {
    for (const int64_t hidden : {1, 7, 33}) {
      for (const int64_t batch : {1, 3, 17}) {
        CheckOp(Full(op, gates, {4, batch, 5}, hidden, hidden, 1));
        CheckOp(Full(op, gates, {3, batch, 6}, hidden, hidden, 2));
      }
    }
  }
}

TEST(Recurrent, LargeProductsShareThreads) {
  for (const auto& [op, gates] :
       {std::pair{"Lstm", 4}, std::pair{"Gru", 3}, std::pair{"Rnn", 1}}) {
    OpCase c = Full(op, gates, {2, 1, 9}, 512, 512, 1);
    for (size_t i = 1; i < 3; ++i) {  // so that gates do not saturate
      c.inputs[i] = Const(RandomF32(c.inputs[i].type.shape, 11, -0.05f, 0.05f));
    }
    CheckOp(c);
  }
}

TEST(Recurrent, WeightsMayBeComputed) {
  for (const auto& [op, gates] :
       {std::pair{"Lstm", 4}, std::pair{"Gru", 3}, std::pair{"Rnn", 1}}) {
    OpCase c = Full(op, gates, {3, 2, 5}, 6, op[0] == 'L' ? 4 : 6, 2);
    for (TestTensor& input : c.inputs) input.constant = false;
    CheckOp(c);
  }
}

TEST(Recurrent, OperandsMayBeAbsent) {
  for (const auto& [op, gates] :
       {std::pair{"Lstm", 4}, std::pair{"Gru", 3}, std::pair{"Rnn", 1}}) {
    OpCase c = Full(op, gates, {3, 2, 5}, 6, 6, 1);
    c.inputs.resize(3);
    CheckOp(c);
    c.num_outputs = 1;
    CheckOp(c);
  }
}

TEST(Recurrent, NothingToCompute) {
  for (const Shape& x : {Shape{0, 2, 3}, Shape{2, 0, 3}}) {
    CheckOp(Full("Lstm", 4, x, 5, 5, 2));
    CheckOp(Full("Gru", 3, x, 5, 5, 2));
    CheckOp(Full("Rnn", 1, x, 5, 5, 2));
  }
}

TEST(Lstm, ProjectsAndNormalizes) {
  for (const int64_t batch : {1, 5}) {
    OpCase c = Full("Lstm", 4, {4, batch, 5}, 20, 7, 2);
    CheckOp(c);
    c.attrs["cell_clip"] = 0.3f;
    c.attrs["projection_clip"] = 0.2f;
    c.attrs["clip"] = 0.7f;
    CheckOp(c);
  }
}

TEST(Recurrent, EveryActivation) {
  const Floats values = {0.4f, 0.4f, 0.4f};
  for (const char* name :
       {"AFFINE", "SCALEDTANH", "THRESHOLDEDRELU", "LEAKYRELU", "ELU",
        "HARDSIGMOID", "RELUX", "SOFTSIGN", "SOFTPLUS", "NOOP"}) {
    OpCase c = Full("Lstm", 4, {3, 2, 5}, 6, 6, 1);
    c.attrs["gate_activation"] = name;
    c.attrs["cell_activation"] = name;
    c.attrs["output_activation"] = name;
    CheckOp(c, 1e-4f);
    c.attrs["activation_alpha"] = c.attrs["activation_beta"] = values;
    CheckOp(c, 1e-4f);
  }
}

TEST(Recurrent, Errors) {
  const OpCase good = Full("Gru", 3, {3, 2, 5}, 4, 4, 1);
  const auto with = [&](const char* name, const Attr& value) {
    OpCase c = good;
    c.attrs[name] = value;
    return c;
  };
  const auto reads = [&](size_t i, const TestTensor& operand) {
    OpCase c = good;
    c.inputs[i] = operand;
    return c;
  };
  ExpectInferError(with("clip", std::nanf("")),
                   "Gru 'test': clip nan must be a number from 0 on; 0 stands "
                   "for no bound");
  ExpectInferError(with("clip", -1.f), "clip -1 must be a number from 0 on");
  ExpectInferError(with("activation_alpha", Floats{1}),
                   "activation_alpha has 1 entries, it must have one for each "
                   "of the 2 activations, or none");
  ExpectInferError(with("activation_beta", Floats{1, INFINITY}),
                   "activation_beta inf must be finite");
  ExpectInferError(with("direction", "BIDIRECTIONAL"),
                   "input 1 is f32[1,12,5], it must be [directions, gates * "
                   "hidden, inputs] = [2,12,5]");
  ExpectInferError(reads(0, F32({3, 2}, Floats(6))), "[steps, batch, inputs]");
  ExpectInferError(reads(1, W({1, 13, 5}, 1)),
                   "its extent 1 must be 3 times the hidden size");
  OpCase other_state = reads(2, W({1, 12, 5}, 1));
  other_state.inputs.resize(5);  // without initial_h, which has one as well
  ExpectInferError(other_state,
                   "input 2 (recurrent weights) is for a state of 5 elements, "
                   "input 1 (weights) for 4; they must agree");
  ExpectInferError(reads(3, W({1, 12}, 1)),
                   "input 3 is f32[1,12], it must be [directions, 2 * gates * "
                   "hidden] = [1,24]");
  ExpectInferError(reads(4, I32({3}, {1, 1, 1})), "one length per sequence");
  ExpectInferError(reads(5, F32({1, 3, 4}, Floats(12))),
                   "input 5 is f32[1,3,4], it must be [directions, batch, "
                   "state] = [1,2,4]");
  ExpectInferError(reads(1, W({1, 0, 5}, 1)), "must all have elements");
  ExpectRunError(reads(4, I32({2}, {4, 1})),
                 "Gru 'test': sequence_lens[0] is 4, it must be in [0, 3], as "
                 "x has 3 steps");
  ExpectRunError(reads(4, I32({2}, {1, -1})), "sequence_lens[1] is -1");
}

TEST(Lstm, Errors) {
  const OpCase good = Full("Lstm", 4, {3, 2, 5}, 4, 3, 1);
  const auto reads = [&](size_t i, const TestTensor& operand) {
    OpCase c = good;
    c.inputs[i] = operand;
    return c;
  };
  ExpectInferError(reads(6, F32({1, 2, 3}, Floats(6))),
                   "[directions, batch, hidden] = [1,2,4]");
  ExpectInferError(reads(7, W({1, 4}, 1)), "[directions, 3 * hidden] = [1,12]");
  ExpectInferError(reads(8, W({1, 4, 4}, 1)),
                   "[directions, state, hidden] = [1,3,4]");
  ExpectInferError(reads(8, Absent()), "they must agree");
  ExpectInferError(reads(9, W({1, 4}, 1)), "[directions, state] = [1,3]");
  ExpectInferError(reads(10, W({1, 12}, 1)),
                   "[directions, 4 * hidden] = [1,16]");
  OpCase c = good;
  c.attrs["cell_clip"] = INFINITY;
  ExpectInferError(c, "cell_clip inf must be a number from 0 on");
  c = Full("Lstm", 4, {3, 2, 5}, 4, 4, 1);
  c.inputs.push_back(Absent());
  c.inputs.push_back(W({1, 4}, 1));
  ExpectInferError(c, "input 9 (projection bias) needs a projection");
}

}  // namespace
}  // namespace mace::testing
