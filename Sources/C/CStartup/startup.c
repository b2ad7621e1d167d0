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
        // The lowest free number is this one, since those below it are open.
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) open("/dev/null", O_RDWR);
    }
}

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// They must have begun first.
__attribute__((constructor)) static void start_late(void) {
    start();
}
#else
// System V ABI, 5.2.2: called once everything is relocated, before the constructors of any library.
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = start;
#endif

void startup_unblock_signals(void) {
    change_mask(SIG_UNBLOCK);
}
