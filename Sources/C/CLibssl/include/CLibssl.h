// TLS for the server's connections, and for a client that knows the server's certificate, on OpenSSL's libssl. This is
// C because Swift cannot import many macros of OpenSSL's headers.
#ifndef CLIBSSL_H
#define CLIBSSL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

// MARK: Tickets

// The key from which the keys of session tickets are derived, one set for each day.
struct tls_tickets;

// Makes the tickets of a secret. Servers with the same secret resume each other's sessions. Returns NULL if memory runs
// out or OpenSSL lacks an algorithm.
struct tls_tickets *tls_tickets_new(const void *secret, size_t size);
void tls_tickets_free(struct tls_tickets *tickets);

// MARK: Contexts

// Certificates with their private keys, and the settings for connections that use them.
struct tls_context;

// Makes a context with a certificate chain and its private key, both in PEM (RFC 7468). Sessions are resumed by
// tickets. tickets must outlive the context and all its sessions. Returns NULL on failure, and then writes the reason
// to *reason, a text that is never freed.
struct tls_context *tls_context_new(
    const void *chain, size_t chain_size, const void *key, size_t key_size, struct tls_tickets *tickets,
    const char **reason);

// Adds a context for the names in its certificate. Clients that ask for no name or for an unknown name get the
// certificate of first. Takes over the ownership of other, also on failure. Returns 0 if memory runs out.
int tls_context_add(struct tls_context *first, struct tls_context *other);

// Returns the time at which the certificate expires, in seconds since 1970, or 0 if the time is unreadable.
int64_t tls_context_expires(const struct tls_context *context);

// Writes the DNS names of the certificate's subjectAltName to buffer, separated by spaces and ended by 0. Leaves out
// names that do not fit.
void tls_context_names(const struct tls_context *context, char *buffer, size_t size);

// Frees the context. Sessions that use it go on.
void tls_context_free(struct tls_context *context);

// MARK: Sessions

// TLS on one socket. Only one thread at a time may use a session.
struct tls_session;

// Makes a session on socket, which stays the caller's. Returns NULL if memory runs out.
struct tls_session *tls_session_new(struct tls_context *context, int socket);
void tls_session_free(struct tls_session *session);

// Frees the session's SSL object, for a connection that is closed but not yet freed. Later handshakes, reads and writes
// fail.
void tls_session_end(struct tls_session *session);

// Makes the client's side of a session on socket, which stays the caller's and may block. Accepts only the server with
// the first certificate in chain, a text in PEM. Names and authorities do not matter. Returns NULL if chain has no
// certificate or memory runs out.
struct tls_session *tls_session_connect(int socket, const void *chain, size_t size);

enum tls_step {
    TLS_STEP_DONE,
    // The session waits for bytes of the client, or for room in the socket.
    TLS_STEP_WAITS,
    // The client sent a request without TLS.
    TLS_STEP_PLAIN_HTTP,
    TLS_STEP_FAILED,
};

// Continues the handshake. After TLS_STEP_FAILED, *reason is a text that is never freed.
enum tls_step tls_session_handshake(struct tls_session *session, const char **reason);

// Reports whether the session resumed an earlier one. Call this after the handshake.
int tls_session_is_resumed(const struct tls_session *session);

// Reports whether the client has agreed to HTTP/2 (RFC 9113 3.2). Call this after the handshake.
int tls_session_speaks_http2(const struct tls_session *session);

enum tls_receipt { TLS_RECEIPT_END = 0, TLS_RECEIPT_WAITS = -1, TLS_RECEIPT_BROKEN = -2 };

// Tells the session that the socket may hold bytes again.
void tls_session_has_input(struct tls_session *session);

// Reads up to size bytes of content. Returns their number or a tls_receipt. After content, sets *more to 0 if neither
// the session nor, as far as is known, the socket holds further bytes.
ssize_t tls_session_receive(struct tls_session *session, void *bytes, size_t size, int *more);

enum tls_held {
    TLS_HELD_NOTHING,
    // Bytes of a record that is not read yet, or has arrived in part.
    TLS_HELD_RECORD,
    // A part of a message of TLS itself, such as KeyUpdate.
    TLS_HELD_MESSAGE,
};

// Tells what the session holds of received bytes.
enum tls_held tls_session_holds(const struct tls_session *session);

// Sends the bytes of count buffers. Returns the number of bytes that the socket took, which is 0 if the socket is full.
// Returns -1 if the connection is broken. After fewer bytes than given, the next call must begin with the rest.
ssize_t tls_session_send(struct tls_session *session, const struct iovec *vectors, int count);

// Tells the client that no further bytes come. Does nothing if the handshake is not done or the session is broken.
void tls_session_finish(struct tls_session *session);

#endif
