// The map of the generator `world`, as bytes in the program: world.bin, which scripts/make-world writes of Natural Earth
// (https://www.naturalearthdata.com, public domain). WorldDecoder says what the bytes mean. Here because Swift has no #embed, and
// compiles a literal of this size slowly.
#ifndef CWORLD_H
#define CWORLD_H

#include <stddef.h>
#include <stdint.h>

// The first byte. Valid for the life of the process.
const uint8_t *cworld_bytes(void);

// How many bytes there are.
size_t cworld_count(void);

#endif
