#include "CLibcrypto.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

// Answers OpenSSL's question for a password with an error, and notes in *asked that a password is needed. Without this
// function OpenSSL would ask on the terminal.
static int no_password(char *buffer, int size, int writing, void *asked) {
    (void)buffer, (void)size, (void)writing;
    if (asked) *(int *)asked = 1;
    return -1;
}

static BIO *reader(const void *bytes, size_t size) {
    return size <= INT_MAX ? BIO_new_mem_buf(bytes, (int)size) : NULL;
}

int pem_certificates(const void *bytes, size_t size) {
    BIO *bio = reader(bytes, size);
    if (!bio) return -1;
    int count = 0;
    X509 *certificate;
    ERR_clear_error();
    while ((certificate = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
        X509_free(certificate);
        count++;
    }
    // At the end of the text OpenSSL also reports an error: no further certificate begins.
    unsigned long error = ERR_peek_last_error();
    int ended = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    BIO_free(bio);
    return ended ? count : -1;
}

enum pem_key pem_key_of(const void *certificate, size_t size, const void *key, size_t key_size) {
    BIO *first = reader(certificate, size), *second = reader(key, key_size);
    X509 *known = first ? PEM_read_bio_X509(first, NULL, no_password, NULL) : NULL;
    int asked = 0;
    EVP_PKEY *private = second ? PEM_read_bio_PrivateKey(second, NULL, no_password, &asked) : NULL;
    enum pem_key result = asked ? PEM_KEY_ENCRYPTED : PEM_KEY_UNREADABLE;
    if (known && private) result = X509_check_private_key(known, private) == 1 ? PEM_KEY_FITS : PEM_KEY_OTHER;
    ERR_clear_error();
    EVP_PKEY_free(private);
    X509_free(known);
    BIO_free(first);
    BIO_free(second);
    return result;
}
