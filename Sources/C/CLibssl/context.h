#ifndef CONTEXT_H
#define CONTEXT_H

#include "CLibssl.h"

#include <openssl/ssl.h>

SSL_CTX *context_ssl(struct tls_context *context);

// Makes the sessions of context use tickets. Returns 0 on failure.
int tickets_use(SSL_CTX *context, struct tls_tickets *tickets);

#endif
