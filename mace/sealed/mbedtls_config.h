// What is compiled of mbedTLS: AES and GCM.
// SPDX-License-Identifier: Apache-2.0
//
// mbedTLS includes this file by MBEDTLS_CONFIG_FILE.
#ifndef MACE_SEALED_MBEDTLS_CONFIG_H_
#define MACE_SEALED_MBEDTLS_CONFIG_H_

// GCM calls AES through the cipher layer.
#define MBEDTLS_AES_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_GCM_C
// Tables that are not in the program would be computed at first use, by several
// threads at once.
#define MBEDTLS_AES_ROM_TABLES
#define MBEDTLS_AES_FEWER_TABLES
// AES and GHASH by instructions where the CPU has them, which mbedTLS checks
// when it runs. They are assembly.
#ifdef __x86_64__
#define MBEDTLS_AESNI_C
#define MBEDTLS_HAVE_ASM
#endif

#endif  // MACE_SEALED_MBEDTLS_CONFIG_H_
