// Activation: meaning and kernels.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Values from onnxruntime 1.20, for GELU, GELU_TANH and SWISH from Python's
// math module.
TEST(Activation, EveryKind) {
  const auto x = F32({10}, {-100, -3, -1, -0.25f, 0, 0.5f, 1, 2.5f, 7, 100});
  const struct {
    const char* name;
    float coefficient;
    std::vector<float> y;
  } cases[] = {
      {"TANH",
       0,
       {-1.f, -0.9950547f, -0.7615942f, -0.24491866f, 0.f, 0.46211717f,
        0.7615942f, 0.98661435f, 0.99999833f, 1.f}},
      {"SIGMOID",
       0,
       {0.f, 0.047425866f, 0.26894143f, 0.4378235f, 0.5f, 0.6224593f,
        0.7310586f, 0.9241418f, 0.99908894f, 1.f}},
      {"LEAKYRELU",
       0.1f,
       {-10.f, -0.3f, -0.1f, -0.025f, 0.f, 0.5f, 1.f, 2.5f, 7.f, 100.f}},
      {"ELU",
       1.5f,
       {-1.5f, -1.4253194f, -0.9481808f, -0.33179882f, 0.f, 0.5f, 1.f, 2.5f,
        7.f, 100.f}},
      {"SELU",
       0,
       {-1.7580993f, -1.6705687f, -1.1113307f, -0.38889018f, 0.f, 0.5253505f,
        1.050701f, 2.6267526f, 7.354907f, 105.0701f}},
      {"HARDSIGMOID",
       0.25f,
       {0.f, 0.f, 0.15f, 0.3375f, 0.4f, 0.525f, 0.65f, 1.f, 1.f, 1.f}},
      {"HARDSWISH",
       0,
       {-0.f, -0.f, -0.3333333f, -0.114583336f, 0.f, 0.29166666f, 0.6666667f,
        2.2916667f, 7.f, 100.f}},
      {"SOFTPLUS",
       0,
       {3.8e-44f, 0.048587352f, 0.3132617f, 0.5759394f, 0.6931472f, 0.974077f,
        1.3132617f, 2.5788898f, 7.000911f, 100.f}},
      {"SOFTSIGN",
       0,
       {-0.990099f, -0.75f, -0.5f, -0.2f, 0.f, 0.33333334f, 0.5f, 0.71428573f,
        0.875f, 0.990099f}},
      {"GELU",
       0,
       {-0.f, -0.004049694f, -0.15865526f, -0.10032342f, 0.f, 0.34573123f,
        0.8413448f, 2.4844759f, 7.f, 100.f}},
      {"SWISH",
       0,
       {-3.72e-42f, -0.14227761f, -0.26894143f, -0.109455876f, 0.f, 0.31122968f,
        0.7310586f, 2.3103545f, 6.993623f, 100.f}},
      {"GELU_TANH",
       0,
       {-0.0f, -0.003637392073869705f, -0.15880800783634186f,
        -0.10032464563846588f, 0.0f, 0.3457140028476715f, 0.8411920070648193f,
        2.4849157333374023f, 7.0f, 100.0f}},
      {"SWISH",
       1.702f,
       {-0.0f, -0.018071310594677925f, -0.15420423448085785f,
        -0.09880035370588303f, 0.0f, 0.35038843750953674f, 0.845795750617981f,
        2.4650137424468994f, 6.999953269958496f, 100.0f}},
      {"NOOP", 0, {-100, -3, -1, -0.25f, 0, 0.5f, 1, 2.5f, 7, 100}},
      {"RELU", 0, {0, 0, 0, 0, 0, 0.5f, 1, 2.5f, 7, 100}},
      {"RELUX", 0, {0, 0, 0, 0, 0, 0.5f, 1, 2.5f, 6, 6}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    CheckOp({"Activation",
             {{"activation", c.name},
              {"max_limit", 6.f},
              {"activation_coefficient", c.coefficient},
              {"hardsigmoid_beta", 0.4f}},
             {x}},
            {F32({10}, c.y)}, 1e-6f);
  }
}

// Every code path against the definition, over all relevant exponents.
TEST(Activation, Ranges) {
  for (const char* name :
       {"TANH", "SIGMOID", "ELU", "SELU", "SOFTPLUS", "SOFTSIGN", "GELU",
        "GELU_TANH", "SWISH", "HARDSWISH"}) {
    for (float range : {1e-3f, 1.f, 10.f}) {
      SCOPED_TRACE(std::string(name) + " up to " + std::to_string(range));
      CheckOp({"Activation",
               {{"activation", name}, {"activation_coefficient", 0.5f}},
               {RandomF32({4001}, 1, -range, range)}},
              1e-6f);
    }
  }
}

TEST(Activation, SpecialValues) {
  const auto x = F32({4}, {NAN, INFINITY, -INFINITY, -0.f});
  CheckOp({"Activation", {{"activation", "TANH"}}, {x}},
          {F32({4}, {NAN, 1, -1, 0})});
  CheckOp({"Activation", {{"activation", "SIGMOID"}}, {x}},
          {F32({4}, {NAN, 1, 0, 0.5f})});
  CheckOp({"Activation", {{"activation", "RELU"}}, {x}},
          {F32({4}, {NAN, INFINITY, 0, 0})});
  CheckOp({"Activation", {{"activation", "SOFTPLUS"}}, {x}},
          {F32({4}, {NAN, INFINITY, 0, 0.6931472f})});
}

TEST(Activation, Errors) {
  ExpectInferError({"Activation", {{"activation", "relu"}}, {F32({1}, {1})}},
                   "activation 'relu' must be one of NOOP");
}

}  // namespace
}  // namespace mace::testing
