// XXH3 from the system's xxhash.h, inlined, so the program links no library for it. This is C because macros hide the
// result's struct from Swift.
#ifndef CXXHASH_H
#define CXXHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t high;
    uint64_t low;
} content_hash;

// Returns the 128-bit XXH3 of size bytes.
content_hash content_hash_of(const void *bytes, size_t size);

#endif
