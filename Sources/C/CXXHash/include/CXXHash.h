// XXH3 of the system's xxhash.h, inlined, so that nothing must be linked. Here because its result is a struct behind
// macros that Swift does not import.
#ifndef CXXHASH_H
#define CXXHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t high;
    uint64_t low;
} content_hash;

// The 128-bit XXH3 of size bytes.
content_hash content_hash_of(const void *bytes, size_t size);

#endif
