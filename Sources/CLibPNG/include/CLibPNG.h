// PNG to and from memory through libpng. Here because libpng reports errors by longjmp, which must not cross a Swift
// frame: every jump starts and lands inside clibpng_encode and clibpng_decode.
#ifndef CLIBPNG_H
#define CLIBPNG_H

#include <stddef.h>
#include <stdint.h>

// The values of IHDR's colour type (PNG 11.2.1) that are written here.
enum {
    CLIBPNG_GRAY = 0,
    CLIBPNG_RGB = 2,
    CLIBPNG_PALETTE = 3,
    CLIBPNG_RGBA = 6,
};

// zlib's strategies and libpng's filter masks, which are macros of headers that Swift need not see.
enum { CLIBPNG_STRATEGY_DEFAULT = 0, CLIBPNG_STRATEGY_FILTERED = 1, CLIBPNG_STRATEGY_RLE = 3 };
enum {
    CLIBPNG_FILTER_NONE = 0x08,
    CLIBPNG_FILTER_SUB = 0x10,
    CLIBPNG_FILTER_UP = 0x20,
    CLIBPNG_FILTER_AVERAGE = 0x40,
    CLIBPNG_FILTER_PAETH = 0x80,
};

enum { CLIBPNG_MESSAGE_SIZE = 128 };

// What to write. Rows are packed as the kind says, 8 bits a channel; palette indices come one a byte and are packed to
// bit_depth here.
typedef struct {
    uint32_t width;
    uint32_t height;
    int kind;                      // CLIBPNG_…
    int bit_depth;                 // 8; for a palette 1, 2, 4 or 8
    const uint8_t *palette;        // palette_count times red, green, blue; for a palette only
    const uint8_t *palette_alpha;  // alpha of the first alpha_count entries; the others are opaque
    int palette_count;             // 0…256
    int alpha_count;               // 0…palette_count
    int level;                     // zlib's 0…9
    int strategy;                  // CLIBPNG_STRATEGY_…
    int filters;                   // one or several CLIBPNG_FILTER_…; of several, libpng chooses one for each row
} clibpng_description;

// The caller's object: a local of the function that calls setjmp would be indeterminate after a jump (C17 7.13.2.1).
typedef struct {
    uint8_t *bytes;  // from malloc, for the caller to free; null after an error
    size_t size;
    uint32_t width;   // of a decoded image
    uint32_t height;  // of a decoded image
    char message[CLIBPNG_MESSAGE_SIZE];  // libpng's words, if bytes is null
} clibpng_result;

// Writes height rows of row_bytes bytes each as one PNG.
void clibpng_encode(const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result);

// Reads one PNG of any kind as RGBA8, straight alpha. Refuses more than max_side pixels a side and more than max_pixels
// in all before it takes memory for them.
void clibpng_decode(const uint8_t *bytes, size_t size, uint32_t max_side, uint64_t max_pixels, clibpng_result *result);

// zlib's CRC-32 of size bytes, as PNG chunks carry it.
uint32_t clibpng_crc(const uint8_t *bytes, size_t size);

#endif
