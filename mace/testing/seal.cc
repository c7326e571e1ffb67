// Sealing by mbedTLS, byte by byte as the format says.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/seal.h"

#include "mace/sealed/mbedtls_names.h"

#define MBEDTLS_CONFIG_FILE "mace/sealed/mbedtls_config.h"
#include "mbedtls/gcm.h"

namespace mace {
namespace {

constexpr size_t kTagBytes = 16;

void Append(uint64_t number, int count, std::vector<uint8_t>* bytes) {
  for (int i = 0; i < count; ++i) {
    bytes->push_back(static_cast<uint8_t>(number >> 8 * i));
  }
}

// Appends the encrypted message and the tag, which also counts all bytes that
// there are already.
void Encrypt(const std::vector<uint8_t>& message, size_t nonce_at,
             const std::vector<uint8_t>& key, std::vector<uint8_t>* bytes) {
  const std::vector<uint8_t> added = *bytes;
  bytes->resize(added.size() + message.size() + kTagBytes);
  uint8_t* out = bytes->data() + added.size();
  mbedtls_gcm_context gcm;
  mbedtls_gcm_init(&gcm);
  mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key.data(), 256);
  mbedtls_gcm_crypt_and_tag(&gcm, MBEDTLS_GCM_ENCRYPT, message.size(),
                            added.data() + nonce_at, 12, added.data(),
                            added.size(), message.data(), out, kTagBytes,
                            out + message.size());
  mbedtls_gcm_free(&gcm);
}

}  // namespace

std::vector<uint8_t> Seal(const std::vector<uint8_t>& graph,
                          const std::vector<uint8_t>& weights,
                          const std::vector<uint8_t>& key,
                          const std::string& key_name) {
  const std::string magic = "MACESEAL";
  std::vector<uint8_t> bytes(magic.begin(), magic.end());
  Append(1, 4, &bytes);
  Append(key_name.size(), 4, &bytes);
  Append(graph.size(), 8, &bytes);
  Append(weights.size(), 8, &bytes);
  for (int i = 0; i < 24; ++i) bytes.push_back(static_cast<uint8_t>(7 * i));
  bytes.insert(bytes.end(), key_name.begin(), key_name.end());
  Encrypt({}, 32, key, &bytes);
  std::vector<uint8_t> content = graph;
  content.resize((graph.size() + 63) / 64 * 64);
  content.insert(content.end(), weights.begin(), weights.end());
  Encrypt(content, 44, key, &bytes);
  return bytes;
}

}  // namespace mace
