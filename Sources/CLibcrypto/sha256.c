#include "CLibcrypto.h"

#include <openssl/sha.h>

void sha256_of(const void *bytes, size_t size, uint8_t *digest) {
    SHA256(bytes, size, digest);
}
