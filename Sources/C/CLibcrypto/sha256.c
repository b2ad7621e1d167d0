#include "CLibcrypto.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

void sha256_of(const void *bytes, size_t size, uint8_t *digest) {
    SHA256(bytes, size, digest);
}

int sha256_hmac_of(const void *key, size_t key_size, const void *bytes, size_t size, uint8_t *digest) {
    unsigned int length = 0;
    if (key_size > INT_MAX || !HMAC(EVP_sha256(), key, (int)key_size, bytes, size, digest, &length)) return 0;
    return length == SHA256_DIGEST_LENGTH;
}
