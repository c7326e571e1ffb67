// Reads the usage records of published networks.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_CONFORMANCE_NETS_H_
#define MACE_MEMORY_TESTING_CONFORMANCE_NETS_H_

#include "mace/memory/problem/problem.h"
#include "mace/memory/testing/conformance_file.h"

namespace mace::memory {

// Returns the records of one of the "nets" in nets_records.json.
inline Problem NetRecords(const Json& net) {
  Problem p;
  for (const Json& j : net["records"]) {
    Record r;
    r.size = j["size"].get<int64_t>();
    r.first = j["first"];
    r.last = j["last"];
    p.records.push_back(r);
  }
  return p;
}

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_CONFORMANCE_NETS_H_
