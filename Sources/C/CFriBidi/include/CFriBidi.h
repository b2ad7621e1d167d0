// Finds the directions in a line of text with FriBidi (UAX #9).
#ifndef CFRIBIDI_H
#define CFRIBIDI_H

#include <stdbool.h>
#include <stdint.h>

// Writes the embedding level of each of the `count` scalars into `levels`. An odd level is right to left. The first
// strong scalar decides the direction of the line. Returns false if memory runs out. Thread rule: any thread.
bool cfribidi_levels(const uint32_t *scalars, int32_t count, int8_t *levels);

#endif
