#include "CZlib.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

// Adding 16 to the window's bits makes zlib read and write the header and the trailer of gzip.
enum { GZIP_WINDOW = MAX_WBITS + 16 };
// Bytes of the header and the trailer of a gzip file (RFC 1952 2.3).
enum { GZIP_FRAME = 18 };
enum { FIRST_CAPACITY = 1 << 14 };

typedef struct {
    uint8_t *bytes;
    size_t count, capacity, limit;
} growing;

// Makes room for at least one more byte.
static czlib_status grow(growing *buffer) {
    if (buffer->count < buffer->capacity) return CZLIB_DONE;
    if (buffer->capacity >= buffer->limit) return CZLIB_TOO_LARGE;
    size_t capacity = buffer->capacity == 0 ? FIRST_CAPACITY : buffer->capacity;
    if (buffer->capacity > 0) capacity = capacity > buffer->limit / 2 ? buffer->limit : capacity * 2;
    if (capacity > buffer->limit) capacity = buffer->limit;
    uint8_t *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL) return CZLIB_NO_MEMORY;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return CZLIB_DONE;
}

// Inflates up to the end of a member. A member that ends exactly at the limit is complete, so zlib gets one spare byte
// there.
static czlib_status inflate_member(z_stream *stream, growing *buffer) {
    for (;;) {
        uint8_t spare;
        czlib_status status = grow(buffer);
        if (status == CZLIB_NO_MEMORY) return status;
        int is_full = status == CZLIB_TOO_LARGE;
        size_t room = is_full ? 1 : buffer->capacity - buffer->count;
        if (room > UINT_MAX) room = UINT_MAX;
        stream->next_out = is_full ? &spare : buffer->bytes + buffer->count;
        stream->avail_out = (uInt)room;
        int code = inflate(stream, Z_NO_FLUSH);
        size_t made = room - stream->avail_out;
        if (is_full && made > 0) return CZLIB_TOO_LARGE;
        buffer->count += made;
        if (code == Z_STREAM_END) return CZLIB_DONE;
        if (code == Z_MEM_ERROR) return CZLIB_NO_MEMORY;
        // Without progress, zlib would return Z_BUF_ERROR for ever.
        if (code != Z_OK) return CZLIB_DAMAGED;
    }
}

czlib_status czlib_gunzip(const uint8_t *bytes, size_t count, size_t limit, uint8_t **result, size_t *size) {
    *result = NULL;
    *size = 0;
    if (count == 0 || count > UINT_MAX) return CZLIB_DAMAGED;
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count};
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) return CZLIB_NO_MEMORY;
    growing buffer = {.limit = limit};
    czlib_status status = inflate_member(&stream, &buffer);
    // A gzip file may have several members (RFC 1952 2.2).
    while (status == CZLIB_DONE && stream.avail_in > 0) {
        if (inflateReset(&stream) != Z_OK) {
            status = CZLIB_DAMAGED;
            break;
        }
        status = inflate_member(&stream, &buffer);
    }
    inflateEnd(&stream);
    if (status != CZLIB_DONE) {
        free(buffer.bytes);
        return status;
    }
    *result = buffer.bytes;
    *size = buffer.count;
    return CZLIB_DONE;
}

size_t czlib_gzip_bound(size_t count) { return compressBound(count) + GZIP_FRAME; }

size_t czlib_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity, int level) {
    if (count > INT_MAX || capacity > UINT_MAX) return 0;
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count};
    stream.next_out = result;
    stream.avail_out = (uInt)capacity;
    if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    int code = deflate(&stream, Z_FINISH);
    size_t size = stream.total_out;
    deflateEnd(&stream);
    return code == Z_STREAM_END ? size : 0;
}
