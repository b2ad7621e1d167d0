#define _GNU_SOURCE
#include "CLinux.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>

void linux_tune_malloc(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
    // Setting either of them freezes this one too, which would otherwise adapt.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void linux_trim_malloc(void) {
    malloc_trim(4 << 20);
}

int linux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void linux_name_thread(const char *name) {
    char kept[16] = {0};
    strncpy(kept, name, sizeof kept - 1);
    pthread_setname_np(pthread_self(), kept);
}
