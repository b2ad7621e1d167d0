// Functions of OpenSSL's libcrypto. This is C because Swift cannot import many macros of OpenSSL's headers.
#ifndef CLIBCRYPTO_H
#define CLIBCRYPTO_H

#include <stddef.h>
#include <stdint.h>

// Writes the SHA-256 of size bytes, which has 32 bytes, to digest.
void sha256_of(const void *bytes, size_t size, uint8_t *digest);

// Writes the 32 bytes of the HMAC-SHA-256 (RFC 2104) of size bytes with key to digest. Returns 0 if memory runs out, or
// if key is longer than INT_MAX.
int sha256_hmac_of(const void *key, size_t key_size, const void *bytes, size_t size, uint8_t *digest);

// Returns the number of certificates in size bytes of PEM (RFC 7468), or -1 if a certificate cannot be read.
int pem_certificates(const void *bytes, size_t size);

enum pem_key {
    PEM_KEY_FITS,
    // The text has no private key, or an unreadable one.
    PEM_KEY_UNREADABLE,
    // The private key is encrypted with a password.
    PEM_KEY_ENCRYPTED,
    // The private key belongs to another certificate.
    PEM_KEY_OTHER,
};

// Reports whether key contains the private key of the first certificate in certificate. Both texts are PEM, and the
// first text must contain a certificate.
enum pem_key pem_key_of(const void *certificate, size_t size, const void *key, size_t key_size);

// Writes the SHA-1 of size bytes, which has 20 bytes, to digest. SHA-1 serves as a name only, because it is not secure.
void sha1_of(const void *bytes, size_t size, uint8_t *digest);

#endif
