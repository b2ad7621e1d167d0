#include "CXXHash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

content_hash content_hash_of(const void *bytes, size_t size) {
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return (content_hash){.high = hash.high64, .low = hash.low64};
}
