// A library for LD_PRELOAD that shifts a process's wall clock by CLOCK_SHIFT seconds, but no other clock, like on a machine
// without NTP. libfaketime cannot do this, because it also shifts the times of timerfd_settime for CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("CLOCK_SHIFT");
    shift = text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, time, zone);
    if (result == 0 && time) time->tv_sec += shift;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
