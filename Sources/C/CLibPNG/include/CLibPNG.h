// Encodes and decodes PNG in memory with libpng. This is C because libpng reports errors by longjmp, which must not
// cross a Swift frame. Every jump starts and lands inside clibpng_encode or clibpng_decode.
#ifndef CLIBPNG_H
#define CLIBPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The values of IHDR's colour type (PNG 11.2.1).
enum {
    CLIBPNG_GRAY = 0,
    CLIBPNG_RGB = 2,
    CLIBPNG_PALETTE = 3,
    CLIBPNG_GRAY_ALPHA = 4,
    CLIBPNG_RGBA = 6,
};

// zlib's strategies and libpng's filter masks. They are repeated here so that Swift need not import those headers.
enum { CLIBPNG_STRATEGY_DEFAULT = 0, CLIBPNG_STRATEGY_HUFFMAN = 2, CLIBPNG_STRATEGY_RLE = 3 };
enum {
    CLIBPNG_FILTER_NONE = 0x08,
    CLIBPNG_FILTER_SUB = 0x10,
    CLIBPNG_FILTER_UP = 0x20,
    CLIBPNG_FILTER_AVERAGE = 0x40,
    CLIBPNG_FILTER_PAETH = 0x80,
    CLIBPNG_FILTER_ADAPTIVE = 0xF8,  // chooses the filter with the smallest differences for each row (PNG 12.7)
};

enum { CLIBPNG_MESSAGE_SIZE = 128 };

// The parameters of zlib's search for repeats, as in deflateTune. After a match of `good` bytes zlib searches less.
// After `lazy` bytes it takes the match without trying the next position. After `nice` bytes it ends the search. It
// compares at most `chain` positions.
typedef struct {
    int good, lazy, nice, chain;
} clibpng_search;

// The image to encode. Rows have 8 bits a channel, in the order of the kind's channels. Samples with a smaller
// bit_depth also have one byte each, and the encoder packs them.
typedef struct {
    uint32_t width;
    uint32_t height;
    int kind;                      // CLIBPNG_…
    int bit_depth;                 // 1, 2, 4 or 8 for grey and palettes, else 8
    const uint8_t *palette;        // red, green and blue of palette_count entries; only for CLIBPNG_PALETTE
    const uint8_t *palette_alpha;  // alpha of the first alpha_count entries; the others are opaque
    int palette_count;             // 0…256
    int alpha_count;               // 0…palette_count
    bool has_key;                  // grey and RGB only: true if pixels of the colour `key` are transparent
    uint8_t key[3];                // red, green, blue; or grey in the first byte
    int level;                     // zlib's compression level, 0…9
    int strategy;                  // CLIBPNG_STRATEGY_…
    int window;                    // zlib's window, 9…15: zlib looks for repeats within 2^window bytes
    int memory;                    // zlib's memory level, 1…9
    clibpng_search search;         // replaces the level's search unless its chain is 0
    bool is_srgb;                  // true writes the chunk sRGB (PNG 11.3.2.5)
    int filters;                   // one or more CLIBPNG_FILTER_…
    bool (*is_wanted)(void *context);  // called before each row: false ends the work with an error; may be null
    void *context;
} clibpng_description;

// A result. The caller owns it, because a local variable of the function with setjmp would be indeterminate after a
// jump (C17 7.13.2.1).
typedef struct {
    uint8_t *bytes;  // an image or a zlib stream from malloc, for the caller to free; null after an error
    size_t size;
    char message[CLIBPNG_MESSAGE_SIZE];  // message after an error, often libpng's; else empty
} clibpng_result;

// Encodes height rows of row_bytes bytes each as one PNG.
void clibpng_encode(
    const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result);

// Sets the result's size to the number of bytes of compressed rows that clibpng_encode would write, or to 0 after an
// error. The result has no bytes.
void clibpng_measure(
    const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result);

// Filters a row of `size` bytes with the best of `filters` (PNG 9.2). `target` gets the filter's number, then the
// filtered row. `above` and `spare` also have `size` bytes. `step` is the distance to the byte of the pixel on the
// left, in bytes.
void clibpng_filter_row(
    int filters, const uint8_t *row, const uint8_t *above, size_t size, size_t step, uint8_t *spare, uint8_t *target);

// Decodes a PNG of any kind as RGBA8 with straight alpha into `pixels`, which has room for width * height * 4 bytes.
// The image must have exactly this size. The decoder reads no ancillary chunk except tRNS. It refuses compressed rows
// after the last row, and inflates at most one of them. Returns true if all rows and IEND were present. Otherwise
// `pixels` may be partly written.
bool clibpng_decode(
    const uint8_t *bytes, size_t size, uint32_t width, uint32_t height, uint8_t *pixels, clibpng_result *result);

// Returns the CRC-32 of size bytes, as in PNG chunks.
uint32_t clibpng_crc(const uint8_t *bytes, size_t size);

// Returns the Adler-32 of a text (RFC 1950 8.2). `adler` is the checksum of the text before these `size` bytes, and 1
// if these bytes are the first.
uint32_t clibpng_adler(uint32_t adler, const uint8_t *bytes, size_t size);

// Compresses `size` bytes to a zlib stream (RFC 1950) in the result's bytes.
void clibpng_deflate(const uint8_t *bytes, size_t size, clibpng_result *result);

#endif
