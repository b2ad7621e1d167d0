#include "CWorld.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler notes the file as what this one depends on: a build has it as it is now.
static const uint8_t bytes[] = {
#embed "world.bin"
};

const uint8_t *cworld_bytes(void) { return bytes; }

size_t cworld_count(void) { return sizeof bytes; }
