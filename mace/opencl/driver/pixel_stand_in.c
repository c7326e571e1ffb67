// A library that has its functions as libOpenCL-pixel.so does.
// SPDX-License-Identifier: Apache-2.0

#include <stddef.h>
#include <string.h>

static int is_enabled = 0;

static void Function(void) {}

void enableOpenCL(void) { is_enabled = 1; }

void* loadOpenCLPointer(const char* name) {
  return is_enabled && strncmp(name, "cl", 2) == 0 ? (void*)&Function : NULL;
}
