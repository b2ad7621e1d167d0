#include "CGlyphs.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler records glyphs.txt as a dependency of this file, so a change of the font rebuilds this file.
static const unsigned char text[] = {
#embed "glyphs.txt" suffix(, 0)
};

const char *cglyphs_text(void) { return (const char *)text; }
