#include "CLibPNG.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void clibpng_deflate(const uint8_t *bytes, size_t size, clibpng_result *result) {
    *result = (clibpng_result){0};
    uLongf room = compressBound(size);
    uint8_t *target = malloc(room);
    if (target && compress(target, &room, bytes, size) == Z_OK) {
        result->bytes = target;
        result->size = room;
        return;
    }
    free(target);
    strncpy(result->message, "out of memory", CLIBPNG_MESSAGE_SIZE - 1);
}
