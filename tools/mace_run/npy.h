// Tensors in NumPy's .npy files (format 1.0 and 2.0, little endian, C order).
// SPDX-License-Identifier: Apache-2.0
//
// Source: numpy.lib.format, "NPY format".
#ifndef TOOLS_MACE_RUN_NPY_H_
#define TOOLS_MACE_RUN_NPY_H_

#include <string>

#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace::tools {

// Errors: MACE_INVALID_ARGS, naming the file and what is wrong with it. float64
// is read as float.
Result<MaceTensor> ReadNpy(const std::string& path);

// Atomic. Errors: as WriteFileAtomically.
Status WriteNpy(const std::string& path, const MaceTensor& tensor);

// Bytes of one element.
size_t SizeOf(IDataType type);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_NPY_H_
