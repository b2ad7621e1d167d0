#include "CWorld.h"

#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// Four bytes with the size of the map, lowest byte first, and then the map in zlib's format. The compiler records
// world.bin as a dependency of this file, so a change of the map rebuilds this file.
static const uint8_t file[] = {
#embed "world.bin"
};

static uint8_t *map;
static uLongf size;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void inflate_map(void) {
    size = file[0] | file[1] << 8 | file[2] << 16 | (uLongf)file[3] << 24;
    map = malloc(size);
    // The file is part of the program. Only a lack of memory can make this fail.
    if (!map || uncompress(map, &size, file + 4, sizeof file - 4) != Z_OK) abort();
}

const uint8_t *cworld_bytes(void) {
    pthread_once(&once, inflate_map);
    return map;
}

size_t cworld_count(void) {
    pthread_once(&once, inflate_map);
    return size;
}
