// Packing of rows before compression (PNG 7.2, 9).
#ifndef CLIBPNG_FILTER_H
#define CLIBPNG_FILTER_H

#include "CLibPNG.h"

// Returns the number of bytes from one pixel to the next, at least 1. Filters use it as the distance to the pixel on
// the left.
size_t clibpng_pixel_bytes(const clibpng_description *description);

// Returns the number of bytes of a packed row, without the byte for its filter.
size_t clibpng_packed_bytes(const clibpng_description *description);

// Packs a row of samples, which have one byte each, into `target`. `target` has clibpng_packed_bytes bytes.
void clibpng_pack(const clibpng_description *description, const uint8_t *samples, uint8_t *target);

#endif
