// Attacks on a TLS server that OpenSSL's own client offers no switch for.
//
//     tlsattack MODE PORT SECONDS
//
// handshakes   full handshakes, each closed at once
// updates      KeyUpdate messages of TLS 1.3, many in one write
// requests     KeyUpdate messages that request one of the server
// renegotiate  handshakes within a connection of TLS 1.2
// tiny         requests for a tile in records of one byte
//
// Prints how many steps the server has taken, and how many times it refused or closed.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int port;
static double until;
static long done, refused;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int connected(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct timeval patience = {.tv_sec = 2};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in own = {.sin_family = AF_INET};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    inet_pton(AF_INET, "127.0.9.1", &own.sin_addr);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (bind(descriptor, (struct sockaddr *)&own, sizeof own) ||
        connect(descriptor, (struct sockaddr *)&address, sizeof address)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// Returns a connection after its handshake, or NULL. Its messages go to *descriptor.
static SSL *begun(SSL_CTX *context, int *descriptor) {
    *descriptor = connected();
    if (*descriptor < 0) return NULL;
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, *descriptor);
    if (SSL_connect(ssl) == 1) return ssl;
    SSL_free(ssl);
    close(*descriptor);
    ERR_clear_error();
    return NULL;
}

static void end(SSL *ssl, int descriptor) {
    SSL_free(ssl);
    close(descriptor);
    ERR_clear_error();
}

static const char request[] = "GET /solid/1/0/0.png HTTP/1.1\r\nHost: localhost\r\n\r\n";

// Writes up to count records to memory. Returns the number of steps in them.
static long prepare(SSL *ssl, const char *mode, long count) {
    long number = 0;
    if (!strcmp(mode, "tiny")) {
        for (; number < count / (long)sizeof request; number++)
            for (size_t index = 0; index + 1 < sizeof request; index++) SSL_write(ssl, request + index, 1);
        return number;
    }
    int kind = strcmp(mode, "updates") ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED;
    for (; number < count; number++) {
        if (!SSL_key_update(ssl, kind) || SSL_do_handshake(ssl) != 1) break;
    }
    return number;
}

// Sends all bytes, and reads the server's in between. Returns 0 if the server has closed the connection.
static int blast(int descriptor, const char *bytes, size_t size, int reads) {
    static char taken[1 << 18];
    for (size_t sent = 0; sent < size;) {
        ssize_t count = send(descriptor, bytes + sent, size - sent < 65536 ? size - sent : 65536, MSG_NOSIGNAL);
        if (count <= 0) return 0;
        sent += (size_t)count;
        ssize_t answer = reads ? recv(descriptor, taken, sizeof taken, MSG_DONTWAIT) : -1;
        if (!answer) return 0;
    }
    return 1;
}

static void flood(SSL_CTX *context, const char *mode) {
    int descriptor;
    SSL *ssl = begun(context, &descriptor);
    if (!ssl) {
        refused++;
        usleep(10000);
        return;
    }
    for (int works = 1; works && now() < until;) {
        BIO *memory = BIO_new(BIO_s_mem());
        BIO_up_ref(memory);
        SSL_set0_wbio(ssl, memory);
        long steps = prepare(ssl, mode, 20000);
        char *bytes;
        long size = BIO_get_mem_data(memory, &bytes);
        works = blast(descriptor, bytes, (size_t)size, strcmp(mode, "requests"));
        if (works) done += steps;
        else refused++;
        BIO_free(memory);
    }
    end(ssl, descriptor);
}

static void handshake(SSL_CTX *context) {
    int descriptor;
    SSL *ssl = begun(context, &descriptor);
    if (ssl) end(ssl, descriptor);
    if (ssl) done++;
    else refused++;
}

// Counts a refusal if the server does not begin another handshake.
static void renegotiate(SSL_CTX *context) {
    int descriptor;
    SSL *ssl = begun(context, &descriptor);
    if (!ssl) return;
    SSL_renegotiate(ssl);
    if (SSL_do_handshake(ssl) == 1) done++;
    else refused++;
    end(ssl, descriptor);
}

int main(int count, char **words) {
    if (count != 4) return 2;
    const char *mode = words[1];
    port = atoi(words[2]);
    until = now() + atof(words[3]);
    signal(SIGPIPE, SIG_IGN);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    int version = strcmp(mode, "renegotiate") ? TLS1_3_VERSION : TLS1_2_VERSION;
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    while (now() < until) {
        if (!strcmp(mode, "handshakes")) handshake(context);
        else if (!strcmp(mode, "renegotiate")) renegotiate(context);
        else flood(context, mode);
    }
    printf("{\"done\": %ld, \"refused\": %ld}\n", done, refused);
    return 0;
}
