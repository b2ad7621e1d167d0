#define _GNU_SOURCE
#include "CSQLite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Bytes of stack below the frame that begins a read: some fifty views that name each other, a quarter of the smallest stack of a
// thread. Recursion that asks for no memory follows the same tree and goes at most three times as deep.
static const intptr_t most_depth = 96 << 10;
// Bytes that all reads together hold before each is confined to what a tile needs.
static const int64_t most_in_all = 64 << 20;
static const int64_t assured = 8 << 20;

static sqlite3_mem_methods plain;
static bool is_installed;
static _Atomic int64_t used_in_all;

static _Thread_local struct {
    bool is_active;
    // Once time is over nothing is given any more, so that SQLite does not go on with less.
    enum sqlite_excess excess;
    unsigned asked;
    int64_t end, most, used;
    const char *stack;
} reading;

static bool is_late(void) {
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec > reading.end;
}

static bool refuses(int64_t bytes) {
    if (reading.excess == SQLITE_EXCESS_TIME) return true;
    if (reading.stack - (const char *)__builtin_frame_address(0) > most_depth) {
        reading.excess = SQLITE_EXCESS_DEPTH;
    } else if (reading.used + bytes > reading.most
               || (reading.used + bytes > assured && used_in_all + bytes > most_in_all)) {
        reading.excess = SQLITE_EXCESS_MEMORY;
    } else if (++reading.asked % 64 == 0 && is_late()) {
        reading.excess = SQLITE_EXCESS_TIME;
    } else {
        return false;
    }
    return true;
}

static void count(int64_t bytes) {
    reading.used += bytes;
    used_in_all += bytes;
}

static void *bounded_malloc(int size) {
    if (!reading.is_active) return plain.xMalloc(size);
    void *memory = refuses(size) ? NULL : plain.xMalloc(size);
    if (memory) count(plain.xSize(memory));
    return memory;
}

static void bounded_free(void *memory) {
    if (reading.is_active && memory) count(-(int64_t)plain.xSize(memory));
    plain.xFree(memory);
}

static void *bounded_realloc(void *memory, int size) {
    if (!reading.is_active) return plain.xRealloc(memory, size);
    int64_t before = plain.xSize(memory);
    // What shrinks is given.
    if (size > before && refuses(size - before)) return NULL;
    void *moved = plain.xRealloc(memory, size);
    if (moved) count(plain.xSize(moved) - before);
    return moved;
}

// SQLite takes an allocator only before it is used for the first time.
__attribute__((constructor)) static void install(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK) return;
    sqlite3_mem_methods bounded = plain;
    bounded.xMalloc = bounded_malloc;
    bounded.xFree = bounded_free;
    bounded.xRealloc = bounded_realloc;
    is_installed = sqlite3_config(SQLITE_CONFIG_MALLOC, &bounded) == SQLITE_OK;
}

int sqlite_bounds_hold(void) {
    return is_installed;
}

// SQLite looks for journals when it reads: open(2) would wait for the writer of a pipe in their place.
static int open_file(const char *path, int flags, int mode) {
    struct stat status;
    bool is_system = strncmp(path, "/dev/", 5) == 0;
    if (!is_system && stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        errno = ENXIO;
        return -1;
    }
    // Where a pipe has come since. On a regular file the flag has no effect.
    int descriptor = open(path, flags | O_NONBLOCK, mode);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) {
        close(descriptor);
        errno = ENXIO;
        return -1;
    }
    return descriptor;
}

static void refuse_pipes(void) {
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (system && system->iVersion >= 3 && system->xSetSystemCall) {
        system->xSetSystemCall(system, "open", (sqlite3_syscall_ptr)open_file);
    }
}

void sqlite_bounds_begin(int64_t end, int64_t most) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, refuse_pipes);
    reading.excess = SQLITE_EXCESS_NONE;
    reading.asked = 0;
    reading.end = end;
    reading.most = most;
    reading.used = 0;
    reading.stack = __builtin_frame_address(0);
    reading.is_active = true;
}

enum sqlite_excess sqlite_bounds_end(void) {
    reading.is_active = false;
    used_in_all -= reading.used;
    return reading.excess;
}

int sqlite_bounds_progress(void *context) {
    (void)context;
    if (reading.excess == SQLITE_EXCESS_NONE && is_late()) reading.excess = SQLITE_EXCESS_TIME;
    return reading.excess != SQLITE_EXCESS_NONE;
}

void sqlite_disable_lookaside(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 0, 0);
}
