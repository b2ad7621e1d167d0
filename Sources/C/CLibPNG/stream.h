// An image's rows as compressed data, which come piece by piece while its rows are filtered (PNG 10).
#ifndef CLIBPNG_STREAM_H
#define CLIBPNG_STREAM_H

#include "CLibPNG.h"
#include <zlib.h>

// Belongs to a function above the one that calls setjmp, which ends it after an error too.
typedef struct {
    const clibpng_description *description;
    const uint8_t *rows;
    size_t row_bytes;      // of each in `rows`
    size_t packed_bytes;   // of each as it is written, without the number of its filter
    uint32_t row;          // the next that is filtered
    const uint8_t *above;  // the row before it
    uint8_t *lines;        // zeros, room for a trial, two rows that are packed, and one that is filtered
    uint8_t *piece;        // what came out last
    z_stream zlib;         // without the header and the checksum of RFC 1950, which stand around what it gives
    uint32_t checksum;     // of the rows that were filtered
    int checksum_bytes;    // of it that were given
    bool has_header;       // was given
    const char *failure;   // why no more comes; null at the end
} clibpng_stream;

// False where memory runs out.
bool clibpng_begin(
    clibpng_stream *stream, const clibpng_description *description, const uint8_t *rows, size_t row_bytes);

// The bytes that come next, in *piece until the next call; 0 behind the last, and after a failure. Asks before each
// row whether it is wanted.
size_t clibpng_next(clibpng_stream *stream, const uint8_t **piece);

// Frees what clibpng_begin took, also where that failed.
void clibpng_end(clibpng_stream *stream);

#endif
