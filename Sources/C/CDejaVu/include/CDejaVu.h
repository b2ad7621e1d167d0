// The font that the program carries: DejaVu Sans, cut to Latin, Greek and Cyrillic (scripts/make-font). This is C because
// Swift has no #embed.
#ifndef CDEJAVU_H
#define CDEJAVU_H

#include <stddef.h>
#include <stdint.h>

// Returns the bytes of the TrueType file, and writes their number to `size`. They are valid until the process ends.
const uint8_t *cdejavu_bytes(size_t *size);

#endif
