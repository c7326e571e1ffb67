// Reading a stream of the app to its end.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MODEL_READ_STREAM_H_
#define MACE_RUNTIME_MODEL_READ_STREAM_H_

#include <string>

#include "mace/base/status.h"
#include "mace/model/model.h"
#include "mace/public/mace_model.h"

namespace mace {

// Returns all bytes, in new memory at a 64-byte boundary as weights are. `what`
// names the stream in messages. Errors: MACE_INVALID_ARGS if it fails, or gives
// fewer or more bytes than it reported; MACE_OUT_OF_RESOURCES.
Result<WeightBytes> ReadStream(MaceStream& stream, const std::string& what);

}  // namespace mace

#endif  // MACE_RUNTIME_MODEL_READ_STREAM_H_
