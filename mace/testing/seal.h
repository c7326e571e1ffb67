// Seal: makes sealed models for tests, by mbedTLS.
// SPDX-License-Identifier: Apache-2.0
//
// `converter.py seal` makes them by another library.
#ifndef MACE_TESTING_SEAL_H_
#define MACE_TESTING_SEAL_H_

#include <cstdint>
#include <string>
#include <vector>

namespace mace {

// Returns the sealed model (mace/sealed/sealed_model.h) of a graph and weights,
// which need not be valid. The key has 32 bytes. The nonces are always the
// same, so that the result is reproducible: no app may reuse them like that.
std::vector<uint8_t> Seal(const std::vector<uint8_t>& graph,
                          const std::vector<uint8_t>& weights,
                          const std::vector<uint8_t>& key,
                          const std::string& key_name = "");

}  // namespace mace

#endif  // MACE_TESTING_SEAL_H_
