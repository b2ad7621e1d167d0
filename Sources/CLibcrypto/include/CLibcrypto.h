// SHA-256 of OpenSSL's libcrypto. Here because its headers are macros from end to end, and this is all we want of them.
#ifndef CLIBCRYPTO_H
#define CLIBCRYPTO_H

#include <stddef.h>
#include <stdint.h>

// Writes the 32 bytes of the SHA-256 of size bytes to digest.
void sha256_of(const void *bytes, size_t size, uint8_t *digest);

#endif
