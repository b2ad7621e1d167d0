// The program contains glyphs.txt, the glyphs of the font. This is C because Swift has no #embed.
#ifndef CGLYPHS_H
#define CGLYPHS_H

// Returns the text of glyphs.txt as UTF-8 with a terminating zero. The pointer is valid until the process ends.
const char *cglyphs_text(void);

#endif
