// AES-256-GCM, as far as an encrypted model needs it: reading one message.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_SEALED_AES_GCM_H_
#define MACE_SEALED_AES_GCM_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The sizes of a key, a nonce and a tag. GCM would hash a nonce of another size
// first (SP 800-38D, section 7.1). The tag is not truncated.
enum { kMaceKeyBytes = 32, kMaceNonceBytes = 12, kMaceTagBytes = 16 };

enum mace_gcm_result {
  kMaceGcmDone,
  kMaceGcmOtherTag,  // another key, or other bytes than those that were written
  kMaceGcmNoMemory,
  kMaceGcmTooLong,  // more than the 2^36 - 32 bytes that one nonce is good for
};

// A piece of a message, encrypted in `in` and decrypted in `out`. `bytes` is a
// multiple of 16, except in the last piece; if it is 0, both pointers may be
// null.
struct mace_gcm_piece {
  const uint8_t* in;
  uint8_t* out;
  size_t bytes;
};

// Decrypts the pieces one after the other and compares the tag, in time that
// does not depend on the tag. `added` are bytes that are not encrypted but
// count for the tag; without pieces, the tag is that of `added` alone.
//
// Unless the result is kMaceGcmDone, all bytes of each `out` are zeros. Before
// the function returns, `out` holds bytes that are not verified: no other
// thread may read them. Allocates a few hundred bytes, which are zeros when
// they are freed.
// Threads: any. Source: NIST SP 800-38D; the computation is mbedTLS's.
enum mace_gcm_result mace_gcm_decrypt(const uint8_t key[kMaceKeyBytes],
                                      const uint8_t nonce[kMaceNonceBytes],
                                      const uint8_t* added, size_t added_bytes,
                                      const struct mace_gcm_piece* pieces,
                                      size_t num_pieces,
                                      const uint8_t tag[kMaceTagBytes]);

// Writes `size` zeros, also where a compiler sees that nobody reads them, as
// when memory is about to be freed.
void mace_wipe(void* bytes, size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_SEALED_AES_GCM_H_
