// An OpenCL library with a fault, which $MACE_TEST_FAULT names; all else is the
// system's own library, on which this one depends.
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int Has(const char* fault) {
  const char* chosen = getenv("MACE_TEST_FAULT");
  return chosen != NULL && strcmp(chosen, fault) == 0;
}

__attribute__((constructor)) static void Open(void) {
  if (Has("crash_when_opened")) raise(SIGSEGV);
}

int32_t clBuildProgram(void* program, uint32_t num_devices,
                       void* const* devices, const char* options,
                       void (*notify)(void*, void*), void* user) {
  int32_t (*real)(void*, uint32_t, void* const*, const char*,
                  void (*)(void*, void*), void*);
  if (Has("crash_in_build")) abort();
  if (Has("exit_in_build")) _exit(3);
  while (Has("hang_in_build")) pause();
  *(void**)&real = dlsym(RTLD_NEXT, "clBuildProgram");
  return real(program, num_devices, devices, options, notify, user);
}

// A kernel that does nothing.
int32_t clEnqueueNDRangeKernel(void* queue, void* kernel, uint32_t dimensions,
                               const size_t* offset, const size_t* global,
                               const size_t* local, uint32_t num_events,
                               void* const* events, void** event) {
  int32_t (*real)(void*, void*, uint32_t, const size_t*, const size_t*,
                  const size_t*, uint32_t, void* const*, void**);
  int32_t (*marker)(void*, uint32_t, void* const*, void**);
  *(void**)&marker = dlsym(RTLD_NEXT, "clEnqueueMarkerWithWaitList");
  *(void**)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
  if (Has("wrong_numbers")) return marker(queue, num_events, events, event);
  return real(queue, kernel, dimensions, offset, global, local, num_events,
              events, event);
}
