#include "CGlyphs.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler notes this file as what this one depends on: a build has it as it is now.
static const unsigned char text[] = {
#embed "glyphs.txt" suffix(, 0)
};

const char *cglyphs_text(void) { return (const char *)text; }
