#define _GNU_SOURCE
#include "CSQLite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Maximum bytes of stack below the frame that begins a read. They suffice for about fifty nested views, and are a small
// part of a thread's stack. Some recursion allocates no memory and is not checked. It follows the same tree and goes at
// most three times as deep.
static const intptr_t most_depth = 96 << 10;
// Maximum bytes of all reads together. Beyond them, a read gets memory only up to `assured` bytes, which a tile needs.
static const int64_t most_in_all = 64 << 20;
static const int64_t assured = 8 << 20;

static sqlite3_mem_methods plain;
static bool is_installed;
static _Atomic int64_t used_in_all;

struct reading {
    bool is_active;
    // Reason why memory was refused. After SQLITE_EXCESS_TIME every allocation fails, so SQLite cannot continue with
    // less memory.
    enum sqlite_excess excess;
    unsigned asked;
    int64_t end, most, used;
    const char *stack;
    // The lock protects the following fields, which the watch thread also uses.
    sqlite3 *connection;
    bool is_interrupted;
    struct reading *previous, *next;
};

static _Thread_local struct reading reading;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool is_late(void) {
    return now() > reading.end;
}

// The ring of reads that have a connection, and its lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_begun = PTHREAD_COND_INITIALIZER;
static struct reading watched = {.previous = &watched, .next = &watched};
static bool is_asleep;
// Nanoseconds between two checks of the watch thread.
static const long step = 50000000;

// The watch thread. It interrupts each read in the ring that has passed its end.
static void *watch(void *context) {
    pthread_mutex_lock(&lock);
    while (true) {
        for (struct reading *each = watched.next; each != &watched; each = each->next) {
            if (each->is_interrupted || now() <= each->end) continue;
            each->is_interrupted = true;
            sqlite3_interrupt(each->connection);
        }
        if (watched.next == &watched) {
            // Sleeps until a read joins the ring. Only this first read signals the condition, so most reads need no
            // system call.
            is_asleep = true;
            while (is_asleep) pthread_cond_wait(&has_begun, &lock);
        }
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = step}, NULL);
        pthread_mutex_lock(&lock);
    }
    return context;
}

// Starts the watch thread. If the system has no thread left, long instructions of SQLite are not interrupted.
static void start_watch(void) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, 256 << 10);
        if (pthread_create(&thread, &attributes, watch, NULL) == 0) pthread_setname_np(thread, "sqlite watch");
        pthread_attr_destroy(&attributes);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void unwatch(void) {
    if (!reading.connection) return;
    pthread_mutex_lock(&lock);
    reading.previous->next = reading.next;
    reading.next->previous = reading.previous;
    reading.connection = NULL;
    pthread_mutex_unlock(&lock);
}

void sqlite_bounds_watch(sqlite3 *connection) {
    if (!reading.is_active) return;
    unwatch();
    pthread_mutex_lock(&lock);
    reading.connection = connection;
    reading.previous = &watched;
    reading.next = watched.next;
    watched.next->previous = &reading;
    watched.next = &reading;
    if (is_asleep) {
        is_asleep = false;
        pthread_cond_signal(&has_begun);
    }
    pthread_mutex_unlock(&lock);
}

void sqlite_bounds_close(sqlite3 *connection) {
    if (reading.connection == connection) unwatch();
    sqlite3_close_v2(connection);
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
    // A smaller block is never refused.
    if (size > before && refuses(size - before)) return NULL;
    void *moved = plain.xRealloc(memory, size);
    if (moved) count(plain.xSize(moved) - before);
    return moved;
}

// Installs the allocator before main, because SQLite accepts an allocator only before its first use.
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

// Opens a file for SQLite, but no pipe, and no socket or device outside /dev. SQLite opens journals beside the file
// that it reads. With a pipe of that name, open(2) would wait for the pipe's writer.
static int open_file(const char *path, int flags, int mode) {
    struct stat status;
    bool is_system = strncmp(path, "/dev/", 5) == 0;
    if (!is_system && stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        errno = ENXIO;
        return -1;
    }
    // A pipe may have replaced the file after the check above. O_NONBLOCK opens it without waiting, and has no effect
    // on a regular file.
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

static void prepare(void) {
    refuse_pipes();
    start_watch();
}

void sqlite_bounds_begin(int64_t end, int64_t most) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    reading.excess = SQLITE_EXCESS_NONE;
    reading.asked = 0;
    reading.end = end;
    reading.most = most;
    reading.used = 0;
    reading.is_interrupted = false;
    reading.stack = __builtin_frame_address(0);
    reading.is_active = true;
}

int64_t sqlite_bounds_used(void) {
    return reading.used;
}

enum sqlite_excess sqlite_bounds_end(void) {
    unwatch();
    if (reading.is_interrupted && reading.excess == SQLITE_EXCESS_NONE) reading.excess = SQLITE_EXCESS_TIME;
    reading.is_active = false;
    used_in_all -= reading.used;
    return reading.excess;
}

int sqlite_bounds_progress(void *context) {
    (void)context;
    if (reading.excess == SQLITE_EXCESS_NONE && is_late()) reading.excess = SQLITE_EXCESS_TIME;
    return reading.excess != SQLITE_EXCESS_NONE;
}

// Maximum bytes of a text for LIKE and GLOB. A pattern of 64 bytes needs about a millisecond for this length.
static const int longest_text = 64 << 10;

// Fails with SQLite's own message for a function that a schema may not call.
static void refuse(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    char message[64];
    int length = snprintf(message, sizeof message, "unsafe use of %s()", (const char *)sqlite3_user_data(context));
    sqlite3_result_error(context, message, length);
}

// Implements LIKE and GLOB. The first argument is the pattern, the second is the text. LIKE may have an escape
// character as the third argument.
static void like(sqlite3_context *context, int count, sqlite3_value **values) {
    const unsigned char *pattern = sqlite3_value_text(values[0]), *text = sqlite3_value_text(values[1]);
    const unsigned char *escape = count == 3 ? sqlite3_value_text(values[2]) : (const unsigned char *)"";
    if (!pattern || !text || !escape || sqlite3_value_bytes(values[0]) > 64
        || sqlite3_value_bytes(values[1]) > longest_text) return sqlite3_result_null(context);
    if (count == 3 && (escape[0] == 0 || escape[0] > 127 || escape[1] != 0)) {
        return sqlite3_result_error(context, "ESCAPE expression must be a single ASCII character", -1);
    }
    bool is_glob = sqlite3_user_data(context) != NULL;
    int differs = is_glob ? sqlite3_strglob((const char *)pattern, (const char *)text)
                          : sqlite3_strlike((const char *)pattern, (const char *)text, escape[0]);
    sqlite3_result_int(context, differs == 0);
}

void sqlite_bound_functions(sqlite3 *connection) {
    static const struct { const char *name; int count; } withheld[] = {
        {"instr", 2}, {"replace", 3}, {"trim", 2}, {"ltrim", 2}, {"rtrim", 2}, {"unhex", 2}, {"json_patch", 2},
    };
    // SQLITE_INNOCUOUS lets indices and generated columns name these functions. Otherwise SQLite would refuse a whole
    // file, even if no read of a tile uses the index.
    int harmless = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    for (size_t index = 0; index < sizeof withheld / sizeof *withheld; index++) {
        const char *name = withheld[index].name;
        sqlite3_create_function_v2(
            connection, name, withheld[index].count, harmless, (void *)name, refuse, NULL, NULL, NULL);
    }
    sqlite3_create_function_v2(connection, "like", 2, harmless, NULL, like, NULL, NULL, NULL);
    sqlite3_create_function_v2(connection, "like", 3, harmless, NULL, like, NULL, NULL, NULL);
    sqlite3_create_function_v2(connection, "glob", 2, harmless, &watched, like, NULL, NULL, NULL);
}

void sqlite_disable_lookaside(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 0, 0);
}
