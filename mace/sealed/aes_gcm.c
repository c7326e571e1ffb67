// AES-256-GCM by mbedTLS, whose files are compiled here.
// SPDX-License-Identifier: Apache-2.0

#include "mace/sealed/aes_gcm.h"

#include "mace/sealed/mbedtls_names.h"

#define MBEDTLS_CONFIG_FILE "mace/sealed/mbedtls_config.h"
#include "mbedtls/library/aes.c"
#include "mbedtls/library/aesni.c"
#include "mbedtls/library/cipher.c"
#include "mbedtls/library/cipher_wrap.c"
#include "mbedtls/library/constant_time.c"
#include "mbedtls/library/gcm.c"
#include "mbedtls/library/platform_util.c"

static int Decrypt(mbedtls_gcm_context* gcm, const uint8_t* key,
                   const uint8_t* nonce, const uint8_t* added,
                   size_t added_bytes, const struct mace_gcm_piece* pieces,
                   size_t num_pieces, uint8_t* tag) {
  int error =
      mbedtls_gcm_setkey(gcm, MBEDTLS_CIPHER_ID_AES, key, 8 * kMaceKeyBytes);
  if (error == 0) {
    error = mbedtls_gcm_starts(gcm, MBEDTLS_GCM_DECRYPT, nonce, kMaceNonceBytes,
                               added, added_bytes);
  }
  for (size_t i = 0; error == 0 && i < num_pieces; ++i) {
    error =
        mbedtls_gcm_update(gcm, pieces[i].bytes, pieces[i].in, pieces[i].out);
  }
  return error != 0 ? error : mbedtls_gcm_finish(gcm, tag, kMaceTagBytes);
}

enum mace_gcm_result mace_gcm_decrypt(const uint8_t key[kMaceKeyBytes],
                                      const uint8_t nonce[kMaceNonceBytes],
                                      const uint8_t* added, size_t added_bytes,
                                      const struct mace_gcm_piece* pieces,
                                      size_t num_pieces,
                                      const uint8_t tag[kMaceTagBytes]) {
  mbedtls_gcm_context gcm;
  uint8_t found[kMaceTagBytes] = {0};
  mbedtls_gcm_init(&gcm);
  const int error =
      Decrypt(&gcm, key, nonce, added, added_bytes, pieces, num_pieces, found);
  mbedtls_gcm_free(&gcm);
  enum mace_gcm_result result = kMaceGcmDone;
  if (error == MBEDTLS_ERR_CIPHER_ALLOC_FAILED) {
    result = kMaceGcmNoMemory;
  } else if (error != 0) {
    result = kMaceGcmTooLong;
  } else if (mbedtls_ct_memcmp(found, tag, kMaceTagBytes) != 0) {
    result = kMaceGcmOtherTag;
  }
  if (result != kMaceGcmDone) {
    for (size_t i = 0; i < num_pieces; ++i) {
      if (pieces[i].bytes > 0) mace_wipe(pieces[i].out, pieces[i].bytes);
    }
  }
  mace_wipe(found, sizeof(found));
  return result;
}

void mace_wipe(void* bytes, size_t size) {
  mbedtls_platform_zeroize(bytes, size);
}
