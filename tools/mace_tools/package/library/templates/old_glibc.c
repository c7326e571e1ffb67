// Functions that the headers of glibc 2.32 and later call, by those that
// earlier ones have, too; see old_glibc.py.
// SPDX-License-Identifier: Apache-2.0

struct stat;
struct stat64;

// The first argument of the functions below.
#ifdef __aarch64__
enum { kStatVersion = 0 };
#elif defined(__arm__)
enum { kStatVersion = 3 };
#else
enum { kStatVersion = 1 };
#endif

int __xstat(int version, const char* path, struct stat* status);
int __fxstat(int version, int file, struct stat* status);
int __fxstat64(int version, int file, struct stat64* status);

// Since 2.33.
int stat(const char* path, struct stat* status) {
  return __xstat(kStatVersion, path, status);
}
int fstat(int file, struct stat* status) {
  return __fxstat(kStatVersion, file, status);
}
int fstat64(int file, struct stat64* status) {
  return __fxstat64(kStatVersion, file, status);
}

// Since 2.32: 0 says that there may be other threads.
char __libc_single_threaded = 0;
