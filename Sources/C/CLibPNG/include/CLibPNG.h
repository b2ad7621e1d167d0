// PNG to and from memory through libpng. Here because libpng reports errors by longjmp, which must not cross a Swift
// frame: every jump starts and lands inside clibpng_encode and clibpng_decode.
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

// zlib's strategies and libpng's filter masks, which are macros of headers that Swift need not see.
enum { CLIBPNG_STRATEGY_DEFAULT = 0, CLIBPNG_STRATEGY_HUFFMAN = 2, CLIBPNG_STRATEGY_RLE = 3 };
enum {
    CLIBPNG_FILTER_NONE = 0x08,
    CLIBPNG_FILTER_SUB = 0x10,
    CLIBPNG_FILTER_UP = 0x20,
    CLIBPNG_FILTER_AVERAGE = 0x40,
    CLIBPNG_FILTER_PAETH = 0x80,
    CLIBPNG_FILTER_ADAPTIVE = 0xF8,  // for each row the one with the smallest differences (PNG 12.7)
};

enum { CLIBPNG_MESSAGE_SIZE = 128 };

// How zlib looks for repeats, as deflateTune has it: a match of `good` bytes makes it look less, at `lazy` bytes it
// takes what it has, at `nice` bytes it looks no further, and it looks at `chain` places at most.
typedef struct {
    int good, lazy, nice, chain;
} clibpng_search;

// What to write. Rows are packed as the kind says, 8 bits a channel; samples of fewer bits come one a byte and are
// packed to bit_depth here.
typedef struct {
    uint32_t width;
    uint32_t height;
    int kind;                      // CLIBPNG_…
    int bit_depth;                 // 1, 2, 4 or 8 for grey and palettes, else 8
    const uint8_t *palette;        // palette_count times red, green, blue; for a palette only
    const uint8_t *palette_alpha;  // alpha of the first alpha_count entries; the others are opaque
    int palette_count;             // 0…256
    int alpha_count;               // 0…palette_count
    bool has_key;                  // for grey and RGB: the samples `key` mean a transparent pixel
    uint8_t key[3];                // red, green, blue, or grey first
    int level;                     // zlib's 0…9
    int strategy;                  // CLIBPNG_STRATEGY_…
    int window;                    // zlib's 9…15: repeats are looked for in so many bytes, as a power of two
    int memory;                    // zlib's 1…9: how much it looks at for one code
    clibpng_search search;         // in place of the level's, unless its chain is 0
    bool is_srgb;                  // with the chunk sRGB (PNG 11.3.3.5)
    int filters;                   // one or several CLIBPNG_FILTER_…
    bool (*is_wanted)(void *context);  // asked before each row: false ends it with an error; may be null
    void *context;
} clibpng_description;

// The caller's object: a local of the function that calls setjmp would be indeterminate after a jump (C17 7.13.2.1).
typedef struct {
    uint8_t *bytes;  // an encoded image from malloc, for the caller to free; null after an error
    size_t size;
    char message[CLIBPNG_MESSAGE_SIZE];  // libpng's words after an error, else empty
} clibpng_result;

// Writes height rows of row_bytes bytes each as one PNG.
void clibpng_encode(
    const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result);

// How many bytes of compressed rows clibpng_encode would write, as the result's size; 0 after an error, and no bytes.
void clibpng_measure(
    const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result);

// Writes what the one of `filters` that suits best makes of a row of `size` bytes into `target`, behind the filter's
// number (PNG 9.2). `above` and `spare` have as many bytes; `step` bytes lie between a byte and the one left of it.
void clibpng_filter_row(
    int filters, const uint8_t *row, const uint8_t *above, size_t size, size_t step, uint8_t *spare, uint8_t *target);

// Reads one PNG of any kind, which must have exactly this size, as RGBA8 with straight alpha into `pixels`, which has
// room for width * height * 4 bytes. No ancillary chunk but tRNS is looked at, and data that go on after the last
// row are refused there, not inflated to their end. True when every row was there; `pixels` may be half written when
// not.
bool clibpng_decode(
    const uint8_t *bytes, size_t size, uint32_t width, uint32_t height, uint8_t *pixels, clibpng_result *result);

// The CRC-32 of size bytes, as PNG chunks carry it.
uint32_t clibpng_crc(const uint8_t *bytes, size_t size);

// The Adler-32 of what `adler` is the checksum of, 1 of nothing, and `size` bytes behind it (RFC 1950 8.2).
uint32_t clibpng_adler(uint32_t adler, const uint8_t *bytes, size_t size);

// `size` bytes as a zlib stream (RFC 1950), as the result's bytes.
void clibpng_deflate(const uint8_t *bytes, size_t size, clibpng_result *result);

#endif
