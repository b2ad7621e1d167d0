// The files of the viewer (web/), and openapi.json, as bytes in the program. Here because Swift has no #embed, and compiles a literal of this
// size slowly.
#ifndef CVIEWER_H
#define CVIEWER_H

#include <stddef.h>
#include <stdint.h>

// A file, by its path below web/; a bundle by that of the module whose place it takes. Valid for the life of the process.
typedef struct {
    const char *path;
    const uint8_t *bytes;
    size_t count;
} cviewer_file;

// How many files there are.
size_t cviewer_file_count(void);

// The file with a number below that.
cviewer_file cviewer_file_at(size_t index);

// The document at /openapi.json, which is no file of the viewer.
cviewer_file cviewer_openapi(void);

// Room that cviewer_gzip needs for `count` bytes.
size_t cviewer_gzip_bound(size_t count);

// Compresses bytes (RFC 1952) at a level of zlib's, 1 to 9. Returns how many bytes it wrote, or 0 where there is no memory.
size_t cviewer_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity, int level);

#endif
