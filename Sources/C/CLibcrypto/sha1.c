#include "CLibcrypto.h"

#include <openssl/sha.h>

void sha1_of(const void *bytes, size_t size, uint8_t *digest) {
    SHA1(bytes, size, digest);
}
