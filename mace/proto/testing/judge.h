// Whether the reader of models finds in some bytes what protobuf finds.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PROTO_TESTING_JUDGE_H_
#define MACE_PROTO_TESTING_JUDGE_H_

#include <string>

namespace mace {

struct Verdict {
  bool accepted = false;  // by protobuf
  // The first field in which the two differ, by its path: "op > arg > name has
  // another value"; or that only one of the two, or of protobuf's runtimes,
  // accepts the bytes. Empty if nothing differs.
  std::string difference;
};

// Reads the bytes as a NetDef by stored::Read and by protobuf, and compares
// whether they accept them, and the value, presence and size of every field.
// Floats are compared by their bits. Whether the lite runtime and the full one
// accept the bytes is compared, too.
Verdict Judge(const std::string& bytes);

// Returns what differs between the messages of messages.h and mace.proto:
// numbers, order, types and defaults of fields, which are repeated or of a
// oneof, and the numbers of enums. Empty if nothing does.
std::string CompareDefinitions();

}  // namespace mace

#endif  // MACE_PROTO_TESTING_JUDGE_H_
