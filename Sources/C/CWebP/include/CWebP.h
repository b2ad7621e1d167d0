// WebP in memory through libwebp. Here because libwebp's functions that check versions are inline wrappers, and so
// that Swift sees one result in place of libwebp's codes.
#ifndef CWEBP_H
#define CWEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CWEBP_DECODED,
    CWEBP_ANIMATED,    // several pictures in turn, which must be told apart before
    CWEBP_OTHER_SIZE,  // the image has not the size that was told
    CWEBP_CUT_OFF,
    CWEBP_BROKEN,
    CWEBP_NO_MEMORY,
} cwebp_result;

// Reads one WebP, lossy or lossless, or the chunks of one frame of an animation (RFC 9649 2.7.1.1), which must have exactly
// this size, as RGBA8 with straight alpha. A row begins `stride` bytes behind the one above it. `pixels` has room for
// stride * (height - 1) + width * 4 bytes and may be half written after an error.
cwebp_result cwebp_decode(
    const uint8_t *bytes, size_t size, int width, int height, size_t stride, uint8_t *pixels);

// How a picture is written.
typedef struct {
    int width, height;
    bool has_alpha;  // without it the alpha of `pixels` is ignored
    int quality;     // 0…100 of lossy WebP; less than 0: lossless
    bool is_lean;    // lossless WebP is written with the least work, in half the memory
    // Asked now and then; false ends the work. May be NULL.
    bool (*is_wanted)(void *context);
    void *context;
} cwebp_picture;

// Writes `pixels`, width * height of RGBA8 with straight alpha. Of transparent pixels no colour is kept. Returns `*size`
// bytes for cwebp_free; NULL where there is no memory, and where they are not wanted any more.
uint8_t *cwebp_encode(const cwebp_picture *picture, const uint8_t *pixels, size_t *size);
void cwebp_free(uint8_t *bytes);

#endif
