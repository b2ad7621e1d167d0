// SQLite, with bounds on what it takes while it reads a file by an unknown author. Here because sqlite3_config has a variable number of
// arguments, and because SQLite asks for memory from C.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// Why SQLite was refused memory, or interrupted.
enum sqlite_excess {
    SQLITE_EXCESS_NONE,
    SQLITE_EXCESS_TIME,
    SQLITE_EXCESS_MEMORY,
    // Of the stack: SQLite recurses once for each view that another view names.
    SQLITE_EXCESS_DEPTH,
};

// Begins a read on the calling thread. Until sqlite_bounds_end, SQLite's allocations on this thread fail after `end` (nanoseconds of
// CLOCK_BOOTTIME), beyond `most` bytes, and deep in the stack. Preparing a statement asks for memory all the time and has no other
// end: before SQLite 3.41 no progress handler runs there. Other threads notice nothing. Reads do not nest.
//
// The allocator is installed before main. Where the program has used SQLite before that, allocations are not refused.
void sqlite_bounds_begin(int64_t end, int64_t most);

// Interrupts `connection` at the end of the calling thread's read: one instruction of SQLite's machine may count rows without end, and
// no handler runs meanwhile. To be called within the read. `connection` must be closed by sqlite_bounds_close.
void sqlite_bounds_watch(sqlite3 *connection);

// Closes `connection`, which is interrupted no more.
void sqlite_bounds_close(sqlite3 *connection);

// Bytes that the calling thread's read has allocated and not freed.
int64_t sqlite_bounds_used(void);

// Ends the read. A result is complete only where this is SQLITE_EXCESS_NONE.
enum sqlite_excess sqlite_bounds_end(void);

// For sqlite3_progress_handler: not 0 after the end of the calling thread's read.
int sqlite_bounds_progress(void *context);

// Has views call functions in the place of some of SQLite's, each of which takes the product of two lengths in one instruction: LIKE and
// GLOB are NULL for texts of more than 64 KiB, and a call of the others is an error. Indices and generated columns may name them all.
void sqlite_bound_functions(sqlite3 *connection);

// Whether the allocator is installed.
int sqlite_bounds_hold(void);

// Turns off the connection's own allocator for small values, which would not be refused.
void sqlite_disable_lookaside(sqlite3 *connection);

#endif
