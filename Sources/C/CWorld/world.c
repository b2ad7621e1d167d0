#include "CWorld.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler records world.bin as a dependency of this file, so a change of the map rebuilds this file.
static const uint8_t bytes[] = {
#embed "world.bin"
};

const uint8_t *cworld_bytes(void) { return bytes; }

size_t cworld_count(void) { return sizeof bytes; }
