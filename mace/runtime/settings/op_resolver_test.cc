// Registering ops: what is refused, and engines with some ops of the library.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

int32_t DoPrepare(void*, void*, mace_op_prepare_args_t*, mace_op_error_t*) {
  return 0;
}
int32_t DoInvoke(void*, void*, const mace_op_invoke_args_t*, mace_op_error_t*) {
  return 0;
}
void DoFree(void*, void*) {}

int released = 0;

mace_op_registration_t Valid() {
  mace_op_registration_t op = {};
  op.struct_size = sizeof(op);
  op.name = "com.acme::Op-1";
  op.prepare = DoPrepare;
  op.invoke = DoInvoke;
  op.release = [](void*) { ++released; };
  return op;
}

TEST(OpResolver, RefusesWhatIsIncomplete) {
  released = 0;
  const struct {
    void (*change)(mace_op_registration_t&);
    const char* message;
  } kCases[] = {
      {[](mace_op_registration_t& op) { op.struct_size = 0; },
       "struct_size is 0"},
      {[](mace_op_registration_t& op) { op.name = nullptr; }, "custom op ''"},
      {[](mace_op_registration_t& op) { op.name = ""; }, "custom op ''"},
      {[](mace_op_registration_t& op) { op.name = "A+B"; }, "custom op 'A+B'"},
      {[](mace_op_registration_t& op) { op.name = "Softmax"; },
       "MACE has an op of this name"},
      {[](mace_op_registration_t& op) { op.name = "Upload"; },
       "MACE has an op of this name"},
      {[](mace_op_registration_t& op) { op.prepare = nullptr; },
       "prepare, its shape rule, is null"},
      {[](mace_op_registration_t& op) { op.invoke = nullptr; },
       "invoke is null"},
      {[](mace_op_registration_t& op) { op.free = DoFree; },
       "free and no init"},
      {[](mace_op_registration_t& op) { op.version = -1; },
       "version -1 is negative"},
  };
  for (const auto& c : kCases) {
    mace_op_registration_t op = Valid();
    c.change(op);
    MaceOpResolver resolver;
    const MaceStatus status = resolver.AddCustom(op);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS) << c.message;
    EXPECT_NE(status.information().find(c.message), std::string::npos)
        << status.information();
  }
  EXPECT_EQ(released, 0);  // what was not registered stays the caller's
}

TEST(OpResolver, RefusesASecondOpOfOneName) {
  released = 0;
  {
    MaceOpResolver resolver;
    EXPECT_TRUE(resolver.AddCustom(Valid()).ok());
    const MaceStatus status = resolver.AddCustom(Valid());
    EXPECT_EQ(status.information(),
              "custom op 'com.acme::Op-1' is registered already");
    EXPECT_EQ(released, 0);
    const MaceOpResolver copy = resolver;
    MaceEngineConfig config;
    config.SetOpResolver(copy);
  }
  EXPECT_EQ(released, 1);
}

class Nothing : public MaceCustomOp {
 public:
  MaceStatus Prepare(MaceOpShapes*) override { return MaceStatus(); }
  MaceStatus Run(const MaceOpTensors&) override { return MaceStatus(); }
};

TEST(OpResolver, RefusesFactories) {
  MaceOpResolver resolver;
  EXPECT_TRUE(resolver.AddCustom<Nothing>("Nothing").ok());
  EXPECT_FALSE(resolver.AddCustom<Nothing>("Nothing").ok());
  EXPECT_FALSE(resolver.AddCustom<Nothing>(static_cast<char*>(nullptr)).ok());
  EXPECT_EQ(resolver.AddCustom("Other", nullptr).information(),
            "custom op 'Other': its factory is empty");
}

ModelBuilder Network() {
  ModelBuilder b;
  b.Input("x", {1, 4})
      .Op("Activation", {"x"}, {"a"}, {{"activation", std::string("RELU")}})
      .Op("Softmax", {"a"}, {"s"})
      .Op("Transpose", {"s"}, {"y"}, {{"dims", std::vector<int64_t>{1, 0}}})
      .Output("y");
  return b;
}

MaceStatus CreateWith(const MaceOpResolver& resolver) {
  MaceEngineConfig config;
  config.SetOpResolver(resolver);
  ModelBuilder b = Network();
  std::shared_ptr<MaceEngine> engine;
  return MaceEngine::Create(b.Load(), {}, {}, config, &engine);
}

TEST(OpResolver, OpsByHand) {
  MaceOpResolver resolver;
  EXPECT_TRUE(CreateWith(resolver).ok());  // all
  ASSERT_TRUE(resolver.AddBuiltin("Activation").ok());
  const MaceStatus status = CreateWith(resolver);
  EXPECT_EQ(status.code(), MaceStatus::MACE_UNSUPPORTED);
  EXPECT_EQ(status.information(),
            "Softmax 's': the engine's MaceOpResolver does not have this op; "
            "the model also needs resolver.AddBuiltin(\"Softmax\"); "
            "resolver.AddBuiltin(\"Transpose\");");
  ASSERT_TRUE(resolver.AddBuiltin("Softmax").ok());
  ASSERT_TRUE(resolver.AddBuiltin("Softmax").ok());  // again
  ASSERT_TRUE(resolver.AddBuiltin("Transpose").ok());
  EXPECT_TRUE(CreateWith(resolver).ok());
}

TEST(OpResolver, OpsByHandMustExist) {
  MaceOpResolver resolver;
  for (const char* name : {"Softmaks", "", static_cast<const char*>(nullptr)}) {
    const MaceStatus status = resolver.AddBuiltin(name);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find("no op '"), std::string::npos);
  }
  EXPECT_TRUE(CreateWith(resolver).ok());  // still all
}

}  // namespace
}  // namespace mace::testing
