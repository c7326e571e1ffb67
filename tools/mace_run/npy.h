// Tensors in NumPy's .npy files (little endian, C order): of any version of the
// format are read, and of 1.0 written.
// SPDX-License-Identifier: Apache-2.0
//
// Source: numpy.lib.format, "NPY format".
#ifndef TOOLS_MACE_RUN_NPY_H_
#define TOOLS_MACE_RUN_NPY_H_

#include <string>

#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace::tools {

// float64 is read as float, and uint16 as bfloat16, which NumPy lacks. Errors:
// as MappedFile::Open; MACE_INVALID_ARGS, naming the file and what is wrong
// with it; MACE_OUT_OF_RESOURCES.
Result<MaceTensor> ReadNpy(const std::string& path);

// bfloat16 is written as uint16. Atomic. Errors: as WriteFileAtomically.
Status WriteNpy(const std::string& path, const MaceTensor& tensor);

// Bytes of one element; 0 for IDT_INVALID.
size_t SizeOf(IDataType type);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_NPY_H_
