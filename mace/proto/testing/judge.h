// Whether the reader of models finds in some bytes what protobuf finds.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PROTO_TESTING_JUDGE_H_
#define MACE_PROTO_TESTING_JUDGE_H_

#include <string>

namespace mace {

struct Verdict {
  bool accepted = false;   // by protobuf
  std::string difference;  // between the two; empty if there is none
};

// Reads the bytes as a NetDef by stored::Read and by protobuf: whether they
// accept them, and the value of every field.
Verdict Judge(const std::string& bytes);

// What differs between the messages of messages.h and mace.proto: numbers,
// types and defaults of fields, numbers of enums. Empty if nothing does.
std::string CompareDefinitions();

}  // namespace mace

#endif  // MACE_PROTO_TESTING_JUDGE_H_
