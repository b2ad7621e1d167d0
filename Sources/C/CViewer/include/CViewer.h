// The program contains the files of the viewer (web/) and openapi.json. This is C because Swift has no #embed, and
// because Swift compiles a literal of this size slowly.
#ifndef CVIEWER_H
#define CVIEWER_H

#include <stddef.h>
#include <stdint.h>

// A file with its path below web/, or openapi.json. A bundle has the path of the module that it replaces. The pointers
// are valid until the process ends.
typedef struct {
    const char *path;
    const uint8_t *bytes;
    size_t count;
} cviewer_file;

// Returns the number of files.
size_t cviewer_file_count(void);

// Returns the file at `index`, which is less than cviewer_file_count().
cviewer_file cviewer_file_at(size_t index);

// Returns the document at /openapi.json, which is not a file of the viewer.
cviewer_file cviewer_openapi(void);

// Returns the capacity that cviewer_gzip needs for `count` bytes.
size_t cviewer_gzip_bound(size_t count);

// Compresses bytes with gzip (RFC 1952) at zlib's level 1 to 9. Returns the number of bytes in result, or 0 if memory
// runs out or the capacity is too small.
size_t cviewer_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t capacity, int level);

#endif
