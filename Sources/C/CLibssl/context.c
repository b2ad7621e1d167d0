#include "context.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The first context owns the others. All of them live at least as long as the SSL_CTX of the first, because sessions
// that outlive the context may still look for a name.
struct names {
    size_t count;
    SSL_CTX **contexts;
};

struct tls_context {
    SSL_CTX *ssl;
};

SSL_CTX *context_ssl(struct tls_context *context) { return context->ssl; }

// MARK: Names

static int names_index = -1;

static void free_names(void *parent, void *pointer, CRYPTO_EX_DATA *data, int index, long number, void *argument) {
    (void)parent, (void)data, (void)index, (void)number, (void)argument;
    struct names *names = pointer;
    if (!names) return;
    for (size_t each = 0; each < names->count; each++) SSL_CTX_free(names->contexts[each]);
    free(names->contexts);
    free(names);
}

__attribute__((constructor)) static void make_index(void) {
    names_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_names);
}

static int has_name(SSL_CTX *context, const char *name) {
    X509 *certificate = SSL_CTX_get0_certificate(context);
    return certificate && X509_check_host(certificate, name, 0, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1;
}

// Selects the certificate for the name that the client asks for (RFC 6066 3).
static int select_name(SSL *ssl, int *alert, void *argument) {
    (void)alert;
    SSL_CTX *first = argument;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    struct names *names = SSL_CTX_get_ex_data(first, names_index);
    if (!name || !names || has_name(first, name)) return SSL_TLSEXT_ERR_OK;
    for (size_t index = 0; index < names->count; index++) {
        if (!has_name(names->contexts[index], name)) continue;
        SSL_set_SSL_CTX(ssl, names->contexts[index]);
        break;
    }
    return SSL_TLSEXT_ERR_OK;
}

int tls_context_add(struct tls_context *first, struct tls_context *other) {
    struct names *names = SSL_CTX_get_ex_data(first->ssl, names_index);
    if (!names) {
        names = calloc(1, sizeof *names);
        if (!names || !SSL_CTX_set_ex_data(first->ssl, names_index, names)) {
            free(names);
            tls_context_free(other);
            return 0;
        }
    }
    SSL_CTX **contexts = realloc(names->contexts, (names->count + 1) * sizeof *contexts);
    if (!contexts) {
        tls_context_free(other);
        return 0;
    }
    names->contexts = contexts;
    names->contexts[names->count++] = other->ssl;
    other->ssl = NULL;
    tls_context_free(other);
    return 1;
}

// MARK: Settings

// Selects the protocol of the application (RFC 7301). A client that offers only other protocols is refused.
static int select_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned int size,
    void *argument) {
    (void)ssl, (void)argument;
    static const unsigned char known[] = "\x02h2\x08http/1.1";
    unsigned char *found;
    if (SSL_select_next_proto(&found, length, known, sizeof known - 1, offered, size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

// The list "intermediate" of Mozilla's Server Side TLS 5.7, without finite-field Diffie-Hellman, whose handshakes take
// much more processor time than handshakes with elliptic curves. The clients of this list support elliptic curves.
static const char ciphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

static int configure(SSL_CTX *context) {
    // Each cipher of the list is strong, so the client's order decides: it knows which one is fast on its processor.
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // One read of the socket can take a whole record, or several.
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) && SSL_CTX_set_cipher_list(context, ciphers) &&
           SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384");
}

// MARK: Certificates

// Answers OpenSSL's question for a password with an error. Without this function OpenSSL would ask on the terminal.
static int no_password(char *buffer, int size, int writing, void *argument) {
    (void)buffer, (void)size, (void)writing, (void)argument;
    return -1;
}

static BIO *reader(const void *bytes, size_t size) {
    return size <= INT_MAX ? BIO_new_mem_buf(bytes, (int)size) : NULL;
}

static int use_chain(SSL_CTX *context, BIO *bio) {
    X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, no_password, NULL) : NULL;
    int works = certificate && SSL_CTX_use_certificate(context, certificate);
    X509_free(certificate);
    while (works && (certificate = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
        works = SSL_CTX_add0_chain_cert(context, certificate);
        if (!works) X509_free(certificate);
    }
    return works;
}

static int use_key(SSL_CTX *context, BIO *bio) {
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;
    int works = key && SSL_CTX_use_PrivateKey(context, key) && SSL_CTX_check_private_key(context);
    EVP_PKEY_free(key);
    return works;
}

struct tls_context *tls_context_new(
    const void *chain, size_t chain_size, const void *key, size_t key_size, struct tls_tickets *tickets,
    const char **reason) {
    ERR_clear_error();
    struct tls_context *context = calloc(1, sizeof *context);
    SSL_CTX *ssl = SSL_CTX_new(TLS_server_method());
    BIO *first = reader(chain, chain_size), *second = reader(key, key_size);
    int works = context && ssl && configure(ssl) && use_chain(ssl, first) && use_key(ssl, second) &&
                tickets_use(ssl, tickets);
    BIO_free(first);
    BIO_free(second);
    if (!works) {
        const char *text = ERR_reason_error_string(ERR_peek_last_error());
        *reason = text ? text : "out of memory";
        SSL_CTX_free(ssl);
        free(context);
        context = NULL;
    } else {
        SSL_CTX_set_tlsext_servername_callback(ssl, select_name);
        SSL_CTX_set_tlsext_servername_arg(ssl, ssl);
        context->ssl = ssl;
    }
    ERR_clear_error();
    return context;
}

void tls_context_free(struct tls_context *context) {
    if (!context) return;
    SSL_CTX_free(context->ssl);
    free(context);
}

int64_t tls_context_expires(const struct tls_context *context) {
    struct tm parts;
    X509 *certificate = SSL_CTX_get0_certificate(context->ssl);
    if (!certificate || !ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts)) return 0;
    return timegm(&parts);
}

// Appends the text of a name to buffer, of which *used bytes are in use.
static void append(const char *text, size_t length, char *buffer, size_t size, size_t *used) {
    size_t space = *used > 0;
    if (*used + space + length + 1 > size) return;
    if (space) buffer[(*used)++] = ' ';
    memcpy(buffer + *used, text, length);
    *used += length;
    buffer[*used] = 0;
}

void tls_context_names(const struct tls_context *context, char *buffer, size_t size) {
    size_t used = 0;
    if (!size) return;
    *buffer = 0;
    X509 *certificate = SSL_CTX_get0_certificate(context->ssl);
    GENERAL_NAMES *names = certificate ? X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL) : NULL;
    for (int index = 0; index < sk_GENERAL_NAME_num(names); index++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
        if (name->type != GEN_DNS) continue;
        append((const char *)ASN1_STRING_get0_data(name->d.dNSName), (size_t)ASN1_STRING_length(name->d.dNSName), buffer,
               size, &used);
    }
    GENERAL_NAMES_free(names);
    ERR_clear_error();
}
