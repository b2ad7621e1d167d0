#define _GNU_SOURCE
#include "CStartup.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

static void change_mask(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(how, &signals, NULL);
}

static void start(void) {
    change_mask(SIG_BLOCK);
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        // open returns the lowest free number. This is `descriptor`, because all lower descriptors are open.
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) open("/dev/null", O_RDWR);
    }
}

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// The sanitizer must start before this code, so this code runs as a constructor.
__attribute__((constructor)) static void start_late(void) {
    start();
}
#else
// The loader calls functions of .preinit_array after relocation and before the constructors of all libraries (System V
// ABI, 5.2.2).
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = start;
#endif

void startup_unblock_signals(void) {
    change_mask(SIG_UNBLOCK);
}
