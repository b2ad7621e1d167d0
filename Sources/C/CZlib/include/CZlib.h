// Gzip (RFC 1952) in memory with zlib. This is C because zlib's functions for streams are macros, which Swift does not
// import.
#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CZLIB_DONE,        // the result is complete
    CZLIB_TOO_LARGE,   // the result would have more bytes than the limit
    CZLIB_DAMAGED,     // the bytes are not gzip, end too early, or have a wrong checksum
    CZLIB_NO_MEMORY,   // the system has no memory for the result
} czlib_status;

// Inflates all members of a gzip file. The result has at most `limit` bytes. Memory grows with the bytes that were
// inflated, so a small result of a large limit stays small. On CZLIB_DONE, *result has *size bytes, and the caller
// frees it with free(). Otherwise *result is null.
czlib_status czlib_gunzip(const uint8_t *bytes, size_t count, size_t limit, uint8_t **result, size_t *size);

// Returns the capacity that czlib_gzip needs for `count` bytes, which must be less than 2^31.
size_t czlib_gzip_bound(size_t count);

// Compresses less than 2^31 bytes at zlib's level 1 to 9. Equal bytes have equal results: the header names no time.
// Returns the number of bytes in result, or 0 if memory runs out or the capacity is too small.
size_t czlib_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity, int level);

#endif
