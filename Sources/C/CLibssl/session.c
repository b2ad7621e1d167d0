#include "context.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct tls_session {
    SSL *ssl;
    int socket;
    // True if the last read has emptied the socket, and no bytes were announced since then. Later calls may take
    // content from OpenSSL's buffer only, and learn nothing about the socket.
    int is_drained;
    int is_broken;
    // True if the client has closed its sending side. HTTP says where a request ends, so a client that closes without
    // TLS's farewell is no attack (RFC 9112 9.8).
    int is_ended;
    // True after the handshake.
    int is_established;
    // Number of OpenSSL's events for messages and alerts of TLS itself, such as KeyUpdate, since the end of the
    // handshake. A message can cause several events.
    int interruptions;
    // The server's certificate, of a client's session.
    X509 *expected;
};

enum {
    RECORD = 16384,
    // A browser's first message has about 2 KiB, with the keys of post-quantum algorithms.
    MOST_HELLO = 16384,
    // A client renews its keys after millions of records, so no connection comes near this limit.
    MOST_INTERRUPTIONS = 64,
};

// MARK: The socket

static int socket_read(BIO *bio, char *bytes, int size) {
    struct tls_session *session = BIO_get_data(bio);
    ssize_t count;
    BIO_clear_retry_flags(bio);
    do count = recv(session->socket, bytes, (size_t)size, 0);
    while (count < 0 && errno == EINTR);
    if (count < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
    if (count == 0) session->is_ended = 1;
    // The client's end is no further byte either.
    session->is_drained = count < size;
    return (int)count;
}

static int socket_write(BIO *bio, const char *bytes, int size) {
    struct tls_session *session = BIO_get_data(bio);
    ssize_t count;
    BIO_clear_retry_flags(bio);
    do count = send(session->socket, bytes, (size_t)size, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    if (count < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
    return (int)count;
}

static long socket_control(BIO *bio, int command, long number, void *pointer) {
    (void)number, (void)pointer;
    if (command == BIO_CTRL_EOF) return ((struct tls_session *)BIO_get_data(bio))->is_ended;
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

static BIO_METHOD *method;

__attribute__((constructor)) static void make_method(void) {
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "client");
    if (!method) return;
    BIO_meth_set_read(method, socket_read);
    BIO_meth_set_write(method, socket_write);
    BIO_meth_set_ctrl(method, socket_control);
}

// MARK: The session

// SSL_read returns only for content, an empty socket, an end or an error. A client that sends one KeyUpdate after the
// other would therefore hold up other connections. Beyond the limit, this function makes SSL_read end at the next
// record.
static void count_interruption(const SSL *ssl, int event, int value) {
    (void)value;
    struct tls_session *session = SSL_get_app_data(ssl);
    if (!session->is_established || !(event & (SSL_CB_LOOP | SSL_CB_HANDSHAKE_START | SSL_CB_ALERT))) return;
    if (++session->interruptions > MOST_INTERRUPTIONS) SSL_set_shutdown((SSL *)ssl, SSL_RECEIVED_SHUTDOWN);
}

static struct tls_session *make_session(SSL_CTX *context, int socket) {
    struct tls_session *session = calloc(1, sizeof *session);
    BIO *bio = method ? BIO_new(method) : NULL;
    SSL *ssl = SSL_new(context);
    if (!session || !bio || !ssl) {
        ERR_clear_error();
        SSL_free(ssl);
        BIO_free(bio);
        free(session);
        return NULL;
    }
    session->ssl = ssl;
    session->socket = socket;
    BIO_set_data(bio, session);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, session);
    SSL_set_info_callback(ssl, count_interruption);
    return session;
}

struct tls_session *tls_session_new(struct tls_context *context, int socket) {
    struct tls_session *session = make_session(context_ssl(context), socket);
    if (session) SSL_set_accept_state(session->ssl);
    return session;
}

static int is_expected(X509_STORE_CTX *store, void *expected) {
    X509 *shown = X509_STORE_CTX_get0_cert(store);
    if (shown && X509_cmp(shown, expected) == 0) return 1;
    X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
    return 0;
}

struct tls_session *tls_session_connect(int socket, const void *chain, size_t size) {
    BIO *bio = size <= INT_MAX ? BIO_new_mem_buf(chain, (int)size) : NULL;
    X509 *expected = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    struct tls_session *session = NULL;
    if (expected && context && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)) {
        SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_cert_verify_callback(context, is_expected, expected);
        session = make_session(context, socket);
    }
    if (session) {
        SSL_set_connect_state(session->ssl);
        session->expected = expected;
    } else {
        X509_free(expected);
    }
    ERR_clear_error();
    BIO_free(bio);
    // The session keeps the context.
    SSL_CTX_free(context);
    return session;
}

void tls_session_end(struct tls_session *session) {
    SSL_free(session->ssl);
    session->ssl = NULL;
    session->is_broken = 1;
}

void tls_session_free(struct tls_session *session) {
    if (!session) return;
    SSL_free(session->ssl);
    X509_free(session->expected);
    free(session);
}

// Looks at the first bytes of the client before OpenSSL does. A request of HTTP begins with a capital letter of its
// method. OpenSSL knows only some of the methods. A ClientHello (RFC 8446 4.1.2) says its size first, and OpenSSL takes
// memory for all of it at once, up to 128 KiB. TLS_STEP_DONE means that OpenSSL may go on.
static enum tls_step look(int socket) {
    uint8_t first[9];
    ssize_t count = recv(socket, first, sizeof first, MSG_PEEK);
    if (count < 0 && errno == EAGAIN) return TLS_STEP_WAITS;
    if (count > 0 && first[0] >= 'A' && first[0] <= 'Z') return TLS_STEP_PLAIN_HTTP;
    if (count <= 0 || first[0] != 22) return TLS_STEP_DONE;
    if (count < (ssize_t)sizeof first) return TLS_STEP_WAITS;
    size_t record = (size_t)first[3] << 8 | first[4], hello = (size_t)first[6] << 16 | first[7] << 8 | first[8];
    return record >= 4 && hello <= MOST_HELLO ? TLS_STEP_DONE : TLS_STEP_FAILED;
}

enum tls_step tls_session_handshake(struct tls_session *session, const char **reason) {
    if (!session->ssl) {
        *reason = "the connection has ended";
        return TLS_STEP_FAILED;
    }
    if (SSL_in_before(session->ssl) && !session->expected) {
        enum tls_step step = look(session->socket);
        session->is_broken = step == TLS_STEP_PLAIN_HTTP || step == TLS_STEP_FAILED;
        *reason = "the client's first message is too large";
        if (step != TLS_STEP_DONE) return step;
    }
    ERR_clear_error();
    int result = SSL_do_handshake(session->ssl);
    if (result == 1) {
        session->is_established = 1;
        return TLS_STEP_DONE;
    }
    int error = SSL_get_error(session->ssl, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return TLS_STEP_WAITS;
    session->is_broken = 1;
    unsigned long code = ERR_peek_error();
    int why = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
    const char *text = ERR_reason_error_string(code);
    *reason = text ? text : "the client closed the connection";
    ERR_clear_error();
    return why == SSL_R_HTTP_REQUEST ? TLS_STEP_PLAIN_HTTP : TLS_STEP_FAILED;
}

int tls_session_is_resumed(const struct tls_session *session) {
    return session->ssl && SSL_session_reused(session->ssl);
}

int tls_session_speaks_http2(const struct tls_session *session) {
    const unsigned char *name = NULL;
    unsigned int size = 0;
    if (session->ssl) SSL_get0_alpn_selected(session->ssl, &name, &size);
    return size == 2 && memcmp(name, "h2", 2) == 0;
}

void tls_session_has_input(struct tls_session *session) { session->is_drained = 0; }

ssize_t tls_session_receive(struct tls_session *session, void *bytes, size_t size, int *more) {
    size_t count = 0;
    if (!session->ssl) return TLS_RECEIPT_BROKEN;
    ERR_clear_error();
    int result = SSL_read_ex(session->ssl, bytes, size, &count);
    *more = result && (!session->is_drained || SSL_has_pending(session->ssl));
    if (result) return (ssize_t)count;
    if (session->interruptions > MOST_INTERRUPTIONS) {
        session->is_broken = 1;
        ERR_clear_error();
        return TLS_RECEIPT_BROKEN;
    }
    switch (SSL_get_error(session->ssl, 0)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return TLS_RECEIPT_WAITS;
    case SSL_ERROR_ZERO_RETURN: return TLS_RECEIPT_END;
    default: break;
    }
    session->is_broken = 1;
    ERR_clear_error();
    return TLS_RECEIPT_BROKEN;
}

enum tls_held tls_session_holds(const struct tls_session *session) {
    if (!session->ssl) return TLS_HELD_NOTHING;
    if (session->is_established && SSL_in_init(session->ssl)) return TLS_HELD_MESSAGE;
    return SSL_has_pending(session->ssl) ? TLS_HELD_RECORD : TLS_HELD_NOTHING;
}

// Fills record with the next bytes of the buffers. *index and *offset say where these bytes begin, and are moved to
// their end. Returns the number of bytes.
static size_t gather(uint8_t *record, const struct iovec *vectors, int count, int *index, size_t *offset) {
    size_t used = 0;
    while (*index < count && used < RECORD) {
        const struct iovec *vector = &vectors[*index];
        size_t part = vector->iov_len - *offset;
        if (part > RECORD - used) part = RECORD - used;
        memcpy(record + used, (const uint8_t *)vector->iov_base + *offset, part);
        used += part;
        *offset += part;
        if (*offset == vector->iov_len) {
            *index += 1;
            *offset = 0;
        }
    }
    return used;
}

ssize_t tls_session_send(struct tls_session *session, const struct iovec *vectors, int count) {
    // OpenSSL takes one buffer and makes one record of it.
    static _Thread_local uint8_t record[RECORD];
    int index = 0;
    size_t offset = 0, total = 0;
    if (session->is_broken) return -1;
    while (index < count) {
        size_t size = gather(record, vectors, count, &index, &offset), sent = 0;
        if (!size) break;
        ERR_clear_error();
        if (SSL_write_ex(session->ssl, record, size, &sent)) {
            total += sent;
            continue;
        }
        int error = SSL_get_error(session->ssl, 0);
        if (error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_READ) break;
        session->is_broken = 1;
        ERR_clear_error();
        return -1;
    }
    return (ssize_t)total;
}

void tls_session_finish(struct tls_session *session) {
    if (session->is_broken || !SSL_is_init_finished(session->ssl)) return;
    ERR_clear_error();
    SSL_shutdown(session->ssl);
    ERR_clear_error();
}
