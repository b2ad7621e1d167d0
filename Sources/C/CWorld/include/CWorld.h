// The program contains world.bin, the map of the generator `world`. scripts/make-world makes world.bin from Natural
// Earth, CLDR and GeoNames (see NOTICES). WorldDecoder describes the format. This is C because Swift
// has no #embed, and because Swift compiles a literal of this size slowly.
#ifndef CWORLD_H
#define CWORLD_H

#include <stddef.h>
#include <stdint.h>

// Returns the first byte of the inflated map. The pointer is valid until the process ends. Inflating takes a few
// milliseconds, once.
const uint8_t *cworld_bytes(void);

// Returns the number of bytes.
size_t cworld_count(void);

#endif
