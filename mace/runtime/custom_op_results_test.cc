// Custom ops whose prepare returns what cannot be, or an error.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

// Expects that `text` has each of `parts`.
void ExpectHas(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

// An op in C whose prepare returns what the test says.
struct Returns {
  mace_op_output_t output = {MACE_OP_FLOAT32, 1, {1}};
  size_t scratch = 0;
  int32_t in_place = -1;
  int32_t code = 0;
  bool fills_message = false;
};

mace_op_registration_t ReturnsOp(Returns* returns) {
  mace_op_registration_t op = {};
  op.struct_size = sizeof(op);
  op.name = "Returns";
  op.user = returns;
  op.prepare = [](void* user, void*, mace_op_prepare_args_t* args,
                  mace_op_error_t* error) {
    const auto& r = *static_cast<Returns*>(user);
    *args->outputs[0] = r.output;
    args->scratch_bytes = r.scratch;
    args->in_place_input = r.in_place;
    // No zero byte at the end.
    if (r.fills_message) std::memset(error, 'x', sizeof(*error));
    return r.code;
  };
  op.invoke = [](void*, void*, const mace_op_invoke_args_t*, mace_op_error_t*) {
    return int32_t{0};
  };
  return op;
}

MaceStatus CreateWith(Returns returns) {
  MaceOpResolver resolver;
  const MaceStatus added = resolver.AddCustom(ReturnsOp(&returns));
  if (!added.ok()) return added;
  ModelBuilder b;
  b.Input("x", {1}).Op("Returns", {"x"}, {"y"}).Output("y");
  std::shared_ptr<MaceEngine> engine;
  MaceEngineConfig config;
  config.SetOpResolver(resolver);
  return MaceEngine::Create(b.Load(), {}, {}, config, &engine);
}

TEST(CustomOp, RefusesShapesThatCannotBe) {
  EXPECT_TRUE(CreateWith({}).ok());
  const int64_t kHuge = int64_t{1} << 40;
  const struct {
    mace_op_output_t output;
    const char* message;
  } kCases[] = {
      {{0, 1, {1}}, "sets no element type of output 0"},
      {{77, 1, {1}}, "sets the unknown element type 77 of output 0"},
      {{MACE_OP_FLOAT32, -1, {}},
       "sets the rank -1 (it is 0 to 8) of output 0"},
      {{MACE_OP_FLOAT32, 9, {}}, "sets the rank 9 (it is 0 to 8) of output 0"},
      {{MACE_OP_FLOAT32, 2, {3, -1}}, "sets the shape [3,-1]"},
      {{MACE_OP_FLOAT32, 2, {kHuge, kHuge}}, "sets the shape [1099511627776,"},
  };
  for (const auto& c : kCases) {
    Returns returns;
    returns.output = c.output;
    const MaceStatus status = CreateWith(returns);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    ExpectHas(status.information(), {"Returns 'y'", c.message});
  }
  Returns returns;
  returns.output = {MACE_OP_FLOAT32, 1, {kHuge}};
  EXPECT_EQ(CreateWith(returns).code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  if (sizeof(size_t) ==
      sizeof(int64_t)) {  // else such a size cannot be asked for
    returns = {};
    returns.scratch = static_cast<size_t>(kHuge);
    EXPECT_EQ(CreateWith(returns).code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  }
  returns.scratch = SIZE_MAX;
  ExpectHas(CreateWith(returns).information(), {"Returns 'y'", "scratch"});
  returns = {};
  returns.in_place = 1;
  ExpectHas(CreateWith(returns).information(),
            {"Returns 'y'", "in_place_input to 1"});
}

TEST(CustomOp, MessagesOfFailures) {
  Returns returns;
  returns.code = -7;
  ExpectHas(CreateWith(returns).information(),
            {"Returns 'y'", "prepare failed", "returned -7 and no message"});
  returns.fills_message = true;
  const std::string message = CreateWith(returns).information();
  ExpectHas(message, {std::string(MACE_OP_MESSAGE_BYTES - 1, 'x')});
}

}  // namespace
}  // namespace mace::testing
