#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Minimum number of bytes by which the heap grows. The heap also keeps this many free bytes when it shrinks.
static _Atomic size_t step = 4 << 20;

static void adopt_step(void) {
    mallopt(M_TOP_PAD, (int)step);
    mallopt(M_TRIM_THRESHOLD, 4 * (int)step);
    // Setting one of the two options above also stops glibc from adapting this threshold, so set a value here.
    mallopt(M_MMAP_THRESHOLD, (int)step / 4);
}

void linux_tune_malloc(void) {
    mallopt(M_ARENA_MAX, 1);
    adopt_step();
}

void linux_bound_malloc(size_t bytes) {
    size_t wanted = bytes / 128, least = 512 << 10, most = 4 << 20;
    step = wanted < least ? least : wanted > most ? most : wanted;
    adopt_step();
}

void linux_trim_malloc(void) {
    malloc_trim(step);
}

int linux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void linux_name_thread(const char *name) {
    char kept[16] = {0};
    strncpy(kept, name, sizeof kept - 1);
    pthread_setname_np(pthread_self(), kept);
}

int linux_tcp_progress(int socket, uint64_t *confirmed, uint32_t *quiet, int *outstanding) {
    // An older kernel knows fewer fields and leaves the others 0.
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    *confirmed = info.tcpi_bytes_acked;
    // If bytes remain but none are in flight, the peer's window is full. The peer then answers the kernel's probes, but
    // these answers confirm no bytes. So use the time of the last sent data instead of the time of the last answer.
    *quiet = info.tcpi_unacked > 0 ? info.tcpi_last_ack_recv : info.tcpi_last_data_sent;
    *outstanding = info.tcpi_unacked > 0 || info.tcpi_notsent_bytes > 0;
    return 0;
}

int linux_rename_new(const char *path, const char *target) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE);
}

int linux_sync_filesystem(int descriptor) {
    return syncfs(descriptor);
}
