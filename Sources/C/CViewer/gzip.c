#include <zlib.h>

#include "CViewer.h"

// Bytes of the header and the trailer of a gzip file (RFC 1952 2.3).
enum { GZIP_FRAME = 18 };

size_t cviewer_gzip_bound(size_t count) { return compressBound(count) + GZIP_FRAME; }

size_t cviewer_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity, int level) {
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count};
    stream.next_out = result;
    stream.avail_out = (uInt)capacity;
    // Adding 16 to the window's bits makes zlib write a gzip header and trailer.
    if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    int status = deflate(&stream, Z_FINISH);
    size_t size = stream.total_out;
    deflateEnd(&stream);
    return status == Z_STREAM_END ? size : 0;
}
