// The version of these headers, which the library compares with its own.
// SPDX-License-Identifier: Apache-2.0
//
// An app runs with a library that has the major version of its headers, and the
// same or a later minor version; creating an engine fails with another one.
#ifndef MACE_PUBLIC_MACE_VERSION_H_
#define MACE_PUBLIC_MACE_VERSION_H_

#define MACE_VERSION_MAJOR 1
#define MACE_VERSION_MINOR 0
#define MACE_VERSION_PATCH 0
#define MACE_VERSION_STRING "1.0.0"
#define MACE_VERSION_NUMBER                                   \
  (MACE_VERSION_MAJOR * 1000000 + MACE_VERSION_MINOR * 1000 + \
   MACE_VERSION_PATCH)

#endif  // MACE_PUBLIC_MACE_VERSION_H_
