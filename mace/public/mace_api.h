// MACE_API: marks what the library exports.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_API_H_
#define MACE_PUBLIC_MACE_API_H_

#define MACE_API __attribute__((visibility("default")))

#endif  // MACE_PUBLIC_MACE_API_H_
