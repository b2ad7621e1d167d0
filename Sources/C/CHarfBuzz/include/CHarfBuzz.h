// HarfBuzz shapes text and gives the outlines of glyphs. Swift calls it directly, except for the outlines: HarfBuzz
// passes them to functions, one for each kind of line.
#ifndef CHARFBUZZ_H
#define CHARFBUZZ_H

#include <harfbuzz/hb-ot.h>
#include <harfbuzz/hb.h>

// The numbers of points that a command of an outline has.
typedef enum {
    CHARFBUZZ_MOVE = 1,       // begins a contour at a point
    CHARFBUZZ_LINE = 2,       // a line to a point
    CHARFBUZZ_QUADRATIC = 3,  // a curve with one control point
    CHARFBUZZ_CUBIC = 4,      // a curve with two control points
} charfbuzz_command;

// Receives a command of an outline. `points` are x and y in units of the font, y upwards; the last point is the end.
typedef void (*charfbuzz_sink)(void *data, charfbuzz_command command, const float *points);

// Passes the outline of `glyph` to `sink`. A glyph without an outline, such as a space, gives no command. Thread rule:
// any thread, if nobody changes `font`.
void charfbuzz_outline(hb_font_t *font, hb_codepoint_t glyph, charfbuzz_sink sink, void *data);

#endif
