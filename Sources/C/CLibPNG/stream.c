#include "stream.h"
#include "filter.h"

#include <stdlib.h>

// Maximum bytes of data in an IDAT chunk (libpng writes 8 KiB), and number of rows in `lines`.
enum { PIECE_SIZE = 65536, LINES = 5 };

bool clibpng_begin(
    clibpng_stream *stream, const clibpng_description *description, const uint8_t *rows, size_t row_bytes) {
    size_t size = clibpng_packed_bytes(description);
    *stream = (clibpng_stream){
        .description = description, .rows = rows, .row_bytes = row_bytes, .packed_bytes = size,
        .lines = calloc(LINES, size + 1), .piece = malloc(PIECE_SIZE), .checksum = 1};
    stream->above = stream->lines;
    if (!stream->lines || !stream->piece) return false;
    // A negative window makes a raw stream without zlib's checksum. zlib computes the checksum byte by byte, which is
    // slow.
    if (deflateInit2(
            &stream->zlib, description->level, Z_DEFLATED, -description->window, description->memory,
            description->strategy)
        != Z_OK) {
        return false;
    }
    const clibpng_search *search = &description->search;
    if (search->chain > 0) deflateTune(&stream->zlib, search->good, search->lazy, search->nice, search->chain);
    return true;
}

static void give(clibpng_stream *stream, unsigned byte) {
    *stream->zlib.next_out++ = (uint8_t)byte;
    stream->zlib.avail_out--;
}

// Writes the two header bytes before the data (RFC 1950 2.2), with the same values as zlib.
static void give_header(clibpng_stream *stream) {
    const clibpng_description *description = stream->description;
    int level = description->level;
    unsigned effort = description->strategy >= Z_HUFFMAN_ONLY || level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3;
    unsigned header = (Z_DEFLATED | (unsigned)(description->window - 8) << 4) << 8 | effort << 6;
    header += 31 - header % 31;
    give(stream, header >> 8);
    give(stream, header & 0xFF);
    stream->has_header = true;
}

static void filter_next_row(clibpng_stream *stream) {
    const clibpng_description *description = stream->description;
    size_t size = stream->packed_bytes;
    const uint8_t *row = stream->rows + (size_t)stream->row * stream->row_bytes;
    if (description->bit_depth < 8) {
        uint8_t *packed = stream->lines + (2 + stream->row % 2) * size;
        clibpng_pack(description, row, packed);
        row = packed;
    }
    uint8_t *filtered = stream->lines + 4 * size;
    clibpng_filter_row(
        description->filters, row, stream->above, size, clibpng_pixel_bytes(description), stream->lines + size,
        filtered);
    stream->zlib.next_in = filtered;
    stream->zlib.avail_in = (uInt)(size + 1);
    stream->checksum = clibpng_adler(stream->checksum, filtered, size + 1);
    stream->above = row;
    stream->row++;
}

size_t clibpng_next(clibpng_stream *stream, const uint8_t **piece) {
    const clibpng_description *description = stream->description;
    z_stream *zlib = &stream->zlib;
    *piece = stream->piece;
    zlib->next_out = stream->piece;
    zlib->avail_out = PIECE_SIZE;
    if (!stream->has_header) give_header(stream);
    int status = Z_OK;
    while (status == Z_OK && zlib->avail_out > 0) {
        if (zlib->avail_in == 0 && stream->row < description->height) {
            if (description->is_wanted && !description->is_wanted(description->context)) {
                stream->failure = "not wanted";
                return 0;
            }
            filter_next_row(stream);
        }
        status = deflate(zlib, stream->row < description->height ? Z_NO_FLUSH : Z_FINISH);
    }
    // After the last piece zlib returns Z_STREAM_END again and writes nothing.
    while (status == Z_STREAM_END && stream->checksum_bytes < 4 && zlib->avail_out > 0) {
        give(stream, stream->checksum >> (24 - 8 * stream->checksum_bytes++) & 0xFF);
    }
    if (status != Z_OK && status != Z_STREAM_END) stream->failure = "the rows cannot be compressed";
    return stream->failure ? 0 : PIECE_SIZE - zlib->avail_out;
}

void clibpng_end(clibpng_stream *stream) {
    deflateEnd(&stream->zlib);
    free(stream->lines);
    free(stream->piece);
}
