// What is wanted of OpenSSL's libcrypto. Here because its headers are macros from end to end.
#ifndef CLIBCRYPTO_H
#define CLIBCRYPTO_H

#include <stddef.h>
#include <stdint.h>

// Writes the 32 bytes of the SHA-256 of size bytes to digest.
void sha256_of(const void *bytes, size_t size, uint8_t *digest);

// Writes the 32 bytes of the HMAC-SHA-256 (RFC 2104) of size bytes by key to digest; 0 where there is no memory for it.
int sha256_hmac_of(const void *key, size_t key_size, const void *bytes, size_t size, uint8_t *digest);

// The certificates in size bytes of PEM (RFC 7468); -1 where one of them cannot be read.
int pem_certificates(const void *bytes, size_t size);

enum pem_key {
    PEM_KEY_FITS,
    // There is none, or none that can be read.
    PEM_KEY_UNREADABLE,
    // A password would be needed.
    PEM_KEY_ENCRYPTED,
    // It is not that of the certificate.
    PEM_KEY_OTHER,
};

// Whether key holds the private key of the first certificate in certificate, which must have one; both are PEM.
enum pem_key pem_key_of(const void *certificate, size_t size, const void *key, size_t key_size);

// Writes the 20 bytes of the SHA-1 of size bytes to digest: a name, and no proof of anything.
void sha1_of(const void *bytes, size_t size, uint8_t *digest);

#endif
