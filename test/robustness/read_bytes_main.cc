// read_bytes: reads a file as something that an app gets from elsewhere and
// hands to the library, which no other program reads: encrypted models, saved
// sequences, states, images, and requests to the executor of a DSP.
// SPDX-License-Identifier: Apache-2.0
//
// read_bytes KIND FILE reads it; read_bytes KIND FILE --write makes one.
// Exit codes: 0 it was read, 1 it was refused, with the message, 2 wrong
// arguments.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "test/robustness/read_bytes.h"

namespace mace::robustness {
namespace {

constexpr Kind kKinds[] = {
    {"encrypted", EncryptedModel, ReadEncrypted},
    {"saved_sequence", SavedSequence, ReadSavedSequence},
    {"states", States, ReadStates},
    {"image", Image, ReadImage},
    {"dsp_requests", DspRequests, ReadDspRequests},
};

int Main(const Kind& kind, const char* file, bool is_writing) {
  if (is_writing) {
    std::ofstream(file, std::ios::binary) << kind.make();
    return 0;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::string refused = kind.read(bytes);
  if (refused.empty()) return 0;
  std::fprintf(stderr, "%s\n", refused.c_str());
  return 1;
}

}  // namespace
}  // namespace mace::robustness

int main(int argc, char** argv) {
  for (const auto& kind : mace::robustness::kKinds) {
    if (argc < 3 || std::strcmp(kind.name, argv[1]) != 0) continue;
    return mace::robustness::Main(kind, argv[2], argc > 3);
  }
  std::fprintf(stderr, "usage: read_bytes KIND FILE [--write]\n");
  return 2;
}
