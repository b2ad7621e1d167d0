// SQLite with limits on time, memory and stack while it reads a file by an unknown author. This is C because
// sqlite3_config is variadic, and because SQLite calls the allocator from C.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// Reason why SQLite got no memory or was interrupted.
enum sqlite_excess {
    SQLITE_EXCESS_NONE,
    SQLITE_EXCESS_TIME,
    SQLITE_EXCESS_MEMORY,
    // The stack is too deep: SQLite recurses once for each view that another view names.
    SQLITE_EXCESS_DEPTH,
};

// Begins a read on the calling thread. Until sqlite_bounds_end, SQLite's allocations on this thread fail soon after the
// time `end` (nanoseconds of CLOCK_BOOTTIME), beyond `most` bytes, and deep in the stack. Beyond 8 MiB, they also fail
// while all reads together would have more than 64 MiB. Failed allocations also end the preparation of a statement,
// where SQLite before 3.41 calls no progress handler. Threads without a read are not affected. Reads do not nest.
//
// The allocator is installed before main. If the program has used SQLite before that, allocations do not fail.
void sqlite_bounds_begin(int64_t end, int64_t most);

// Has `connection` interrupted when the time of the calling thread's read is over. One instruction of SQLite's virtual
// machine may count rows for a very long time, and no progress handler runs meanwhile. Call this within the read. Close
// `connection` with sqlite_bounds_close.
void sqlite_bounds_watch(sqlite3 *connection);

// Closes `connection` and stops watching it.
void sqlite_bounds_close(sqlite3 *connection);

// Returns the number of bytes that the calling thread's read has allocated and not freed.
int64_t sqlite_bounds_used(void);

// Ends the read. The read's results are complete only if this returns SQLITE_EXCESS_NONE.
enum sqlite_excess sqlite_bounds_end(void);

// A callback for sqlite3_progress_handler. Returns a value other than 0 if the calling thread's read has exceeded a
// limit.
int sqlite_bounds_progress(void *context);

// Replaces those functions of SQLite whose time grows with the product of two lengths within one instruction. LIKE and
// GLOB return NULL for texts of more than 64 KiB and for patterns of more than 64 bytes. A call of any other replaced
// function is an error. Indices and generated columns may still name all of them.
void sqlite_bound_functions(sqlite3 *connection);

// Returns 1 if the allocator is installed, otherwise 0.
int sqlite_bounds_hold(void);

// Turns off the connection's own allocator for small values, whose allocations would not count.
void sqlite_disable_lookaside(sqlite3 *connection);

#endif
