// Rows as PNG has them before they are compressed (PNG 7.2, 9).
#ifndef CLIBPNG_FILTER_H
#define CLIBPNG_FILTER_H

#include "CLibPNG.h"

// Bytes from a pixel to the next, at least 1: what filters take for the distance to the pixel on the left.
size_t clibpng_pixel_bytes(const clibpng_description *description);

// Bytes of a row as it is written, without the one that names its filter.
size_t clibpng_packed_bytes(const clibpng_description *description);

// Packs a row of the description's samples, one a byte, into `target`, of clibpng_packed_bytes.
void clibpng_pack(const clibpng_description *description, const uint8_t *samples, uint8_t *target);

#endif
