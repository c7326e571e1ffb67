// Reading a stream of the app to its end.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/model/read_stream.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/make_shared.h"
#include "mace/base/str_cat.h"

namespace mace {

Result<WeightBytes> ReadStream(MaceStream& stream, const std::string& what) {
  const size_t size = stream.size();
  const std::string message = StrCat(what, " reported ", size, " bytes");
  if (size > PTRDIFF_MAX) return InvalidArgument(message, ", which cannot be");
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::Create(std::max<size_t>(size, 1), "a model's stream"));
  auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  auto* bytes = static_cast<uint8_t*>(owner->data());
  for (size_t at = 0;;) {
    // At the end one byte more is asked for, which must not be there.
    uint8_t beyond = 0;
    const size_t wanted = std::max<size_t>(size - at, 1);
    const int64_t read = stream.Read(at < size ? bytes + at : &beyond, wanted);
    if (read < 0) {
      return InvalidArgument(what, " failed behind byte ", at,
                             ": its Read returned ", read);
    }
    if (static_cast<uint64_t>(read) > wanted) {
      return InvalidArgument(what, ": Read was asked for ", wanted,
                             " bytes and returned ", read);
    }
    if (at == size) {
      if (read > 0) return InvalidArgument(message, " and has more");
      return WeightBytes{{owner, bytes}, size};
    }
    if (read == 0) {
      return InvalidArgument(message, " and ended after ", at);
    }
    at += static_cast<size_t>(read);
  }
}

}  // namespace mace
