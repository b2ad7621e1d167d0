// Encodes and decodes WebP in memory with libwebp. This is C so that Swift sees one kind of result instead of libwebp's
// structs and codes.
#ifndef CWEBP_H
#define CWEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CWEBP_DECODED,
    CWEBP_ANIMATED,    // an animation: the caller must pass a single frame
    CWEBP_OTHER_SIZE,  // the image has another size than the arguments
    CWEBP_CUT_OFF,
    CWEBP_BROKEN,
    CWEBP_NO_MEMORY,
} cwebp_result;

// Decodes a lossy or lossless WebP, or the chunks of one frame of an animation (RFC 9649 2.7.1.1), as RGBA8 with
// straight alpha. The image must have exactly this size. Rows begin `stride` bytes apart. `pixels` has room for stride
// * (height - 1) + width * 4 bytes, and may be partly written after an error.
cwebp_result cwebp_decode(
    const uint8_t *bytes, size_t size, int width, int height, size_t stride, uint8_t *pixels);

// The parameters of an encoding.
typedef struct {
    int width, height;
    bool has_alpha;  // false ignores the alpha of `pixels`
    int quality;     // 0…100 for lossy WebP; negative for lossless WebP
    bool is_lean;    // true encodes lossless WebP with less work and about half the memory
    // Called during the encoding. False ends the encoding. May be NULL.
    bool (*is_wanted)(void *context);
    void *context;
} cwebp_picture;

// Encodes width * height pixels of RGBA8 with straight alpha. The colour of transparent pixels is lost. Returns `*size`
// bytes, which cwebp_free frees. Returns NULL if libwebp fails, or if is_wanted has returned false.
uint8_t *cwebp_encode(const cwebp_picture *picture, const uint8_t *pixels, size_t *size);
void cwebp_free(uint8_t *bytes);

#endif
