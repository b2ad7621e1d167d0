// WebP from memory through libwebp. Here because libwebp's functions that check versions are inline wrappers, and so
// that Swift sees one result in place of libwebp's codes.
#ifndef CWEBP_H
#define CWEBP_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CWEBP_DECODED,
    CWEBP_ANIMATED,    // several pictures in turn: not decoded
    CWEBP_OTHER_SIZE,  // the image has not the size that was told
    CWEBP_CUT_OFF,
    CWEBP_BROKEN,
    CWEBP_NO_MEMORY,
} cwebp_result;

// Reads one WebP, lossy or lossless, which must have exactly this size, as RGBA8 with straight alpha into `pixels`,
// which has room for width * height * 4 bytes and may be half written after an error.
cwebp_result cwebp_decode(const uint8_t *bytes, size_t size, int width, int height, uint8_t *pixels);

#endif
