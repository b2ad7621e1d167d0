#include "context.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A ticket's name has 16 bytes: eight bytes that stand for the secret, and the day of its keys. The server then derives
// the keys of one day only.
struct tls_tickets {
    uint8_t secret[64];
    size_t size;
    uint8_t name[8];
    EVP_KDF *kdf;
};

struct keys {
    uint8_t cipher[32];
    uint8_t mac[32];
};

static const char label[] = "tileserver session tickets";

// Derives size bytes from the secret, label and info by HKDF with SHA-256 (RFC 5869). Returns 0 on failure.
static int derive(const struct tls_tickets *tickets, const void *info, size_t info_size, void *result, size_t size) {
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(tickets->kdf);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)tickets->secret, tickets->size),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)label, sizeof label - 1),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_size),
        OSSL_PARAM_construct_end(),
    };
    int works = context && EVP_KDF_derive(context, result, size, parameters) == 1;
    EVP_KDF_CTX_free(context);
    return works;
}

struct tls_tickets *tls_tickets_new(const void *secret, size_t size) {
    struct tls_tickets *tickets = calloc(1, sizeof *tickets);
    if (!tickets) return NULL;
    // Keeps the SHA-512 of the secret instead of the secret, which can be longer.
    tickets->size = sizeof tickets->secret;
    unsigned int length = 0;
    int works = EVP_Digest(secret, size, tickets->secret, &length, EVP_sha512(), NULL) && length == tickets->size;
    tickets->kdf = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
    works = works && tickets->kdf && derive(tickets, "name", 4, tickets->name, sizeof tickets->name);
    if (works) return tickets;
    tls_tickets_free(tickets);
    return NULL;
}

void tls_tickets_free(struct tls_tickets *tickets) {
    if (!tickets) return;
    EVP_KDF_free(tickets->kdf);
    OPENSSL_cleanse(tickets, sizeof *tickets);
    free(tickets);
}

static int64_t today(void) { return time(NULL) / 86400; }

static int derive_day(const struct tls_tickets *tickets, int64_t day, struct keys *keys) {
    uint8_t info[8];
    for (int index = 0; index < 8; index++) info[index] = (uint8_t)(day >> (56 - 8 * index));
    return derive(tickets, info, sizeof info, keys, sizeof *keys);
}

static int set_keys(const struct keys *keys, const uint8_t *start, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int seals) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)keys->mac, sizeof keys->mac),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(mac, parameters) &&
           EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, keys->cipher, start, seals);
}

static int tickets_index = -1;

__attribute__((constructor)) static void make_index(void) {
    tickets_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
}

// Sets the keys of a ticket that is sealed, or opened. Returns 1 on success, 2 if the client should get a new ticket, 0
// before TLS 1.3 or if the ticket's keys are not known, and -1 on failure.
static int set_ticket_keys(
    SSL *ssl, unsigned char *name, unsigned char *start, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int seals) {
    const struct tls_tickets *tickets = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), tickets_index);
    // With TLS 1.2, the keys of a ticket suffice to read the whole session.
    if (SSL_version(ssl) < TLS1_3_VERSION) return 0;
    int64_t day = today(), wanted = 0;
    if (seals) {
        if (RAND_bytes(start, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) <= 0) return -1;
        memcpy(name, tickets->name, 8);
        for (int index = 0; index < 8; index++) name[8 + index] = (uint8_t)(day >> (56 - 8 * index));
        wanted = day;
    } else {
        if (memcmp(name, tickets->name, 8)) return 0;
        uint64_t bits = 0;
        for (int index = 0; index < 8; index++) bits = bits << 8 | name[8 + index];
        // The clocks of a fleet may differ, so tomorrow is known too.
        if (bits > INT64_MAX || (int64_t)bits < day - 1 || (int64_t)bits > day + 1) return 0;
        wanted = (int64_t)bits;
    }
    struct keys keys;
    int works = derive_day(tickets, wanted, &keys) && set_keys(&keys, start, cipher, mac, seals);
    OPENSSL_cleanse(&keys, sizeof keys);
    return works ? (wanted == day ? 1 : 2) : -1;
}

int tickets_use(SSL_CTX *context, struct tls_tickets *tickets) {
    // Less than a day, so the keys of a ticket are known for its whole lifetime.
    SSL_CTX_set_timeout(context, 12 * 3600);
    return SSL_CTX_set_ex_data(context, tickets_index, tickets) && SSL_CTX_set_num_tickets(context, 1) &&
           SSL_CTX_set_tlsext_ticket_key_evp_cb(context, set_ticket_keys);
}
