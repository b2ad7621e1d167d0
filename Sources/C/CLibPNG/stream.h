// A stream of compressed image data (PNG 10). It filters and compresses an image's rows piece by piece.
#ifndef CLIBPNG_STREAM_H
#define CLIBPNG_STREAM_H

#include "CLibPNG.h"
#include <zlib.h>

// The state of a stream. The caller of the function with setjmp owns it, so clibpng_end also runs after a jump.
typedef struct {
    const clibpng_description *description;
    const uint8_t *rows;
    size_t row_bytes;      // size of a row in `rows`
    size_t packed_bytes;   // size of a packed row, without the number of its filter
    uint32_t row;          // index of the next row to filter
    const uint8_t *above;  // the row before `row`
    uint8_t *lines;        // a row of zeros, a spare row, two packed rows, and a filtered row
    uint8_t *piece;        // the latest compressed bytes
    z_stream zlib;         // raw: the stream writes the header and the checksum of RFC 1950 itself
    uint32_t checksum;     // Adler-32 of the filtered rows so far
    int checksum_bytes;    // bytes of the checksum that are written
    bool has_header;       // true after the header is written
    const char *failure;   // reason of a failure; null if the stream has not failed
} clibpng_stream;

// Begins a stream. Returns false if memory runs out.
bool clibpng_begin(
    clibpng_stream *stream, const clibpng_description *description, const uint8_t *rows, size_t row_bytes);

// Returns the number of the next compressed bytes, and sets *piece to them. The bytes are valid until the next call.
// Returns 0 at the end and after a failure. Calls the description's is_wanted before each row.
size_t clibpng_next(clibpng_stream *stream, const uint8_t **piece);

// Frees the stream's memory. Call it also if clibpng_begin has failed.
void clibpng_end(clibpng_stream *stream);

#endif
