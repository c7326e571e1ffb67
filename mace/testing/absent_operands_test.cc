// Operands that a model leaves out: the op declares that it may, or the node is
// refused; nothing reads them.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mace/ops/common/op.h"
#include "mace/testing/check_paths.h"
#include "mace/testing/op_samples.h"

namespace mace::testing {
namespace {

// A node of them alone is no graph: it needs a model with subgraphs.
bool RunsSubgraphs(const std::string& op) { return op == "If" || op == "Loop"; }

TEST(OpSamples, HaveEveryOpWithEveryInput) {
  std::set<std::string> ops;
  for (const OpCase& c : OpSamples()) {
    SCOPED_TRACE(c.op);
    ops.insert(c.op);
    const Op* op = FindOp(c.op);
    ASSERT_NE(op, nullptr);
    const int most = op->max_inputs == kMany ? 3 : op->max_inputs;
    EXPECT_EQ(static_cast<int>(c.inputs.size()), most);
    CheckOp(c, 1e-4f);
  }
  for (const Op* op : AllOps()) {
    if (RunsSubgraphs(op->name)) continue;
    EXPECT_EQ(ops.count(op->name), 1u)
        << op->name << ": add a file with a node of it to mace/ops/testing";
  }
}

// The case with the inputs of `absent` (one bit each) left out.
OpCase Without(OpCase c, unsigned absent) {
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if ((absent >> i & 1) != 0) c.inputs[i] = Absent();
  }
  return c;
}

// Every set of absent inputs of every op: a required one among them is refused;
// else the node is refused with a reason of the op's own, or it runs on every
// path.
TEST(AbsentOperands, RunOrAreRefused) {
  int ran = 0;
  for (const OpCase& sample : OpSamples()) {
    const Op* op = FindOp(sample.op);
    ASSERT_NE(op, nullptr);
    for (unsigned absent = 1; absent < 1u << sample.inputs.size(); ++absent) {
      SCOPED_TRACE(sample.op + " without inputs " + std::to_string(absent));
      const OpCase c = Without(sample, absent);
      bool may_be = true;
      for (size_t i = 0; i < c.inputs.size(); ++i) {
        const bool gone = (absent >> i & 1) != 0;
        may_be = may_be && (!gone || op->MayBeAbsent(static_cast<int>(i)));
      }
      Node node = MakeNode(c);
      const Status status = Infer(node);
      if (!may_be) {
        EXPECT_EQ(status, Status::MACE_INVALID_MODEL);
        EXPECT_NE(status.information().find("is absent"), std::string::npos)
            << status.information();
      } else if (status.ok()) {
        CheckOp(c, 1e-4f);
        ++ran;
      } else {
        EXPECT_EQ(status, Status::MACE_INVALID_MODEL);
        EXPECT_FALSE(status.information().empty());
      }
    }
  }
  EXPECT_GT(ran, 10);
}

// As in the middle of a list.
TEST(AbsentOperands, AListHasNone) {
  for (const char* op : {"Concat", "Stack"}) {
    SCOPED_TRACE(op);
    const TestTensor x = Const(F32({2}, {1, 2}));
    ExpectInferError({op, {{"axis", int64_t{0}}}, {x, Absent(), x}},
                     "input 1 of 3 is absent, and the op requires it");
  }
}

}  // namespace
}  // namespace mace::testing
